/** What a `TemplateError` may carry besides its message and place. */
export interface TemplateErrorOptions extends ErrorOptions {
  /** One sentence that helps to repair the template, such as `did you mean "Facts"?`. */
  readonly hint?: string | undefined
}

/**
 * The one error every template language throws for a template that cannot be parsed or evaluated. `offset` is a
 * zero-based UTF-16 index into the template source, absent where the error has no place in it. `hint` is advice that is
 * not part of the message, because messages are those of the Go tools.
 */
export class TemplateError extends Error {
  readonly offset: number | undefined
  readonly hint: string | undefined

  constructor(message: string, offset?: number, options?: TemplateErrorOptions) {
    super(message, options)
    this.name = 'TemplateError'
    this.offset = offset
    this.hint = options?.hint
  }
}

/**
 * A limit of the evaluation `Budget` was reached. Its own type, because no template may catch it (Jet's `try` must let
 * it pass).
 */
export class BudgetError extends TemplateError {
  constructor(message: string, offset?: number, options?: TemplateErrorOptions) {
    super(message, offset, options)
    this.name = 'BudgetError'
  }
}

/** A template asks for what the operator lets no policy of this origin see. Nothing is known of it then, not even its absence. */
export class ForbiddenError extends TemplateError {
  constructor(message: string) {
    super(message)
    this.name = 'ForbiddenError'
  }
}

/** Whether an error, or one of its causes, is that something is forbidden. */
export function isForbidden(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof ForbiddenError) return true
  return false
}

/** Whether it is certain that there is no value (`none`), or nobody could tell (`unknown`). */
export type Certainty = 'none' | 'unknown'

/** What is known of a value that is not there. */
export interface MissingValueOptions extends TemplateErrorOptions {
  readonly certainty: Certainty
  /** The id of the other resource that should have it, where it is one of another resource. */
  readonly resource?: string
}

/** A template reads a value that is not there: of another resource, of the data, of the facts or of the environment. */
export class MissingValueError extends TemplateError {
  readonly resource: string | undefined
  readonly certainty: Certainty

  constructor(message: string, { resource, certainty, ...options }: MissingValueOptions) {
    super(message, undefined, options)
    this.name = 'MissingValueError'
    this.resource = resource
    this.certainty = certainty
  }
}

/** The missing value that an error is about, or one of its causes; undefined where it is about something else. */
export function missingValueIn(error: unknown): MissingValueError | undefined {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof MissingValueError) return at
  return undefined
}

/** What the work gives, or undefined where that certainly does not exist; whatever else fails is thrown on. */
export function unlessMissing<Value>(work: () => Value): Value | undefined {
  try {
    return work()
  } catch (error) {
    if (missingValueIn(error)?.certainty === 'none') return undefined
    throw error
  }
}
