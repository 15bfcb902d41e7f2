export { Budget, DEFAULT_LIMITS, MAX_VALUE_DEPTH, type BudgetLimits } from './budget.ts'
export { fromCivil, toCivil, type CivilParts, type CivilTime } from './civil.ts'
export { compareBigints, compareGoValues, compareMapKeys, goEqual, isNumber, sortedEntries } from './compare.ts'
export { formatGoDuration, goDuration, NANOSECONDS, parseGoDuration } from './duration.ts'
export { formatGoFloat, formatNonFinite, formatPlainFloat, shortestDigits, type FloatDigits } from './format-float.ts'
export { formatGoValue } from './format.ts'
export { holdsNil } from './holds-nil.ts'
export {
  floatToInt64,
  INT64_MAX,
  INT64_MIN,
  isInt64,
  parseDecimalInt64,
  parseGoFloat,
  tooLarge,
  wrapInt64,
} from './int64.ts'
export { decodeGoJson, type JsonDecodeOptions } from './json-decode.ts'
export { encodeGoJson, encodeGoJsonString, type JsonEncodeOptions } from './json-encode.ts'
export { listMethod, setListMethods } from './list-methods.ts'
export { NIL_LIST } from './nil-list.ts'
export { abbreviationAt, fixedZone, loadLocation, LOCAL, offsetAt, UTC } from './location.ts'
export { fromPlain, toPlain } from './plain.ts'
export { formatGoTime, formatGoTimeString, formatRfc3339 } from './time-format.ts'
export { parseGoTime } from './time-parse.ts'
export { LAYOUTS, MONTH_NAMES, WEEKDAY_NAMES } from './time-layout.ts'
export {
  goKind,
  goTypeName,
  isGoBytes,
  isGoList,
  isGoMap,
  tagGoValue,
  type GoKind,
  type TaggedValue,
} from './type-name.ts'
export {
  compareStrings,
  countBytes,
  countRunes,
  decodeUtf8,
  encodeUtf8,
  isAscii,
  mapCase,
  toWellFormed,
} from './utf8.ts'
export {
  copyGuard,
  guardedMap,
  guardMap,
  hasMember,
  isStringMap,
  memberOf,
  missingValueOf,
  stringMap,
  type MapGuard,
} from './typed-map.ts'
export type { GoDuration, GoEnum, GoFunction, GoInt64, GoLocation, GoTime, GoValue } from './value.ts'
