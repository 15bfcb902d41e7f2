import { predicateShape } from '../predicate-shapes.ts'
import type { Builtin } from './builtin.ts'
import { COLLECTION_BUILTINS } from './collections.ts'
import { CONVERSION_BUILTINS } from './conversion.ts'
import { NUMBER_BUILTINS } from './numbers.ts'
import { STRING_BUILTINS } from './strings.ts'
import { TIME_BUILTINS } from './time.ts'

const BUILTINS: ReadonlyMap<string, Builtin> = new Map(
  [STRING_BUILTINS, NUMBER_BUILTINS, COLLECTION_BUILTINS, CONVERSION_BUILTINS, TIME_BUILTINS]
    .flat()
    .map((builtin) => [builtin.name, builtin]),
)

/** Builtin of the name, except predicate builtins, which the evaluator implements. */
export function findBuiltin(name: string): Builtin | undefined {
  return BUILTINS.get(name)
}

/** Whether the language has a builtin of the name, including predicate builtins. */
export function isBuiltinName(name: string): boolean {
  return BUILTINS.has(name) || predicateShape(name) !== undefined
}

/** Names of the builtins without a predicate. */
export const BUILTIN_NAMES: readonly string[] = [...BUILTINS.keys()]
