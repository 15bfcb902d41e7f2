import type { GoValue } from './value.ts'

/** Go's nil slice: equal to an empty list, except that JSON encodes it as null. */
export const NIL_LIST: readonly GoValue[] = Object.freeze([])
