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
