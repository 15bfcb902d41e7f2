import { trimBlanksOfC } from './blanks.ts'

/** A statement of rsyslog, as far as needed to find modules, inputs and output files. */
export type Statement =
  /** A legacy directive, `$Name value`. */
  | { readonly kind: 'directive'; readonly line: number; readonly name: string; readonly value: string }
  /** An object such as `module(...)`; a parameter is undefined if its value is unknown. */
  | {
      readonly kind: 'object'
      readonly line: number
      readonly type: string
      readonly parameters: ReadonlyMap<string, string | undefined>
    }
  /** A legacy action, such as a path; also braces and words in its place. */
  | { readonly kind: 'action'; readonly line: number; readonly text: string }
  /** A condition for the next action. */
  | { readonly kind: 'filter'; readonly line: number }
  /** Text that rsyslog would reject, too, as the end of a sentence about the line. */
  | { readonly kind: 'garbled'; readonly line: number; readonly why: string }

type State = 'initial' | 'object' | 'expression' | 'call' | 'procedure'
type Token = 'skip' | 'open' | 'close' | 'name' | 'text' | 'raw' | 'directive' | 'action' | 'filter' | 'bad' | State
type Rule = readonly [pattern: RegExp, token: Token]

const OBJECTS =
  /(?:main_queue|timezone|parser|global|template|ruleset|property|constant|input|module|lookup_table|dyn_stats|include|action)[ \n\t]*\(/iy
const COMMENT: Rule = [/\/\*(?:.*?\*\/|.*)/sy, 'skip']
const SPACE: Rule = [/[ \t\n]/y, 'skip']
const OTHER: Rule = [/[^\n]/y, 'bad']
const LINE_START = String.raw`(?<![^\n])[ \t]*`
const QUOTED: Rule = [
  /"(?:[^"\\$]|\\["'\\$bntr]|\\x[0-9a-f]{2}|\\[0-7]{3})*"|'(?:[^'\\]|\\["'\\$bntr]|\\x[0-9a-f]{2}|\\[0-7]{3})*'/iy,
  'skip',
]

/** The lexical rules of rsyslog that determine the end of a statement. The longest match is used, of equal ones the first. */
const RULES: Readonly<Record<State, readonly Rule[]>> = {
  initial: [
    [/(?:if|foreach|set|reset|unset|call_indirect)/iy, 'expression'],
    [/reload_lookup_table/iy, 'procedure'],
    [/call/iy, 'call'],
    [OBJECTS, 'open'],
    [new RegExp(String.raw`${LINE_START}:\$?[a-z-]+ *, *!?[a-z]+ *, *"(?:\\"|[^"])*"`, 'iy'), 'filter'],
    [new RegExp(String.raw`${LINE_START}[*a-z]+[0-7]*[.,][,!=;.*a-z0-7]+`, 'iy'), 'filter'],
    [/[|.\-@^?~>][^\n]+|\/[^*][^\n]*|:[a-z0-9]+:[^\n]*|[a-z0-9_][a-z0-9_\-+,;]*|[~*&{}]/iy, 'action'],
    COMMENT,
    [/\$[a-z]+[^\n]*/iy, 'directive'],
    [/![^ \t\n]+[ \t]*(?=\n)|[+-]\*[ \t\n]*(?:#[^\n]*)?(?=\n)/y, 'skip'],
    [new RegExp(String.raw`${LINE_START}[+-][a-z0-9.:-]+[ \t]*(?=\n)`, 'iy'), 'skip'],
    [/#[^\n]*/y, 'skip'],
    SPACE,
    OTHER,
  ],
  object: [
    [/\)/y, 'close'],
    [/[a-z][a-z0-9_.]*/iy, 'name'],
    [/[,[\]=]/y, 'skip'],
    [/"(?:[^"\\]|\\['"?\\abfnrtv]|\\[0-7]{1,3})*"/iy, 'text'],
    [/`(?:[^`\\]|\\['`?\\abfnrtv]|\\[0-7]{1,3})*`/iy, 'raw'],
    COMMENT,
    [/#[^\n]*/y, 'skip'],
    SPACE,
    OTHER,
  ],
  expression: [
    [/(?:then|do|;)/iy, 'initial'],
    [/\$[$!./]?[@a-z_]*[!@a-z0-9\-_.[\]]*/iy, 'skip'],
    QUOTED,
    [/`(?:[^`\\]|\\['`"\\bntr]|\\x[0-9a-f]{2}|\\[0-7]{3})*`/iy, 'skip'],
    [/[a-z][a-z0-9_]*|\d+|0x[0-9a-f]+|[!<>=]=|<>|[=,*/%+&\-[\]()<>]/iy, 'skip'],
    COMMENT,
    SPACE,
    OTHER,
  ],
  call: [[/[a-z][a-z0-9\-_.]*/iy, 'initial'], SPACE, OTHER],
  procedure: [[/\)/y, 'initial'], [/[(,]/y, 'skip'], QUOTED, SPACE, OTHER],
}

/** The statements of a text, in order. */
export function statementsOf(text: string): readonly Statement[] {
  const { joined, lineAt } = joinLines(text)
  const found: Statement[] = []
  let state: State = 'initial'
  let current: { type: string; line: number; parameters: Map<string, string | undefined>; name: string } | undefined
  for (let at = 0; at < joined.length;) {
    const [matched, token] = longestMatch(joined, at, RULES[state])
    const line = lineAt(at)
    at += matched.length
    switch (token) {
      case 'skip':
        break
      case 'bad':
        found.push({ kind: 'garbled', line, why: 'has unsupported syntax' })
        break
      case 'action':
        found.push({ kind: 'action', line, text: trimBlanksOfC(matched) })
        break
      case 'filter':
        found.push({ kind: 'filter', line })
        break
      case 'directive': {
        const [, name = '', value = ''] = /^\$([a-z]+)([^\n]*)/i.exec(matched) ?? []
        found.push({ kind: 'directive', line, name, value })
        break
      }
      case 'open':
        state = 'object'
        current = { type: matched.replace(/[ \n\t]*\($/, '').toLowerCase(), line, parameters: new Map(), name: '' }
        break
      case 'name':
        if (current !== undefined) current.name = matched.toLowerCase()
        break
      case 'text':
      case 'raw': {
        // Escaped or computed values and lists are never names.
        const isPlain = token === 'text' && !matched.includes('\\') && current?.parameters.has(current.name) === false
        current?.parameters.set(current.name, isPlain ? matched.slice(1, -1) : undefined)
        break
      }
      case 'close':
        state = 'initial'
        if (current !== undefined) found.push({ kind: 'object', ...current })
        break
      default:
        if (state === 'expression' && matched !== ';') found.push({ kind: 'filter', line })
        state = token
    }
  }
  if (state === 'object')
    found.push({ kind: 'garbled', line: lineAt(joined.length), why: 'leaves a block or quote unclosed' })
  return found
}

function longestMatch(text: string, at: number, rules: readonly Rule[]): readonly [matched: string, token: Token] {
  let best: readonly [string, Token] = ['', 'bad']
  for (const [pattern, token] of rules) {
    pattern.lastIndex = at
    const matched = pattern.exec(text)?.[0] ?? ''
    if (matched.length > best[0].length) best = [matched, token]
  }
  return best
}

/** Joins lines that end with a backslash, even in comments. Offsets must be queried in ascending order. */
function joinLines(text: string): { readonly joined: string; readonly lineAt: (offset: number) => number } {
  const starts: number[] = []
  let joined = ''
  let goesOn = false
  for (const line of text.split('\n')) {
    starts.push(joined.length)
    const rest: string = goesOn ? line.trimStart() : line
    const kept = /^(.*)\\[ \t\n\v\f\r]*$/s.exec(rest)?.[1]
    goesOn = kept !== undefined
    joined += kept ?? `${rest}\n`
  }
  let line = 0
  return {
    joined,
    lineAt(offset) {
      while ((starts[line] ?? Number.POSITIVE_INFINITY) <= offset) line += 1
      return line
    },
  }
}
