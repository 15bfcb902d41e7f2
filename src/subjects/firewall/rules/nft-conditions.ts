import { isList, isObject, type Json, textOf, valuesOf } from './nft-values.ts'
import { difference, type Intervals } from './intervals.ts'
import { commonPackets, everyValue, type Field, interfacesNamed, singleValue, type Packets } from './packets.ts'
import { type Condition, uncertainCondition, matchAny } from './ruleset.ts'

/** Context to interpret a rule: elements of named sets, and whether any rule marks packets. */
export interface Surroundings {
  /** The elements of a set or map of the same table, by its name. */
  readonly elements: ReadonlyMap<string, readonly Json[]>
  readonly hasMarks: boolean
  /** Whether the rule drops matching packets. */
  readonly drops?: boolean
}

interface Part {
  readonly field: Field
  readonly needs: Packets
}

const IP: Packets = { family: singleValue(2) }
const IP6: Packets = { family: singleValue(10) }
const WITH_PORTS = [6, 17, 33, 132, 136].map((number) => [BigInt(number), BigInt(number)] as const)
const TRANSPORT: Readonly<Record<string, Packets>> = {
  tcp: { protocol: singleValue(6) },
  udp: { protocol: singleValue(17) },
  dccp: { protocol: singleValue(33) },
  sctp: { protocol: singleValue(132) },
  udplite: { protocol: singleValue(136) },
  th: { protocol: WITH_PORTS },
}

const META: Readonly<Record<string, Field>> = {
  iif: 'iif',
  iifname: 'iif',
  oif: 'oif',
  oifname: 'oif',
  l4proto: 'protocol',
  nfproto: 'family',
  pkttype: 'pkttype',
}

/** Packets that have the header of an expression. */
const NEEDS: Readonly<Record<string, Packets>> = {
  ip: IP,
  ip6: IP6,
  icmp: { protocol: singleValue(1) },
  icmpv6: { protocol: singleValue(58) },
  ...TRANSPORT,
}

export function conditionOf(match: { readonly [key: string]: Json }, around: Surroundings): readonly Condition[] {
  const { op, left = null, right = null } = match
  const isNegated = op === '!='
  if (op !== '==' && op !== '!=' && op !== 'in') return [uncertainCondition('unclear')]
  return (
    staticConditions(match, around) ??
    keyedCondition(left, elementsOf(right, around), isNegated) ?? [uncertainCondition('unclear')]
  )
}

/** Conditions with a fixed result for the first packet of a connection: TCP flags, and no mark. */
function staticConditions(
  { op = null, left = null, right = null }: { readonly [key: string]: Json },
  { hasMarks, drops = false }: Surroundings,
): readonly Condition[] | undefined {
  const [value, mask] = isObject(left) && isList(left['&'] ?? null) ? (left['&'] as readonly Json[]) : [left]
  if (isObject(value) && isObject(value['ct']) && value['ct']['key'] === 'status' && right === 'dnat') {
    return [{ ...matchAny({ dnat: singleValue(1) }), negated: op === '!=' }]
  }
  if (drops && op === '==' && right === false && isOfWayBack(value)) return [matchAny(...WITHOUT_WAY_BACK)]
  if (isMeta(value, 'mark')) {
    const found = hasMarks ? undefined : valuesOf('daddr', right)
    if (found === undefined) return [uncertainCondition('unclear')]
    const isZero = found.some(([first]) => first === 0n)
    return isZero === (op === '==') ? [] : [matchAny()]
  }
  if (!isPayload(value, 'tcp', 'flags')) return approximate(value, op)
  const bits = mask === undefined ? 255 : flagBits(mask)
  const wanted = isObject(right) && isList(right['set'] ?? null) ? (right['set'] as readonly Json[]) : [right]
  const values = wanted.map(flagBits)
  if (bits === undefined || values.includes(undefined)) return [uncertainCondition('unclear')]
  const seen = SYN & bits
  const holds =
    op === 'in' ? values.some((each) => ((each ?? 0) & seen) !== 0) : values.includes(seen) === (op === '==')
  const tcp = TRANSPORT['tcp'] ?? {}
  // Packets with congestion notification have two more flags.
  const isExact = op !== 'in' && (bits & CONGESTION) !== 0
  if (isExact) return [matchAny(tcp), uncertainCondition('many')]
  return [matchAny(...(holds ? [tcp] : []))]
}

