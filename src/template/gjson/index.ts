export { getJson } from './get.ts'
export { asBool, asFloat, asInt, asString, asUint, exists, isArray, isObject, numberContent } from './result.ts'
export type { GjsonResult, GjsonType } from './result.ts'
export { toGoValue } from './to-go-value.ts'
