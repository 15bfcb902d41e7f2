import { CST, Lexer } from 'yaml'

/** Maximum number of corrections; after them the next problem is reported. */
const MOST_PLACES = 500

/**
 * Indents continuation lines of quoted texts and flow collections that are indented less than YAML requires. libyaml
 * and Go's yaml.v3 accept them, and the spaces are not part of any value. Text that cannot be read at all is unchanged.
 */
export function indentContinued(text: string): string {
  let indented = text
  for (let count = 0; count < MOST_PLACES; count++) {
    const place = findUnindented(indented)
    if (place === undefined) return indented
    const { start, end, column } = place
    const lines = indented.slice(start, end).replaceAll(/(?<=\n)(?=[^\n])/g, ' '.repeat(column + 1))
    indented = `${indented.slice(0, start)}${lines}${indented.slice(end)}`
  }
  return indented
}

/** A range of lines with too little indentation, and the column of their parent. */
interface Unindented {
  readonly start: number
  readonly end: number
  readonly column: number
}

const DOUBLE = /"(?:[^"\\]|\\.)*"/sy
const SINGLE = /'(?:[^']|'')*'/sy

/** The first text or collection with such a line; for a collection only that line. */
function findUnindented(text: string): Unindented | undefined {
  let offset = 0
  let depth = 0
  let opened = 0
  let previous = ''
  for (const lexeme of new Lexer().lex(text)) {
    if (lexeme === CST.FLOW_END) {
      const start = text.lastIndexOf('\n', offset - 1)
      return depth === 0 ? undefined : { start, end: offset + 1, column: columnOf(text, opened) }
    }
    const isQuoted = previous !== CST.SCALAR && /^["']/.test(lexeme)
    const end = isQuoted ? endOfQuoted(text, offset) : offset
    if (isQuoted && end === undefined) return undefined
    if (end !== undefined && end > offset + lexeme.length) return { start: offset, end, column: columnOf(text, offset) }
    if (lexeme === '[' || lexeme === '{') {
      if (depth === 0) opened = offset
      depth++
    }
    if (lexeme === ']' || lexeme === '}') depth--
    if (![CST.DOCUMENT, CST.SCALAR].includes(lexeme)) offset += lexeme.length
    previous = lexeme
  }
  return undefined
}

function endOfQuoted(text: string, offset: number): number | undefined {
  const quoted = text.charAt(offset) === '"' ? DOUBLE : SINGLE
  quoted.lastIndex = offset
  return quoted.test(text) ? quoted.lastIndex : undefined
}

function columnOf(text: string, offset: number): number {
  return offset - text.lastIndexOf('\n', offset - 1) - 1
}
