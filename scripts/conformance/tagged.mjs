// The encoding of recorded values: plain JSON, where a whole number is an int and any other number a float, and objects
// with one key that starts with `$` for everything else.

/** Decodes a recorded value; `go` is the value model of the build (`parseGoDuration`, `UTC`). */
export function decodeTagged(value, go) {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map((item) => decodeTagged(item, go))
  const entries = Object.entries(value)
  const [tag, payload] = entries[0] ?? ['', undefined]
  if (entries.length === 1 && tag.startsWith('$')) return decodeTag(tag, payload, go)
  return new Map(entries.map(([key, item]) => [key, decodeTagged(item, go)]))
}

function decodeTag(tag, payload, go) {
  if (/^\$u?int\d*$/.test(tag)) return BigInt(payload)
  if (/^\$float(32)?$/.test(tag)) return decodeFloat(payload)
  switch (tag) {
    case '$bytes':
      return new Uint8Array(Buffer.from(payload, 'base64'))
    case '$map':
      return new Map(payload.map(([key, item]) => [decodeTagged(key, go), decodeTagged(item, go)]))
    case '$duration':
      return { kind: 'duration', nanoseconds: go.parseGoDuration(payload).nanoseconds }
    case '$time':
      return decodeTime(payload, go)
    default:
      throw new Error(`unknown tag ${tag}`)
  }
}

function decodeFloat(text) {
  if (/^[+-]?Inf$/.test(text)) return text.startsWith('-') ? -Infinity : Infinity
  return Number(text)
}

function decodeTime(text, go) {
  const fraction = /\.(\d+)/.exec(text)?.[1] ?? ''
  const seconds = BigInt(Date.parse(text.replace(/\.\d+/, ''))) / 1000n
  return { kind: 'time', unixNanoseconds: seconds * 1_000_000_000n + BigInt(fraction.padEnd(9, '0')), location: go.UTC }
}

/** Tells whether two values are the same, ints and floats apart, NaN equal to itself, maps without order. */
export function sameValue(left, right) {
  return describeValue(left) === describeValue(right)
}

/** A spelling of a value that is the same for the same values. */
export function describeValue(value) {
  if (typeof value === 'bigint') return String(value)
  if (typeof value === 'number') return `float(${Object.is(value, -0) ? '-0' : value})`
  if (typeof value === 'string') return JSON.stringify(value)
  if (value === null || typeof value !== 'object') return String(value)
  if (Array.isArray(value)) return `[${value.map(describeValue).join(', ')}]`
  if (value instanceof Uint8Array) return `bytes(${Buffer.from(value).toString('hex')})`
  if (value instanceof Map) {
    const members = [...value].map(([key, item]) => `${describeValue(key)}: ${describeValue(item)}`)
    return `{${members.toSorted().join(', ')}}`
  }
  if (value.kind === 'duration') return `duration(${value.nanoseconds})`
  if (value.kind === 'time') return `time(${value.unixNanoseconds})`
  return value.kind === 'location' ? `location(${value.name})` : `function(${value.name})`
}
