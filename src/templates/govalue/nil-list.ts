import type { GoValue } from './value.ts'

/** Go's nil slice: a list without items in every respect but one, which is that JSON writes it as null. */
export const NIL_LIST: readonly GoValue[] = Object.freeze([])
