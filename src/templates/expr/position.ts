import { countRunes } from '../govalue/utf8.ts'
import { BudgetError, clip, excerptAround, TemplateError, type TemplateErrorOptions } from '../errors.ts'

interface LinePosition {
  /** Counted from 1. */
  readonly line: number
  /** Code points before the place in its line. */
  readonly column: number
  readonly lineText: string
  /** UTF-16 units before the place in its line. */
  readonly at: number
}

function findLine(source: string, offset: number): LinePosition {
  const before = source.slice(0, offset)
  const lineStart = before.lastIndexOf('\n') + 1
  const lineEnd = source.indexOf('\n', lineStart)
  return {
    line: before.split('\n').length,
    column: countRunes(before.slice(lineStart)),
    lineText: source.slice(lineStart, lineEnd === -1 ? undefined : lineEnd),
    at: offset - lineStart,
  }
}

/**
 * Adds to a message where in the expression it happened, in expr-lang's form: ` (line:column)`, the line, and a caret
 * under the place. An empty line gets no position, as there.
 */
export function describePlace(message: string, source: string, offset: number): string {
  const { line, column, lineText, at } = findLine(source, offset)
  const clipped = clip(message)
  if (lineText === '') return clipped
  const shown = excerptAround(lineText.replaceAll('\t', ' '), at)
  const dots = '.'.repeat(countRunes(shown.text.slice(0, shown.at)))
  return `${clipped} (${line}:${column + 1})\n | ${shown.text}\n | ${dots}^`
}

/** The error of a place in an expression. `offset` is in UTF-16 units and may be one past the end. */
export function errorAt(
  message: string,
  source: string,
  offset: number,
  options?: TemplateErrorOptions,
): TemplateError {
  return new TemplateError(describePlace(message, source, offset), offset, options)
}

/** Gives an error that has no place yet the place where it was raised; keeps its kind. */
export function placeError(error: TemplateError, source: string, offset: number): TemplateError {
  if (error.offset !== undefined) return error
  const options = { cause: error, hint: error.hint }
  const message = describePlace(error.message, source, offset)
  return error instanceof BudgetError
    ? new BudgetError(message, offset, options)
    : new TemplateError(message, offset, options)
}
