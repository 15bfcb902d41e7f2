import type { Problem } from '../core/problem.ts'

// How much of a long line is shown, and how much of that stands before the caret.
const WINDOW = 120
const BEFORE = 60

/**
 * A problem as people read it: `file:line:column message`, then the line it is on with a caret below the place. Control
 * and direction characters are escaped, so that a file cannot steer the terminal.
 */
export function formatProblem({ message, position, sourceLine }: Problem): string {
  if (position === undefined) return escapeControls(message)
  const { file, line, column } = position
  const head = `${escapeControls(file)}:${line}:${column} ${escapeControls(message)}`
  return sourceLine === undefined ? head : `${head}\n${excerpt(sourceLine, column - 1)}`
}

function excerpt(line: string, at: number): string {
  const start = line.length <= WINDOW ? 0 : Math.max(0, Math.min(at - BEFORE, line.length - WINDOW))
  const end = Math.min(line.length, start + WINDOW)
  const before = `${start > 0 ? '…' : ''}${shown(line.slice(start, at))}`
  const after = `${shown(line.slice(at, end))}${end < line.length ? '…' : ''}`
  return `    ${before}${after}\n    ${' '.repeat(before.length)}^`
}

function shown(text: string): string {
  return escapeControls(text.replaceAll('\t', ' '))
}

// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g

/** Replaces characters that a terminal obeys instead of showing by their `\\u` escapes. */
function escapeControls(text: string): string {
  return text.replace(CONTROLS, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