/** Whether an expression is a reverse path check at the incoming interface. */
function isOfWayBack(value: Json | undefined): boolean {
  const fib = isObject(value) ? value['fib'] : undefined
  const flags =
    isObject(fib) && fib['result'] === 'oif' && isList(fib['flags'] ?? null) ? JSON.stringify(fib['flags']) : ''
  return flags.includes('"saddr"') && flags.includes('"iif"')
}

/** Packets with a loopback source fail the reverse path check. Others depend on the routes and are assumed to pass. */
const WITHOUT_WAY_BACK: readonly Packets[] = [
  {
    saddr: [[0x7f000000n, 0x7fffffffn]],
    family: singleValue(2),
    iif: difference(everyValue('iif'), interfacesNamed('lo')),
  },
  { saddr6: singleValue(1), family: singleValue(10), iif: difference(everyValue('iif'), interfacesNamed('lo')) },
]

const SYN = 2
const CONGESTION = 192
const FLAGS: Readonly<Record<string, number>> = {
  fin: 1,
  syn: 2,
  rst: 4,
  psh: 8,
  ack: 16,
  urg: 32,
  ecn: 64,
  ece: 64,
  cwr: 128,
}

function flagBits(value: Json): number | undefined {
  if (typeof value === 'number') return value
  if (typeof value === 'string') return FLAGS[value]
  const parts = isObject(value) ? (value['|'] ?? null) : value
  if (!isList(parts)) return undefined
  const bits = parts.map(flagBits)
  return bits.includes(undefined) ? undefined : bits.reduce<number>((all, each) => all | (each ?? 0), 0)
}

/**
 * Unmodelled fields for which a rule with specific values matches few packets. Fields with a usual value, such as TTL, are
 * excluded: a rule with that value matches nearly all packets.
 */
function approximate(left: Json | undefined, op: Json): readonly Condition[] | undefined {
  if (!isObject(left)) return undefined
  const { payload, meta } = left
  if (isObject(payload) && typeof payload['protocol'] === 'string' && typeof payload['field'] === 'string') {
    const { protocol, field } = payload
    if (partOfPayload(protocol, field) !== undefined) return undefined
    if (!FEW_PAYLOADS.has(`${protocol} ${field}`)) return [uncertainCondition('unclear')]
    const needs = NEEDS[protocol]
    return [...(needs === undefined ? [] : [matchAny(needs)]), uncertainCondition(op === '!=' ? 'many' : 'few')]
  }
  const key = isObject(meta) ? meta['key'] : undefined
  if (typeof key !== 'string') return undefined
  if (VARYING.has(key)) return [uncertainCondition('many')]
  if (OWNERS.has(key)) return [uncertainCondition(op === '!=' ? 'many' : 'few')]
  return undefined
}

const FEW_PAYLOADS: ReadonlySet<string> = new Set(['ether saddr', 'icmp type', 'icmpv6 type', 'igmp type'])
const VARYING: ReadonlySet<string> = new Set(['time', 'day', 'hour', 'cpu', 'random'])
const OWNERS: ReadonlySet<string> = new Set(['skuid', 'skgid', 'cgroup'])

