/** What a `TemplateError` takes besides its message and offset. */
export interface TemplateErrorOptions extends ErrorOptions {
  /** One sentence of advice, such as `did you mean "Facts"?`. */
  readonly hint?: string | undefined
}

/**
 * Error of all template languages for a template that cannot be parsed or evaluated. `offset` is a zero-based UTF-16 index into
 * the template source, absent without a location. `hint` is separate from the message, because messages are those of the Go
 * tools.
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
 * A limit of the evaluation `Budget` was reached. A separate class, because no template may catch it (Jet's `try` must let it
 * pass).
 */
export class BudgetError extends TemplateError {
  constructor(message: string, offset?: number, options?: TemplateErrorOptions) {
    super(message, offset, options)
    this.name = 'BudgetError'
  }
}

/** A template reads a value that the operator hides from policies of this origin. Whether the value exists is unknown too. */
export class ForbiddenError extends TemplateError {
  constructor(message: string) {
    super(message)
    this.name = 'ForbiddenError'
  }
}

/** Whether an error, or one of its causes, is a `ForbiddenError`. */
export function isForbidden(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof ForbiddenError) return true
  return false
}

const MAX_SHOWN_LENGTH = 200

/** Excerpt of a template or a text for messages: at most 200 characters. */
export function excerpt(text: string): string {
  return text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}…` : text
}

const MAX_MESSAGE_LENGTH = 1000

/** Truncates a message that quotes a large value, but keeps its end, which has the reason of nested errors. */
export function clip(message: string): string {
  const half = MAX_MESSAGE_LENGTH / 2
  return message.length > MAX_MESSAGE_LENGTH ? `${message.slice(0, half)}…${message.slice(-half)}` : message
}

/** Excerpt of a line for messages, at most 200 characters around `at`, and the position of `at` in it. */
export function excerptAround(line: string, at: number): { readonly text: string; readonly at: number } {
  if (line.length <= MAX_SHOWN_LENGTH) return { text: line, at }
  const from = Math.max(0, Math.min(at - MAX_SHOWN_LENGTH / 2, line.length - MAX_SHOWN_LENGTH))
  const to = from + MAX_SHOWN_LENGTH
  const before = from > 0 ? '…' : ''
  const after = to < line.length ? '…' : ''
  return { text: before + line.slice(from, to) + after, at: at - from + before.length }
}

/**
 * Runs `work` at the entry of a language. The budget limits recursion and text; a caller deep in its own stack can still overflow
 * JavaScript's, which is reported as a limit, not as an internal error.
 */
export function withinMemory<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new BudgetError('the template needs too much memory', undefined, { cause: error })
  }
}

/** Whether the value certainly does not exist (`none`), or is unknown (`unknown`). */
export type Certainty = 'none' | 'unknown'

export interface MissingValueOptions extends TemplateErrorOptions {
  readonly certainty: Certainty
  /** Id of the other resource that should have the value, if any. */
  readonly resource?: string
  /** Like `needs` of an `Unknown`. */
  readonly needs?: 'running-system'
}

/** A template reads a missing value: of another resource, of the data, of the facts or of the environment. */
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

/** The `MissingValueError` in an error or its causes; otherwise undefined. */
export function missingValueIn(error: unknown): MissingValueError | undefined {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof MissingValueError) return at
  return undefined
}

/** Result of `work`, or undefined if the value certainly does not exist; rethrows all other errors. */
export function unlessMissing<Value>(work: () => Value): Value | undefined {
  try {
    return work()
  } catch (error) {
    if (missingValueIn(error)?.certainty === 'none') return undefined
    throw error
  }
}

/** Copy of the error with another offset or without one, and optionally with another message. */
export function placedAt(error: TemplateError, offset: number | undefined, message = error.message): TemplateError {
  const options = { cause: error, hint: error.hint }
  return error instanceof BudgetError
    ? new BudgetError(message, offset, options)
    : new TemplateError(message, offset, options)
}

/** Line number of an offset, from 1. */
export function lineAt(source: string, offset: number): number {
  let line = 1
  for (let at = source.indexOf('\n'); at >= 0 && at < offset; at = source.indexOf('\n', at + 1)) line += 1
  return line
}
