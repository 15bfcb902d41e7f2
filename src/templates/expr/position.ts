import { countRunes } from '../govalue/utf8.ts'
import { BudgetError, clip, excerptAround, TemplateError, type TemplateErrorOptions } from '../errors.ts'

interface LinePosition {
  /** Counted from 1. */
  readonly line: number
  /** Code points before the position in its line. */
  readonly column: number
  readonly lineText: string
  /** UTF-16 units before the position in its line. */
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
 * Appends the location in the expression to a message, in expr-lang's form: ` (line:column)`, the line, and a caret below the
 * position. An empty line gets no location, as in expr-lang.
 */
export function describePlace(message: string, source: string, offset: number): string {
  const { line, column, lineText, at } = findLine(source, offset)
  const clipped = clip(message)
  if (lineText === '') return clipped
  const shown = excerptAround(lineText.replaceAll('\t', ' '), at)
  const dots = '.'.repeat(countRunes(shown.text.slice(0, shown.at)))
  return `${clipped} (${line}:${column + 1})\n | ${shown.text}\n | ${dots}^`
}

/** Error at a position in an expression. `offset` is in UTF-16 units and may be one past the end. */
export function errorAt(
  message: string,
  source: string,
  offset: number,
  options?: TemplateErrorOptions,
): TemplateError {
  return new TemplateError(describePlace(message, source, offset), offset, options)
}

/** Adds a location to an error without one; keeps its class. */
export function placeError(error: TemplateError, source: string, offset: number): TemplateError {
  if (error.offset !== undefined) return error
  const options = { cause: error, hint: error.hint }
  const message = describePlace(error.message, source, offset)
  return error instanceof BudgetError
    ? new BudgetError(message, offset, options)
    : new TemplateError(message, offset, options)
}
