export interface ArgumentShape {
  readonly kind: 'expression' | 'predicate'
  readonly optional: boolean
}

const expression: ArgumentShape = { kind: 'expression', optional: false }
const predicate: ArgumentShape = { kind: 'predicate', optional: false }
const maybePredicate: ArgumentShape = { kind: 'predicate', optional: true }
const maybeExpression: ArgumentShape = { kind: 'expression', optional: true }

const SHAPES: ReadonlyMap<string, readonly ArgumentShape[]> = new Map([
  ['all', [expression, predicate]],
  ['none', [expression, predicate]],
  ['any', [expression, predicate]],
  ['one', [expression, predicate]],
  ['filter', [expression, predicate]],
  ['map', [expression, predicate]],
  ['count', [expression, maybePredicate]],
  ['sum', [expression, maybePredicate]],
  ['find', [expression, predicate]],
  ['findIndex', [expression, predicate]],
  ['findLast', [expression, predicate]],
  ['findLastIndex', [expression, predicate]],
  ['groupBy', [expression, predicate]],
  ['sortBy', [expression, predicate, maybeExpression]],
  ['reduce', [expression, predicate, maybeExpression]],
])

/** Arguments of a predicate builtin; undefined for other names. */
export function predicateShape(name: string): readonly ArgumentShape[] | undefined {
  return SHAPES.get(name)
}

/** Names of all builtins that take a predicate. */
export const PREDICATE_NAMES: readonly string[] = [...SHAPES.keys()]
