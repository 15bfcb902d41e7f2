import { BudgetError, clip, missingValueIn, TemplateError, type TemplateErrorOptions, lineAt } from '../errors.ts'
import type { Origin } from './ast.ts'

/** Error with the template and line where it happened, and the rendering it belongs to. */
export class JetRuntimeError extends TemplateError {
  readonly main: Origin

  constructor(message: string, main: Origin, offset?: number, options?: TemplateErrorOptions) {
    super(message, offset, options)
    this.main = main
  }
}

/** Location of an evaluation: the source template and the rendered template. */
export interface TemplatePlace {
  readonly origin: Origin
  readonly main: Origin
}

/**
 * Throws a run-time error in Jet's format. The offset is only set if the location is in the rendered template; otherwise it would
 * refer to another source.
 */
export function failAt(place: TemplatePlace, offset: number, message: string, options?: TemplateErrorOptions): never {
  const { origin, main } = place
  const text = `Jet Runtime Error (${JSON.stringify(origin.name)}:${lineAt(origin.source, offset)}): ${message}`
  throw new JetRuntimeError(clip(text), main, origin === main ? offset : undefined, options)
}

/**
 * Runs `work` and adds the location to errors without one. Errors of another rendering started by a function are relocated too,
 * because their offsets refer to other sources.
 */
export function withPlace<T>(place: TemplatePlace, offset: number, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!isOwn(error)) throw error
    if (error instanceof JetRuntimeError && error.main === place.main) throw error
    return failAt(place, offset, error.message, { cause: error, hint: error.hint })
  }
}

/**
 * Whether `try` and `isset` may catch the error. Limits and internal errors pass through, and so do unreadable values, which may
 * exist.
 */
export function isCatchable(error: unknown): error is TemplateError {
  return isOwn(error) && missingValueIn(error)?.certainty !== 'unknown'
}

function isOwn(error: unknown): error is TemplateError {
  return error instanceof TemplateError && !(error instanceof BudgetError)
}
