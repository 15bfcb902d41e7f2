/**
 * The one error every template language throws for a template that cannot be parsed or evaluated. `offset` is a
 * zero-based UTF-16 index into the template source, absent where the error has no place in it.
 */
export class TemplateError extends Error {
  readonly offset: number | undefined

  constructor(message: string, offset?: number, options?: ErrorOptions) {
    super(message, options)
    this.name = 'TemplateError'
    this.offset = offset
  }
}
