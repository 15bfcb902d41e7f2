import { byteLengthOf } from '../../../host/byte-text.ts'
import { checkPattern, matchesPattern } from '../../../templates/expr/regex.ts'
import { TemplateError } from '../../../templates/errors.ts'

/** One item of a list that is judged against the lines of a text. */
export interface Pattern {
  /** As it is written. */
  readonly written: string
  /** No line may match. */
  readonly isInverse: boolean
  readonly matches: (line: string) => boolean
}

/**
 * Reads a pattern: `/regex/` with the flags i, m and s, a text that a line has to hold otherwise; `!` before either means
 * that none may. Slashes, backslashes and exclamation marks at the start of a text do not count. Gives what is wrong with
 * it in place of an invalid one.
 * @see https://github.com/goss-org/goss, matchers/have_patterns.go
 */
export function parsePattern(written: string): Pattern | string {
  const isInverse = written.startsWith('!')
  const [, expression, flags = ''] = /^!?\/(.*)\/([ims]*)$/s.exec(written) ?? []
  if (expression === undefined) {
    const text = written.replace(/^[\\/!]+/, '')
    return { written, isInverse, matches: (line) => line.includes(text) }
  }
  const regex = flags === '' ? expression : `(?${[...new Set(flags)].join('')})${expression}`
  const problem = regexProblem(regex)
  return problem ?? { written, isInverse, matches: (line) => matchesPattern(regex, line) }
}

/** What is wrong with a regular expression (RE2), if anything is. */
export function regexProblem(expression: string): string | undefined {
  try {
    checkPattern(expression)
    return undefined
  } catch (error) {
    if (error instanceof TemplateError) return `is not a regular expression (RE2): ${error.message}`
    throw error
  }
}

/** The longest line that is looked at, in UTF-8, as in Goss. */
const LONGEST_LINE = 1024 * 1024

/** How a text meets patterns: those that it does not, as they are written, or why that is unknown. */
export type PatternsJudged =
  { readonly kind: 'judged'; readonly unmet: readonly string[] } | { readonly kind: 'unknown'; readonly why: string }

/** Judges a text line by line. A line end at the end of the text starts no line. */
export function judgePatterns(patterns: readonly Pattern[], text: string): PatternsJudged {
  if (patterns.length === 0) return { kind: 'judged', unmet: [] }
  const lines = text.split(/\r?\n/)
  if (lines.at(-1) === '') lines.pop()
  const found = new Set<Pattern>()
  for (const line of lines) {
    const pending = patterns.filter((pattern) => !found.has(pattern))
    if (pending.length === 0) break
    if (line.length > LONGEST_LINE / 4 && byteLengthOf(line) >= LONGEST_LINE) {
      return { kind: 'unknown', why: 'a line is longer than 1 MiB' }
    }
    for (const pattern of pending) if (pattern.matches(line)) found.add(pattern)
  }
  // The empty text is in every text, in one without lines, too.
  const isMet = (pattern: Pattern): boolean =>
    pattern.isInverse ? !found.has(pattern) : found.has(pattern) || pattern.written === ''
  return { kind: 'judged', unmet: patterns.filter((pattern) => !isMet(pattern)).map(({ written }) => written) }
}
