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

const MAX_SHOWN_LENGTH = 200

/** A part of a template, or a text in one, as messages quote it: at most 200 characters. */
export function excerpt(text: string): string {
  return text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}…` : text
}

const MAX_MESSAGE_LENGTH = 1000

/** Cuts a message that quotes a large value. The reason of nested errors stands at the end, so that is kept, too. */
export function clip(message: string): string {
  const half = MAX_MESSAGE_LENGTH / 2
  return message.length > MAX_MESSAGE_LENGTH ? `${message.slice(0, half)}…${message.slice(-half)}` : message
}

/** The part of a line that messages show, at most 200 characters around `at`, and where `at` lies in it. */
export function excerptAround(line: string, at: number): { readonly text: string; readonly at: number } {
  if (line.length <= MAX_SHOWN_LENGTH) return { text: line, at }
  const from = Math.max(0, Math.min(at - MAX_SHOWN_LENGTH / 2, line.length - MAX_SHOWN_LENGTH))
  const to = from + MAX_SHOWN_LENGTH
  const before = from > 0 ? '…' : ''
  const after = to < line.length ? '…' : ''
  return { text: before + line.slice(from, to) + after, at: at - from + before.length }
}

/**
 * Runs `work` at the border of a language. The budget keeps recursion and text small; a caller deep in its own stack can
 * still use up JavaScript's, and that is one more limit reached, not a defect that ends a run.
 */
export function withinMemory<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new BudgetError('the template needs too much memory', undefined, { cause: error })
  }
}

/** Whether it is certain that there is no value (`none`), or that is unknown (`unknown`). */
export type Certainty = 'none' | 'unknown'

/** What is known of a value that is not there. */
export interface MissingValueOptions extends TemplateErrorOptions {
  readonly certainty: Certainty
  /** The id of the other resource that should have it, where it is one of another resource. */
  readonly resource?: string
  /** As that of an `Unknown`. */
  readonly needs?: 'running-system'
}

/** A template reads a value that is not there: of another resource, of the data, of the facts or of the environment. */
export class MissingValueError extends TemplateError {
  readonly resource: string | undefined
  readonly certainty: Certainty
  readonly needs: 'running-system' | undefined

  constructor(message: string, { resource, certainty, needs, ...options }: MissingValueOptions) {
    super(message, undefined, options)
    this.name = 'MissingValueError'
    this.resource = resource
    this.certainty = certainty
    this.needs = needs
  }
}

/** The missing value that an error is about, or one of its causes; undefined where it is about something else. */
export function missingValueIn(error: unknown): MissingValueError | undefined {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof MissingValueError) return at
  return undefined
}

/** What the work gives, or undefined where that certainly does not exist; all other failures are thrown on. */
export function unlessMissing<Value>(work: () => Value): Value | undefined {
  try {
    return work()
  } catch (error) {
    if (missingValueIn(error)?.certainty === 'none') return undefined
    throw error
  }
}

/** The same error at another place or at none, and where it is given with another message. */
export function placedAt(error: TemplateError, offset: number | undefined, message = error.message): TemplateError {
  const options = { cause: error, hint: error.hint }
  return error instanceof BudgetError
    ? new BudgetError(message, offset, options)
    : new TemplateError(message, offset, options)
}
