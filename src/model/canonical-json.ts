/** Plain data as text: equal data gives equal texts, in any order of its members. Maps and sets count as plain. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => plain(inner))
}

function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return { bigint: String(value) }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  if (value instanceof Map) return { map: [...value] }
  if (value instanceof Set) return { set: [...value] }
  if (value instanceof RegExp) return { pattern: String(value) }
  return Object.fromEntries(Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1)))
}
