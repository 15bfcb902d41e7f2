import { byteLengthOf } from '../../../host/byte-text.ts'
import { checkPattern, matchesPattern } from '../../../templates/expr/regex.ts'
import { TemplateError } from '../../../templates/errors.ts'

export interface Pattern {
  readonly written: string
  /** Whether no line may match. */
  readonly isInverse: boolean
  readonly matches: (line: string) => boolean
}

/**
 * Parses a pattern: `/regex/` with the flags i, m and s, or a text that a line must contain; a leading `!` inverts it. All
 * leading slashes, backslashes and exclamation marks of a text are removed. Returns a message if invalid.
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

/** The problem with a regular expression (RE2), if any. */
export function regexProblem(expression: string): string | undefined {
  try {
    checkPattern(expression)
    return undefined
  } catch (error) {
    if (error instanceof TemplateError) return `is not a regular expression (RE2): ${error.message}`
    throw error
  }
}

/** The maximum length of a line in UTF-8, as in Goss. */
const LONGEST_LINE = 1024 * 1024

/** The unmatched patterns as written, or why the result is unknown. */
export type PatternsJudged =
  { readonly kind: 'judged'; readonly unmet: readonly string[] } | { readonly kind: 'unknown'; readonly why: string }

/** Judges a text line by line. A trailing newline does not start a line. */
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
  // Every text contains the empty text, even a text without lines.
  const isMet = (pattern: Pattern): boolean =>
    pattern.isInverse ? !found.has(pattern) : found.has(pattern) || pattern.written === ''
  return { kind: 'judged', unmet: patterns.filter((pattern) => !isMet(pattern)).map(({ written }) => written) }
}
