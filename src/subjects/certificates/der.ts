/** DER value: its tag, and the start and end of its contents. */
export interface DerValue {
  readonly tag: number
  readonly start: number
  readonly end: number
}

/** Value at a position; undefined if it does not end before `end`. @see X.690, 8.1 */
export function derAt(bytes: Uint8Array, at: number, end: number): DerValue | undefined {
  const [tag, first] = [bytes[at], bytes[at + 1]]
  if (tag === undefined || first === undefined || (tag & 0x1f) === 0x1f) return undefined
  const size = first < 0x80 ? 0 : first - 0x80
  if (first === 0x80 || size > 4) return undefined
  const digits = [...bytes.subarray(at + 2, at + 2 + size)]
  const length = size === 0 ? first : digits.reduce((sum, digit) => sum * 256 + digit, 0)
  const start = at + 2 + size
  return start + length > end ? undefined : { tag, start, end: start + length }
}

/** Values nested in a value; undefined if they do not fill it exactly. */
export function derChildren(
  bytes: Uint8Array,
  { start, end }: Pick<DerValue, 'start' | 'end'>,
): DerValue[] | undefined {
  const found: DerValue[] = []
  for (let at = start; at < end;) {
    const value = derAt(bytes, at, end)
    if (value === undefined) return undefined
    found.push(value)
    at = value.end
  }
  return found
}

/** Object identifier in dotted notation. */
export function derObjectId(bytes: Uint8Array, { start, end }: DerValue): string {
  const numbers: number[] = []
  let number = 0
  for (const byte of bytes.subarray(start, end)) {
    number = number * 128 + (byte & 0x7f)
    if ((byte & 0x80) !== 0) continue
    numbers.push(number)
    number = 0
  }
  const [first = 0, ...others] = numbers
  const top = Math.min(2, Math.floor(first / 40))
  return [top, first - top * 40, ...others].join('.')
}
