import type { GoValue } from './value.ts'

type Methods = ReadonlyMap<string, () => GoValue>

const methodsOf = new WeakMap<readonly GoValue[], Methods>()

/** Gives a list methods without arguments, like a Go type that templates may call. A copy of the list has no methods. */
export function setListMethods(list: readonly GoValue[], methods: Methods): readonly GoValue[] {
  methodsOf.set(list, methods)
  return list
}

/** The method of a list that has one of this name. */
export function listMethod(list: readonly GoValue[], name: string): (() => GoValue) | undefined {
  return methodsOf.get(list)?.get(name)
}
