import { countOf, difference, intersection, type Intervals } from './intervals.ts'

/** The largest value of each packet field that rules match; all start at 0. */
const LARGEST = {
  /** NFPROTO_IPV4 or NFPROTO_IPV6. */
  family: 255n,
  /** An interface name as the kernel compares it: 16 bytes. */
  iif: (1n << 128n) - 1n,
  oif: (1n << 128n) - 1n,
  saddr: (1n << 32n) - 1n,
  daddr: (1n << 32n) - 1n,
  saddr6: (1n << 128n) - 1n,
  daddr6: (1n << 128n) - 1n,
  protocol: 255n,
  sport: 65_535n,
  dport: 65_535n,
  state: 4n,
  /** Whether the destination was translated. */
  dnat: 1n,
  /** Type of the address in the routing table: 1 unicast, 2 local, 3 broadcast, 5 multicast. */
  srctype: 15n,
  dsttype: 15n,
  /** 0 to this machine, 1 broadcast, 2 multicast. */
  pkttype: 7n,
} as const

export type Field = keyof typeof LARGEST

/** The connection states that rules match. */
export const STATES = ['new', 'established', 'related', 'invalid', 'untracked'] as const

/** Packets with fields within sets of values; an omitted field may have any value. */
export type Packets = Readonly<Partial<Record<Field, Intervals>>>

export function everyValue(field: Field): Intervals {
  return [[0n, LARGEST[field]]]
}

/** Intersection of two sets of packets; undefined if empty. */
export function commonPackets(left: Packets, right: Packets): Packets | undefined {
  const common: Partial<Record<Field, Intervals>> = { ...left }
  for (const field of fieldsOf(right)) {
    const wanted = right[field] ?? []
    const own = left[field]
    const both = own === undefined ? wanted : intersection(own, wanted)
    if (both.length === 0) return undefined
    common[field] = both
  }
  return common
}

/** Difference of two sets of packets, without overlap. */
export function packetsWithout(left: Packets, right: Packets): readonly Packets[] {
  if (commonPackets(left, right) === undefined) return [left]
  const rest: Packets[] = []
  let inside: Packets = left
  for (const field of fieldsOf(right)) {
    const own = inside[field] ?? everyValue(field)
    const outside = difference(own, right[field] ?? [])
    if (outside.length > 0) rest.push({ ...inside, [field]: outside })
    inside = { ...inside, [field]: intersection(own, right[field] ?? []) }
  }
  return rest
}

/** Share of `whole` that `part` covers, between 0 and 1. */
export function shareOf(part: Packets, whole: Packets): number {
  const common = commonPackets(part, whole)
  if (common === undefined) return 0
  return fieldsOf(common).reduce((share, field) => {
    const all = countOf(whole[field] ?? everyValue(field))
    return share * (Number(countOf(common[field] ?? [])) / Number(all))
  }, 1)
}

export function singleValue(value: bigint | number): Intervals {
  return [[BigInt(value), BigInt(value)]]
}

/** Kernel numbers of the address families. */
export const FAMILY_NUMBER = { ip: 2n, ip6: 10n } as const

export type AddressFamily = keyof typeof FAMILY_NUMBER

const NAME_BYTES = 16

/** Interfaces that a name matches; a trailing `wildcard` matches all names with this prefix. */
export function interfacesNamed(name: string, wildcard: '*' | '+' | '' = ''): Intervals {
  const isPattern = wildcard !== '' && name.endsWith(wildcard)
  const bytes = Buffer.from(isPattern ? name.slice(0, -1) : name).subarray(0, NAME_BYTES)
  const padded = (byte: number): bigint =>
    BigInt(`0x${Buffer.concat([bytes, Buffer.alloc(NAME_BYTES - bytes.length, byte)]).toString('hex')}`)
  return [[padded(0), isPattern ? padded(0xff) : padded(0)]]
}

/** Name or prefix of the interfaces in a range. */
export function interfaceName([first, last]: readonly [bigint, bigint]): string {
  const [low, high] = [first, last].map((value) => Buffer.from(value.toString(16).padStart(NAME_BYTES * 2, '0'), 'hex'))
  const text = (low ?? Buffer.alloc(0)).toString('latin1').replace(/\0+$/, '')
  return high?.equals(low ?? high) === true ? text : `${text}*`
}

function fieldsOf(packets: Packets): readonly Field[] {
  return Object.keys(packets) as Field[]
}
