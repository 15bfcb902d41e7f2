import { addressNumber, network } from './addresses.ts'
import { type Intervals, intervalsOf } from './intervals.ts'
import { everyValue, type Field, interfacesNamed, STATES } from './packets.ts'

/** JSON as nft prints it. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/** Numbers of protocols by the names that nft and iptables print. @see /etc/protocols */
const PROTOCOLS: Readonly<Record<string, number>> = {
  hopopt: 0,
  icmp: 1,
  igmp: 2,
  ipencap: 4,
  tcp: 6,
  egp: 8,
  udp: 17,
  dccp: 33,
  ipv6: 41,
  'ipv6-route': 43,
  'ipv6-frag': 44,
  rsvp: 46,
  gre: 47,
  esp: 50,
  ah: 51,
  'ipv6-icmp': 58,
  icmpv6: 58,
  'ipv6-nonxt': 59,
  'ipv6-opts': 60,
  ospf: 89,
  pim: 103,
  comp: 108,
  vrrp: 112,
  l2tp: 115,
  sctp: 132,
  'mobility-header': 135,
  mh: 135,
  udplite: 136,
}

const FAMILIES: Readonly<Record<string, number>> = { ipv4: 2, ipv6: 10 }
const PACKET_TYPES: Readonly<Record<string, number>> = { host: 0, unicast: 0, broadcast: 1, multicast: 2 }
/** What an address is to a machine. @see rtnetlink(7) */
const ADDRESS_TYPES: Readonly<Record<string, number>> = {
  unspec: 0,
  unicast: 1,
  local: 2,
  broadcast: 3,
  anycast: 4,
  multicast: 5,
  blackhole: 6,
  unreachable: 7,
  prohibit: 8,
}

const NAMES: Readonly<Partial<Record<Field, Readonly<Record<string, number>>>>> = {
  protocol: PROTOCOLS,
  family: FAMILIES,
  pkttype: PACKET_TYPES,
  srctype: ADDRESS_TYPES,
  dsttype: ADDRESS_TYPES,
  state: Object.fromEntries(STATES.map((state, index) => [state, index])),
}

/** The number of a protocol by its name or as it is written; undefined for one that is not known. */
export function protocolNumber(name: string): number | undefined {
  return /^\d+$/.test(name) ? Number(name) : PROTOCOLS[name.toLowerCase()]
}

/** The number that a name stands for in a field. */
export function namedValue(field: Field, name: string): number | undefined {
  return NAMES[field]?.[name.toLowerCase()]
}

/** The values that an expression of nft stands for in a field; undefined where they are not understood. */
export function valuesOf(field: Field, value: Json): Intervals | undefined {
  if (typeof value === 'string') return textValues(field, value)
  if (typeof value === 'number') return Number.isInteger(value) ? [[BigInt(value), BigInt(value)]] : undefined
  if (typeof value !== 'object' || value === null) return undefined
  if (isList(value)) return unionOf(value.map((each) => valuesOf(field, each)))
  const { set, range, prefix, elem } = value
  if (set !== undefined) return unionOf((isList(set) ? set : [set]).map((each) => valuesOf(field, each)))
  if (elem !== undefined) return isObject(elem) && elem['val'] !== undefined ? valuesOf(field, elem['val']) : undefined
  if (range !== undefined && isList(range)) return rangeOf(field, range)
  if (prefix !== undefined && isObject(prefix)) {
    const { addr, len } = prefix
    const found = typeof addr === 'string' && typeof len === 'number' ? network(addr, len) : undefined
    return found !== undefined && found.family === familyOf(field) ? found.values : undefined
  }
  return undefined
}

function rangeOf(field: Field, [from, to]: readonly Json[]): Intervals | undefined {
  const [first, last] = [from, to].map((end) => (end === undefined ? undefined : valuesOf(field, end)))
  const [low, high] = [first?.[0]?.[0], last?.[0]?.[1]]
  return low === undefined || high === undefined || low > high ? undefined : [[low, high]]
}

function textValues(field: Field, text: string): Intervals | undefined {
  if (field === 'iif' || field === 'oif') return interfacesNamed(text, '*')
  const family = familyOf(field)
  if (text === '*') return everyValue(field)
  const address = family === undefined ? undefined : addressNumber(text)
  if (family !== undefined) return address?.family === family ? [[address.value, address.value]] : undefined
  const number = namedValue(field, text) ?? (/^(?:\d+|0x[\da-f]+)$/i.test(text) ? Number(text) : undefined)
  return number === undefined ? undefined : [[BigInt(number), BigInt(number)]]
}

function familyOf(field: Field): 'ip' | 'ip6' | undefined {
  if (field === 'saddr' || field === 'daddr') return 'ip'
  return field === 'saddr6' || field === 'daddr6' ? 'ip6' : undefined
}

function unionOf(parts: readonly (Intervals | undefined)[]): Intervals | undefined {
  const all = parts.flatMap((part) => part ?? [])
  return parts.includes(undefined) ? undefined : intervalsOf(all)
}

export function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}

export function isObject(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What JSON says in one word; empty for what is no word. */
export function textOf(value: Json | undefined): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}
