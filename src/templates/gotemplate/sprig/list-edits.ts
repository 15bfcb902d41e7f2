import { renamed, fixed, type TemplateFunction } from '../functions.ts'
import { itemsOf, withMustForm } from './lists.ts'

const append = fixed('append', ['any', 'any'], ([value, item]) => [...itemsOf(value, 'Cannot push on type'), item])

/** Functions that return a list with one more item. */
export const LIST_EDIT_FUNCTIONS: readonly TemplateFunction[] = [
  ...withMustForm(append),
  ...withMustForm(renamed(append, 'push')),
  ...withMustForm(
    fixed('prepend', ['any', 'any'], ([value, item]) => [item, ...itemsOf(value, 'Cannot prepend on type')]),
  ),
]
