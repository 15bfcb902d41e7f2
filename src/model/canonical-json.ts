/** Serializes plain data; equal data gives equal texts, regardless of the order of members. Maps and sets are allowed. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => toPlainValue(inner))
}

function toPlainValue(value: unknown): unknown {
  if (typeof value === 'bigint') return { bigint: String(value) }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  if (value instanceof Map) return { map: [...value] }
  if (value instanceof Set) return { set: [...value] }
  if (value instanceof RegExp) return { pattern: String(value) }
  return Object.fromEntries(Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1)))
}
