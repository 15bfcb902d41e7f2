import { MAX_NESTING } from './parse-yaml.ts'

/**
 * A place in a text that is read fast. What reads from it gives undefined for everything that is wrong or merely unusual:
 * the whole text is then left to the YAML parser, which knows all of YAML and says what is wrong.
 */
export interface Scanner {
  readonly text: string
  at: number
  /** The first backslash at or behind the place where one was last looked for. */
  backslash: number
  values: number
}

/** Starts at the beginning of a text. */
export function startScanner(text: string): Scanner {
  return { text, at: 0, backslash: -1, values: 0 }
}

// What holds more is left to the parser, which has limits for it.
const MOST_VALUES = 3_000_000

/** Whether there is room for another value at this depth. */
export function hasRoom(scanner: Scanner, depth: number): boolean {
  return ++scanner.values <= MOST_VALUES && depth <= MAX_NESTING
}

/** What a sticky expression finds at the place, which is then behind it. */
export function take(scanner: Scanner, expression: RegExp): string | undefined {
  expression.lastIndex = scanner.at
  const found = expression.exec(scanner.text)?.[0]
  if (found !== undefined) scanner.at += found.length
  return found
}

// All that comes before the space is a control character.
const NOT_IN_JSON = /[^ -\uffff]/

/** A text in double quotes, as JSON has it. */
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
  if (isEscaped) return unescaped(text.slice(at, end + 1))
  const value = text.slice(at + 1, end)
  return NOT_IN_JSON.test(value) ? undefined : value
}

function unescaped(source: string): string | undefined {
  try {
    // Quotes around it leave no other kind of value.
    return JSON.parse(source) as string
  } catch {
    return undefined
  }
}

function indexOrEnd(text: string, character: string, from: number): number {
  const at = text.indexOf(character, from)
  return at < 0 ? text.length : at
}
