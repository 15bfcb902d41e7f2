import { MAX_NESTING } from './parse-yaml.ts'

/**
 * The state of the fast readers. They return undefined for invalid and for unusual text, which is then left to the YAML
 * parser.
 */
export interface Scanner {
  readonly text: string
  at: number
  /** The first backslash at or after the offset of the last search. */
  backslash: number
  values: number
}

export function startScanner(text: string): Scanner {
  return { text, at: 0, backslash: -1, values: 0 }
}

// Larger texts are left to the parser, which reports its limits.
const MOST_VALUES = 3_000_000

/** Whether another value at this depth is within the limits. */
export function hasRoom(scanner: Scanner, depth: number): boolean {
  return ++scanner.values <= MOST_VALUES && depth <= MAX_NESTING
}

/** Advances past a match of a sticky expression at the current offset; false if nothing matches there. */
export function skip(scanner: Scanner, expression: RegExp): boolean {
  expression.lastIndex = scanner.at
  const isFound = expression.test(scanner.text)
  if (isFound) scanner.at = expression.lastIndex
  return isFound
}

/** Like `skip`, with the text that was matched. */
export function take(scanner: Scanner, expression: RegExp): string | undefined {
  const start = scanner.at
  return skip(scanner, expression) ? scanner.text.slice(start, scanner.at) : undefined
}

// Characters before the space are control characters.
const NOT_IN_JSON = /[^ -\uffff]/

/** Reads a text in double quotes, as in JSON. */
export function takeJsonText(scanner: Scanner): string | undefined {
  const { text, at } = scanner
  let end = text.indexOf('"', at + 1)
  if (end < 0) return undefined
  if (scanner.backslash < at) scanner.backslash = indexOrEnd(text, '\\', at)
  const isEscaped = scanner.backslash < end
  for (let escape = scanner.backslash; escape < end; escape = indexOrEnd(text, '\\', escape + 2)) {
    if (escape + 1 === end) end = text.indexOf('"', end + 1)
    if (end < 0) return undefined
  }
  scanner.at = end + 1
  if (isEscaped) return unescapeText(text.slice(at, end + 1))
  const value = text.slice(at + 1, end)
  return NOT_IN_JSON.test(value) ? undefined : value
}

function unescapeText(source: string): string | undefined {
  try {
    // In quotes, it can only be a text.
    return JSON.parse(source) as string
  } catch {
    return undefined
  }
}

function indexOrEnd(text: string, character: string, from: number): number {
  const at = text.indexOf(character, from)
  return at < 0 ? text.length : at
}
