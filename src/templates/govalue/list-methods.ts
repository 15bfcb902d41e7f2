import type { GoValue } from './value.ts'

type Methods = ReadonlyMap<string, () => GoValue>

const methodsOf = new WeakMap<readonly GoValue[], Methods>()

/** Adds methods without arguments to a list, like a Go type with methods. A copy of the list has no methods. */
export function setListMethods(list: readonly GoValue[], methods: Methods): readonly GoValue[] {
  methodsOf.set(list, methods)
  return list
}

/** Method of a list by name; undefined if it does not exist. */
export function listMethod(list: readonly GoValue[], name: string): (() => GoValue) | undefined {
  return methodsOf.get(list)?.get(name)
}
