import { Composer, type CST, type Document, Lexer, type ParsedNode, Parser, type YAMLError } from 'yaml'
import type { Problem } from '../../model/problem.ts'
import { indentContinued } from './indent-continued.ts'
import { errorAt, type SourceText } from './lines.ts'

/** Maximum nesting of maps and lists, with aliases followed. */
export const MAX_NESTING = 100

/** Parsed YAML nodes, with offsets and comments. */
export interface ParsedYaml {
  readonly contents: ParsedNode
  /** Values of long quoted texts by offset of their node, which has an empty text itself. */
  readonly longTexts: ReadonlyMap<number, string>
}

/** The name of a kind of document in problems. */
export type DocumentName =
  'policy' | 'catalogue' | 'config' | 'waiver file' | 'data file' | 'Goss file' | 'roster' | 'inventory'

/** The problems of a text that is not a single YAML document. */
export interface BrokenYaml {
  readonly problems: readonly Problem[]
}

// Duplicate keys are detected while the tree is built: the comparison of this parser is quadratic in the size of a map.
const OPTIONS = {
  schema: 'core',
  merge: false,
  intAsBigInt: true,
  uniqueKeys: false,
  resolveKnownTags: false,
  prettyErrors: false,
  logLevel: 'silent',
} as const

/** Parses one YAML 1.2 (or JSON) document; `what` names it in problems. All errors are returned as problems. */
export function parseYaml(source: SourceText, what: DocumentName): ParsedYaml | BrokenYaml {
  const stream: Stream = { documents: [], longTexts: new Map(), quote: 0, stopped: undefined }
  const documents = [...new Composer<ParsedNode>(OPTIONS).compose(tokens(source.text, stream))]
  if (stream.stopped !== undefined) return { problems: [stopProblem(source, stream.stopped, what)] }
  const [first, second] = documents
  const problems = syntaxProblems(source, documents, stream)
  if (second !== undefined) {
    problems.push(
      errorAt(source, stream.documents[1] ?? 0, `a ${what} must be one document, but a second one starts here`),
    )
  }
  if (problems.length > 0) return { problems }
  const contents = first?.contents ?? undefined
  if (contents === undefined || isNothing(contents)) {
    return { problems: [errorAt(source, 0, `the ${what} is empty`)] }
  }
  return { contents, longTexts: stream.longTexts }
}

/** The problem of excessive nesting. */
export function nestingProblem(source: SourceText, offset: number): Problem {
  return errorAt(source, offset, `maps and lists are nested more than ${MAX_NESTING} levels deep`)
}

function stopProblem(source: SourceText, { offset, why }: NonNullable<Stream['stopped']>, what: string): Problem {
  if (why === 'deep') return nestingProblem(source, offset)
  return errorAt(source, offset, `the ${what} has too many values: split it into several files`)
}

interface Stream {
  /** Start offsets of the documents. */
  readonly documents: number[]
  readonly longTexts: Map<number, string>
  /** Start of the last quoted text: if one is not closed, it is the last. */
  quote: number
  /** Why and where parsing stopped. */
  stopped: { readonly offset: number; readonly why: 'deep' | 'many' } | undefined
}

// The composer is recursive, so deep nesting must not reach it; the exact limit is checked on the tree. The parser's
// stack also grows with invalid lines, which are better reported one by one.
const STACK_LIMIT = 10 * MAX_NESTING

// About 600,000 values; a file within the size limit could otherwise exhaust memory.
const LEXEME_LIMIT = 5_000_000

function* tokens(text: string, stream: Stream): Generator<CST.Token, void> {
  const parser = new Parser()
  let lexemes = 0
  for (const lexeme of new Lexer().lex(text)) {
    if (lexeme.startsWith('"') || lexeme.startsWith("'")) stream.quote = parser.offset
    for (const token of parser.next(lexeme)) {
      prepare(token, stream)
      yield token
    }
    lexemes++
    if (parser.stack.length > STACK_LIMIT || lexemes > LEXEME_LIMIT) {
      stream.stopped = { offset: parser.offset, why: lexemes > LEXEME_LIMIT ? 'many' : 'deep' }
      return
    }
  }
  for (const token of parser.end()) {
    prepare(token, stream)
    yield token
  }
}

function prepare(token: CST.Token, stream: Stream): void {
  if (token.type !== 'document') return
  stream.documents.push(token.offset)
  if (token.value !== undefined) takeLongTexts(token.value, stream.longTexts)
}

const LONG_TEXT = 64

/**
 * The composer builds quoted texts character by character, at about 40 bytes of memory each. The value of a long one in
 * JSON syntax is parsed here, and the composer gets an empty text.
 */
function takeLongTexts(token: CST.Token, longTexts: Map<number, string>): void {
  if (token.type === 'double-quoted-scalar' && token.source.length > LONG_TEXT) {
    const value = jsonText(token.source)
    if (value === undefined) return
    longTexts.set(token.offset, value)
    token.source = '""'
  } else if ('items' in token) {
    for (const item of token.items) {
      if ('key' in item && item.key) takeLongTexts(item.key, longTexts)
      if (item.value) takeLongTexts(item.value, longTexts)
    }
  }
}

function jsonText(source: string): string | undefined {
  try {
    const value: unknown = JSON.parse(source)
    return typeof value === 'string' ? value : undefined
  } catch {
    return undefined // YAML allows more in quotes than JSON, so its own parser reads the text.
  }
}

/** One problem per line: further errors mostly result from the first. */
function syntaxProblems(source: SourceText, documents: readonly Document.Parsed[], { quote }: Stream): Problem[] {
  const byLine = new Map<number | undefined, Problem>()
  const found = documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])
  const end = found.some(isUnclosedQuote) ? quote : Infinity
  for (const error of found) {
    const offset = isUnclosedQuote(error) ? quote : error.pos[0]
    // Everything after an unclosed quote is part of the text.
    if (offset > end) continue
    const problem = errorAt(source, offset, wording(error, source))
    if (!byLine.has(problem.position?.line)) byLine.set(problem.position?.line, problem)
  }
  return [...byLine.values()]
}

/** The rest of the file is inside the quotes, so the position of the end is not helpful. */
function isUnclosedQuote({ code, message }: YAMLError): boolean {
  return code === 'MISSING_CHAR' && /^Missing closing ["']quote$/.test(message)
}

const WORDINGS: Readonly<Partial<Record<YAMLError['code'], string>>> = {
  TAB_AS_INDENT: 'indentation must be spaces, not tabs',
  BLOCK_AS_IMPLICIT_KEY: 'a map cannot start after a key and value on the same line; quote a string that contains ": "',
  MULTILINE_IMPLICIT_KEY: 'a key must be on one line and be followed by a colon',
}

function wording(error: YAMLError, { text }: SourceText): string {
  const { code, message } = error
  if (isUnclosedQuote(error) && indentContinued(text) !== text) {
    return 'this quoted string continues on a line with too little indentation: indent it more than the key'
  }
  return WORDINGS[code] ?? `${message.charAt(0).toLowerCase()}${message.slice(1)}`.replace(/(?<=["'])quote$/, '')
}

function isNothing(node: ParsedNode): boolean {
  return 'value' in node && node.value === null && node.anchor === undefined
}
