import { columnsOf } from './columns.ts'
import { escapeForTerminal } from './escape.ts'
import type { Position, Problem } from './problem.ts'

/** Maximum length of a source line in a message, around the caret. */
const WINDOW_CHARACTERS = 100

/**
 * A problem as terminal lines: `file:line:column message`, and if the source line is known, that line with a caret
 * under the column. Escaped.
 */
export function problemLines(problem: Problem): readonly string[] {
  const { position, sourceLine } = problem
  const place = position === undefined ? '' : `${formatPosition(position)} `
  const warning = problem.severity === 'warning' ? 'warning: ' : ''
  const headline = `${place}${warning}${escapeForTerminal(problem.message)}`
  if (position === undefined || sourceLine === undefined) return [headline]
  return [headline, ...formatExcerpt(sourceLine, position)]
}

/** A problem as text, one to three lines without a trailing line feed. */
export function formatProblem(problem: Problem): string {
  return problemLines(problem).join('\n')
}

/** `file:line:column`, escaped. */
export function formatPosition(position: Position): string {
  return `${escapeForTerminal(position.file)}:${position.line}:${position.column}`
}

/** The caret is under the column of the escaped text, which may be wider than the source. */
function formatExcerpt(sourceLine: string, position: Position): readonly [string, string] {
  const offset = Math.min(Math.max(position.column - 1, 0), sourceLine.length)
  const start = Math.max(0, offset - Math.floor(WINDOW_CHARACTERS / 2))
  const end = start + WINDOW_CHARACTERS
  const before = (start > 0 ? '…' : '') + sourceLine.slice(start, offset)
  // Escaped as a whole, because a CI command may span both sides of the caret.
  const shown = escapeForTerminal(before + sourceLine.slice(offset, end) + (end < sourceLine.length ? '…' : ''))
  const gutter = `  ${position.line} | `
  const column = ' '.repeat(columnsOf(escapeForTerminal(before)))
  return [`${gutter}${shown}`.trimEnd(), `${' '.repeat(gutter.length - 2)}| ${column}^`]
}
