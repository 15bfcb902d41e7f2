/** The bytes of an IPv4 (4) or IPv6 (16) address. */
export type IpBytes = Uint8Array

/** The addresses that share the first `prefix` bits of `bytes`. */
export interface IpNetwork {
  readonly bytes: IpBytes
  readonly prefix: number
}

const BITS = 8
const GROUP = 16

/** Parses an address; undefined if invalid. @see inet_pton(3) */
export function parseIp(text: string): IpBytes | undefined {
  return text.includes(':') ? parseIpv6(text) : parseIpv4(text)
}

function parseIpv4(text: string): IpBytes | undefined {
  const parts = text.split('.')
  if (parts.length !== 4 || !parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256)) {
    return undefined
  }
  return Uint8Array.from(parts, Number)
}

function parseIpv6(text: string): IpBytes | undefined {
  const halves = text.split('::')
  if (halves.length > 2) return undefined
  const [head, tail] = halves.map((half, index) => groupsOf(half, index === halves.length - 1))
  if (head === undefined || (halves.length === 2 && tail === undefined)) return undefined
  const missing = GROUP / 2 - head.length - (tail?.length ?? 0)
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined
  const groups = [...head, ...Array.from({ length: missing }, () => 0), ...(tail ?? [])]
  return Uint8Array.from(groups.flatMap((group) => [group >> BITS, group & 0xff]))
}

/** The groups of one half; the last two of all may be an IPv4 address. */
function groupsOf(half: string, isLast: boolean): readonly number[] | undefined {
  if (half === '') return []
  const words = half.split(':')
  const groups: number[] = []
  for (const [index, word] of words.entries()) {
    const embedded = isLast && index === words.length - 1 && word.includes('.') ? parseIpv4(word) : undefined
    if (embedded !== undefined) {
      const [a = 0, b = 0, c = 0, d = 0] = embedded
      groups.push((a << BITS) | b, (c << BITS) | d)
    } else if (/^[0-9a-f]{1,4}$/i.test(word)) groups.push(Number.parseInt(word, GROUP))
    else return undefined
  }
  return groups
}

/** Formats an address. @see RFC 5952 */
export function formatIp(bytes: IpBytes): string {
  if (bytes.length === 4) return bytes.join('.')
  const embedded = asIpv4(bytes)
  if (embedded !== undefined) return `::ffff:${embedded.join('.')}`
  const groups = Array.from({ length: GROUP / 2 }, (_, index) => {
    return ((bytes[2 * index] ?? 0) << BITS) | (bytes[2 * index + 1] ?? 0)
  })
  const { start, length } = longestRun(groups)
  const hex = (part: readonly number[]): string => part.map((group) => group.toString(GROUP)).join(':')
  return length < 2 ? hex(groups) : `${hex(groups.slice(0, start))}::${hex(groups.slice(start + length))}`
}

/** The first of the longest runs of zeros. */
function longestRun(groups: readonly number[]): { readonly start: number; readonly length: number } {
  let best = { start: 0, length: 0 }
  let length = 0
  for (const [index, group] of groups.entries()) {
    length = group === 0 ? length + 1 : 0
    if (length > best.length) best = { start: index + 1 - length, length }
  }
  return best
}

const MAPPED = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]

/** The IPv4 address of a mapped IPv6 address, `127.0.0.1` of `::ffff:127.0.0.1`; undefined if it is not mapped. */
export function asIpv4(bytes: IpBytes): IpBytes | undefined {
  return bytes.length === GROUP && MAPPED.every((byte, index) => bytes[index] === byte) ? bytes.slice(12) : undefined
}

/** Whether it is the unspecified address. */
export function isAnyAddress(bytes: IpBytes): boolean {
  return (asIpv4(bytes) ?? bytes).every((byte) => byte === 0)
}

/** Parses a network such as `10.0.0.0/8`, or a single address; undefined if invalid. Mapped IPv4 becomes IPv4. */
export function parseNetwork(text: string): IpNetwork | undefined {
  const [address = '', length, ...others] = text.split('/')
  const bytes = parseIp(address)
  if (bytes === undefined || others.length > 0) return undefined
  const bits = bytes.length * BITS
  const prefix = length === undefined ? bits : /^\d{1,3}$/.test(length) ? Number(length) : Number.NaN
  if (!(prefix <= bits)) return undefined
  const embedded = asIpv4(bytes)
  if (embedded === undefined || prefix < bits - embedded.length * BITS) return { bytes, prefix }
  return { bytes: embedded, prefix: prefix - (bits - embedded.length * BITS) }
}

/** Whether a network is within another one. */
export function isWithin(inner: IpNetwork, outer: IpNetwork): boolean {
  if (inner.bytes.length !== outer.bytes.length || inner.prefix < outer.prefix) return false
  return outer.bytes.every((byte, index) => {
    const bits = Math.min(Math.max(outer.prefix - index * BITS, 0), BITS)
    const mask = (0xff << (BITS - bits)) & 0xff
    return (byte & mask) === ((inner.bytes[index] ?? 0) & mask)
  })
}

/** Canonical form of an address with its prefix, `fe80::1/64`; other text is unchanged. */
export function canonicalCidr(text: string): string {
  const [address = '', ...prefix] = text.split('/')
  const bytes = parseIp(address)
  return bytes === undefined ? text : [formatIp(bytes), ...prefix].join('/')
}
