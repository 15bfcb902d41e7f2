import { known, type Reading, type Unknown, unknown } from '../core/observation.ts'
import { expandGlob } from './glob.ts'
import type { ConfigFiles } from './surface.ts'

/** The files that actions write. */
export interface WrittenFiles {
  readonly paths: readonly string[]
  /** What may write further ones: files whose names are made for each message, and lines that are not understood. */
  readonly unclear: readonly Unknown[]
}

/** How deep files may include others before something is wrong. */
const DEEPEST = 10

/** The files that rsyslog writes, by the actions in this file and in what it includes. */
export function rsyslogFiles(files: ConfigFiles, main: string): Reading<WrittenFiles> {
  const found: Found = { paths: new Set(), unclear: [] }
  const trouble = readFile(files, main, { found, depth: 0 })
  return trouble ?? known({ paths: [...found.paths], unclear: found.unclear })
}

interface Found {
  readonly paths: Set<string>
  readonly unclear: Unknown[]
}

interface Within {
  readonly found: Found
  readonly depth: number
}

function readFile(files: ConfigFiles, file: string, { found, depth }: Within): Unknown | undefined {
  if (depth > DEEPEST) return unknown('invalid', `${file} is included too deep`)
  const text = files.text(file)
  if (text.kind === 'unknown') return text
  const unclear = (why: string): void => void found.unclear.push(unknown('not-observable', `${file}: ${why}`))
  for (const meant of statementsOf(text.value ?? '')) {
    if (meant.kind === 'unclear') unclear(meant.why)
    if (meant.kind === 'file') {
      if (meant.path.startsWith('/')) found.paths.add(meant.path)
      else unclear(`"${meant.path}" is no absolute path`)
    }
    if (meant.kind !== 'include') continue
    const paths = expandGlob(files, meant.pattern.endsWith('/') ? `${meant.pattern}*` : meant.pattern)
    if (paths.kind === 'unknown') return paths
    for (const path of paths.value) {
      const trouble = readFile(files, path, { found, depth: depth + 1 })
      if (trouble !== undefined) return trouble
    }
  }
  return undefined
}

type Meant =
  | { readonly kind: 'nothing' | 'filter' }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'include'; readonly pattern: string }
  | { readonly kind: 'unclear'; readonly why: string }

const NOTHING: Meant = { kind: 'nothing' }
const FILTER: Meant = { kind: 'filter' }

