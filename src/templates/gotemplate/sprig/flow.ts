import { TemplateError } from '../../errors.ts'
import { fixed, type TemplateFunction } from '../functions.ts'

/** Functions that stop a template, and the greeting. */
export const FLOW_FUNCTIONS: readonly TemplateFunction[] = [
  fixed('hello', [], () => 'Hello!'),
  fixed('fail', ['string'], ([message]) => {
    throw new TemplateError(message)
  }),
]
