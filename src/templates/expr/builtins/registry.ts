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

/** The builtin of that name, unless it takes a predicate: those are part of the evaluator. */
export function findBuiltin(name: string): Builtin | undefined {
  return BUILTINS.get(name)
}

/** Says whether the language has a builtin of that name, predicate builtins included. */
export function isBuiltinName(name: string): boolean {
  return BUILTINS.has(name) || predicateShape(name) !== undefined
}

/** Names of the builtins that take no predicate. */
export const BUILTIN_NAMES: readonly string[] = [...BUILTINS.keys()]
