import { decodeTagged, describeValue, sameValue } from './tagged.mjs'

/** GJSON: a path over JSON text. Every accessor a case names is compared, then the whole result. */
export const gjson = {
  name: 'gjson',
  entry: 'src/templates/gjson/index.ts',
  isRequired: (recorded) => recorded.jsonValid,
  run({ gjson: module }, recorded) {
    const result = module.getJson(recorded.json, recorded.template)
    const wanted = [
      ...Object.entries(recorded.expect).map(([name, value]) => [
        name,
        accessors[name](module, result),
        decode(name, value),
      ]),
      ['raw', result.raw, recorded.go.raw],
      ['type', result.type, recorded.go.type],
      ['exists', module.exists(result), recorded.go.exists],
      ['string', module.asString(result), recorded.go.string],
    ]
    if (recorded.jsonValid) wanted.push(['lookup', module.toGoValue(result), lookupValue(recorded.go.lookup)])
    const bad = wanted.filter(([, found, expected]) => !sameValue(found, expected))
    if (bad.length === 0) return undefined
    return bad
      .map(([name, found, expected]) => `${name}: want ${describeValue(expected)}, found ${describeValue(found)}`)
      .join('\n  ')
  },
}

const accessors = {
  String: (module, result) => module.asString(result),
  Str: (module, result) => (result.type === 'String' ? module.asString(result) : ''),
  Raw: (_module, result) => result.raw,
  Num: (module, result) => (result.type === 'Number' ? module.asFloat(result) : 0),
  Float: (module, result) => module.asFloat(result),
  Int: (module, result) => module.asInt(result),
  Uint: (module, result) => module.asUint(result),
  Bool: (module, result) => module.asBool(result),
  Exists: (module, result) => module.exists(result),
  IsObject: (module, result) => module.isObject(result),
  IsArray: (module, result) => module.isArray(result),
  Json: (module, result) => module.toGoValue(result),
}

function decode(accessor, value) {
  if (accessor === 'Uint') return BigInt(typeof value === 'object' ? value.$uint : value)
  return decodeTagged(value, {})
}

/** Whole numbers inside a result are ints here, in any container. */
function lookupValue(recorded) {
  const value = decodeTagged(recorded, {})
  return typeof value === 'object' ? wholeNumbersToInts(value) : value
}

function wholeNumbersToInts(value) {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value
  if (Array.isArray(value)) return value.map(wholeNumbersToInts)
  if (value instanceof Map) return new Map([...value].map(([key, item]) => [key, wholeNumbersToInts(item)]))
  return value
}