const BLANKS = /(?:\s|#[^\n]*|\/\*[^]*?\*\/)+/y

/** What a statement may begin with, and what it means; the first that fits counts. */
const STATEMENTS: readonly (readonly [RegExp, (...groups: readonly string[]) => Meant])[] = [
  [/\$IncludeConfig[ \t]+(\S+)[^\n]*/iy, (_, pattern = '') => ({ kind: 'include', pattern })],
  [/\$\w+[ \t]+[^\s#][^\n]*/y, () => NOTHING],
  [/-?(\/[^\s;{}]+)(?:;[\w-]+)?[ \t]*(?:#[^\n]*)?(?=[\n}]|$)/y, (_, path = '') => ({ kind: 'file', path })],
  [/-?\?([^\n]*)/y, (_, template = '') => ({ kind: 'unclear', why: `names are made by the template ${template}` })],
  [/:omfile:[^\n]*|\$\w+[^\n]*/y, (line) => ({ kind: 'unclear', why: `what "${line}" writes is not known` })],
  // To other machines, programs, pipes and people, and blocks of programs and hosts.
  [/(?::om\w+:|[@|^>!+]|-[\w*])[^\n]*/y, () => NOTHING],
  [/:[\w$!.-]+\s*,\s*!?\s*\w+\s*,\s*"(?:[^"\\]|\\.)*"/y, () => FILTER],
  [/[\w*][\w*,!=;-]*\.[\w*,!=.;-]*(?=[ \t{])/y, () => FILTER],
  [/[&{}]/y, () => FILTER],
  [/[~*](?=\s|$)/y, () => NOTHING],
  [/(?:else|stop|continue|do)(?![\w(])/iy, () => NOTHING],
  [/call[ \t]+[\w.-]+/iy, () => NOTHING],
]

const NAMES_OF_PEOPLE = /[a-z_][\w,-]*[ \t]*(?=\n|$)/y
const OBJECT = /(\w+)\s*\(/y
const CONDITION = /if\b/iy
const ASSIGNMENT = /(?:set|unset|reset|call_indirect)\b/iy
const REST_OF_LINE = /[^\n]*/y

/** Everything that stands in quotes or is a comment, so that what stands in there ends nothing. */
const QUIET = String.raw`"(?:[^"\\]|\\[^])*"|'(?:[^'\\]|\\[^])*'|\x60[^\x60]*\x60|#[^\n]*|\/\*[^]*?\*\/`

/** A quote that nothing closes, for whatever is closed is taken before. */
const OPEN_QUOTE = String.raw`["'\x60]`

function isOpenQuote([token]: RegExpExecArray): boolean {
  return token.length === 1 && /["'\x60]/.test(token)
}

/** What a file says, in its order. */
function statementsOf(written: string): readonly Meant[] {
  const text = written.replaceAll(/\r?\n/g, '\n').replaceAll(/\\\n[ \t]*/g, '')
  const said: Meant[] = []
  let at = 0
  for (;;) {
    at += matchAt(BLANKS, text, at)?.[0].length ?? 0
    if (at >= text.length) return said
    const [meant, end] = statementAt(text, at, said.at(-1)?.kind === 'filter')
    said.push(meant)
    at = end
  }
}

function statementAt(text: string, at: number, isFiltered: boolean): readonly [Meant, end: number] {
  if (matchAt(CONDITION, text, at) !== undefined) return until(/\bthen\b/i, text, at)
  if (matchAt(ASSIGNMENT, text, at) !== undefined) return until(/;/, text, at)
  for (const [expression, meaning] of STATEMENTS) {
    const match = matchAt(expression, text, at)
    if (match !== undefined) return [meaning(...match), at + match[0].length]
  }
  const object = matchAt(OBJECT, text, at)
  if (object !== undefined) return objectAt(text, at, object)
  const people = isFiltered ? matchAt(NAMES_OF_PEOPLE, text, at) : undefined
  if (people !== undefined) return [NOTHING, at + people[0].length]
  return strange(text, at)
}

function matchAt(expression: RegExp, text: string, at: number): RegExpExecArray | undefined {
  expression.lastIndex = at
  return expression.exec(text) ?? undefined
}

function strange(text: string, at: number): readonly [Meant, number] {
  const line = matchAt(REST_OF_LINE, text, at)?.[0] ?? ''
  return [{ kind: 'unclear', why: `"${line.trim()}" is not understood` }, at + line.length]
}

/** Where something ends that may hold quotes and comments; it is a filter for what follows. */
function until(end: RegExp, text: string, at: number): readonly [Meant, number] {
  const tokens = new RegExp(`${QUIET}|(?<end>${end.source})|${OPEN_QUOTE}`, 'gi')
  tokens.lastIndex = at
  for (let token = tokens.exec(text); token !== null; token = tokens.exec(text)) {
    if (token.groups?.['end'] !== undefined) return [FILTER, tokens.lastIndex]
    if (isOpenQuote(token)) break
  }
  return strange(text, at)
}

function objectAt(text: string, at: number, [head, name = '']: RegExpExecArray): readonly [Meant, number] {
  const tokens = new RegExp(`${QUIET}|[()]|${OPEN_QUOTE}`, 'g')
  tokens.lastIndex = at + head.length
  let open = 1
  for (let token = tokens.exec(text); token !== null; token = tokens.exec(text)) {
    if (isOpenQuote(token)) break
    if (token[0] === '(') open += 1
    if (token[0] === ')') open -= 1
    if (open > 0) continue
    return [meaningOf(name.toLowerCase(), text.slice(at + head.length, token.index)), tokens.lastIndex]
  }
  return [{ kind: 'unclear', why: `"${head}" is not closed` }, text.length]
}

/** Only actions write files; a value that is no plain text is null. */
function meaningOf(name: string, body: string): Meant {
  if (name !== 'action' && name !== 'include') return NOTHING
  const values = new Map<string, string | null>()
  const parameter = /#[^\n]*|\/\*[^]*?\*\/|(?<key>[\w.]+)\s*=\s*(?:(?<quote>["'])(?<value>[^"'\\]*)\k<quote>|\S)/g
  for (const { groups } of body.matchAll(parameter)) {
    if (groups?.['key'] !== undefined) values.set(groups['key'].toLowerCase(), groups['value'] ?? null)
  }
  if (name === 'include') {
    const pattern = values.get('file')
    return typeof pattern === 'string' && pattern.startsWith('/')
      ? { kind: 'include', pattern }
      : { kind: 'unclear', why: 'what an include means is not known' }
  }
  const type = values.get('type')?.toLowerCase()
  if (type === undefined) return { kind: 'unclear', why: 'an action has a type that is not known' }
  if (type !== 'omfile') return NOTHING
  const path = values.get('file')
  if (typeof path === 'string' && !values.has('dynafile')) return { kind: 'file', path }
  return { kind: 'unclear', why: 'an action writes files whose names are made for each message' }
}
