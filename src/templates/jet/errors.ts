import { BudgetError, clip, missingValueIn, TemplateError, type TemplateErrorOptions } from '../errors.ts'
import type { Origin } from './ast.ts'

/** An error that already says in which template and line it happened, and during which rendering. */
export class JetRuntimeError extends TemplateError {
  /** The template that was rendered. */
  readonly main: Origin

  constructor(message: string, main: Origin, offset?: number, options?: TemplateErrorOptions) {
    super(message, offset, options)
    this.main = main
  }
}

/** The line an offset lies on, counted from 1. */
export function lineAt(source: string, offset: number): number {
  let line = 1
  for (let index = source.indexOf('\n'); index >= 0 && index < offset; index = source.indexOf('\n', index + 1)) {
    line += 1
  }
  return line
}

/** Where something is evaluated: the template it was written in and the one that is rendered. */
export interface TemplatePlace {
  readonly origin: Origin
  readonly main: Origin
}

/**
 * Throws a run-time error in Jet's form. The offset is given only when the place lies in the rendered template itself,
 * because it would be an index into another source otherwise.
 */
export function failAt(place: TemplatePlace, offset: number, message: string, options?: TemplateErrorOptions): never {
  const { origin, main } = place
  const text = `Jet Runtime Error (${JSON.stringify(origin.name)}:${lineAt(origin.source, offset)}): ${message}`
  throw new JetRuntimeError(clip(text), main, origin === main ? offset : undefined, options)
}

/**
 * Runs `work`; errors of functions and operators, which know no place, get this one. So do errors of another rendering
 * that a function started, because their offsets belong to other sources.
 */
export function located<T>(place: TemplatePlace, offset: number, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!isOwn(error)) throw error
    if (error instanceof JetRuntimeError && error.main === place.main) throw error
    return failAt(place, offset, error.message, { cause: error, hint: error.hint })
  }
}

/**
 * Says whether a template may go on after this error: `try` and `isset` let limits and defects pass, and what no author could
 * read, because it may be there.
 */
export function isCatchable(error: unknown): error is TemplateError {
  return isOwn(error) && missingValueIn(error)?.certainty !== 'unknown'
}

function isOwn(error: unknown): error is TemplateError {
  return error instanceof TemplateError && !(error instanceof BudgetError)
}