/** Condition that one or several fields have one of these values; undefined if not understood. */
export function keyedCondition(
  key: Json,
  elements: readonly Json[] | undefined,
  isNegated: boolean,
): readonly Condition[] | undefined {
  const keys = isObject(key) && isList(key['concat'] ?? null) ? (key['concat'] as readonly Json[]) : [key]
  const parts = keys.map(partOf)
  if (elements === undefined || parts.some((part) => part === undefined)) return undefined
  const known = parts.flatMap((part) => part ?? [])
  const needs = known.reduce<Packets | undefined>((all, part) => all && commonPackets(all, part.needs), {})
  if (needs === undefined) return [matchAny()]
  const anyOf = known.length === 1 ? singleField(known, elements) : severalFields(known, elements)
  if (anyOf === undefined) return undefined
  return [matchAny(needs), { ...matchAny(...anyOf), negated: isNegated }]
}

function singleField([part]: readonly Part[], elements: readonly Json[]): readonly Packets[] | undefined {
  const values = part && valuesOf(part.field, elements)
  return values && part && (values.length === 0 ? [] : [{ [part.field]: values }])
}

function severalFields(parts: readonly Part[], elements: readonly Json[]): readonly Packets[] | undefined {
  const found = elements.map((element): Packets | undefined => {
    const inner = isObject(element) && isObject(element['elem']) ? (element['elem']['val'] ?? null) : element
    if (inner === '*') return {}
    const values = isObject(inner) ? inner['concat'] : undefined
    if (values === undefined || !isList(values) || values.length !== parts.length) return undefined
    return parts.reduce<Packets | undefined>((all, { field }, index) => {
      const own: Intervals | undefined = valuesOf(field, values[index] ?? null)
      return own && all && commonPackets(all, { [field]: own })
    }, {})
  })
  return found.includes(undefined) ? undefined : found.flatMap((each) => each ?? [])
}

/** The values on the right of a match, from a named set or a literal. */
export function elementsOf(right: Json, { elements }: Surroundings): readonly Json[] | undefined {
  if (typeof right === 'string' && right.startsWith('@')) return elements.get(right.slice(1))
  if (isObject(right) && right['set'] !== undefined) return isList(right['set']) ? right['set'] : [right['set']]
  return [right]
}

function partOf(left: Json): Part | undefined {
  if (!isObject(left)) return undefined
  const { payload, meta, ct, fib } = left
  if (isObject(payload)) return partOfPayload(payload['protocol'] ?? null, payload['field'] ?? null)
  if (isObject(meta)) {
    const field = META[textOf(meta['key'])]
    return field && { field, needs: {} }
  }
  if (isObject(ct)) return ct['key'] === 'state' ? { field: 'state', needs: {} } : undefined
  if (isObject(fib) && fib['result'] === 'type') {
    const flags = JSON.stringify(isList(fib['flags'] ?? null) ? fib['flags'] : [fib['flags'] ?? null])
    if (flags === '["saddr"]') return { field: 'srctype', needs: {} }
    if (flags === '["daddr"]') return { field: 'dsttype', needs: {} }
  }
  return undefined
}

function partOfPayload(protocol: Json, field: Json): Part | undefined {
  const transport = TRANSPORT[textOf(protocol)]
  if (transport !== undefined) {
    return field === 'dport' || field === 'sport' ? { field, needs: transport } : undefined
  }
  if (protocol === 'ip') {
    if (field === 'saddr' || field === 'daddr') return { field, needs: IP }
    return field === 'protocol' ? { field: 'protocol', needs: IP } : undefined
  }
  if (protocol !== 'ip6') return undefined
  if (field === 'saddr') return { field: 'saddr6', needs: IP6 }
  return field === 'daddr' ? { field: 'daddr6', needs: IP6 } : undefined
}

function isPayload(value: Json | undefined, protocol: string, field: string): boolean {
  const payload = isObject(value) ? value['payload'] : undefined
  return isObject(payload) && payload['protocol'] === protocol && payload['field'] === field
}

function isMeta(value: Json | undefined, key: string): boolean {
  const meta = isObject(value) ? value['meta'] : undefined
  return isObject(meta) && meta['key'] === key
}
