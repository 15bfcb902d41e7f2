import { namedValue, protocolNumber } from './nft-values.ts'
import { addressNumber, network } from './addresses.ts'
import { type Intervals, intervalsOf } from './intervals.ts'
import { type Field, interfacesNamed, singleValue, type Packets } from './packets.ts'
import { type Condition, uncertainCondition, matchAny } from './ruleset.ts'

/** One option of a rule as iptables-save prints it, with `!` before it or not. */
export interface IptablesOption {
  readonly name: string
  readonly values: readonly string[]
  readonly negated: boolean
  /** The last `-m`, which says whose option it is. */
  readonly match: string
}

/** What an option means; several conditions have to hold together. Options of a known match that are not known are unclear. */
export function conditionsOf(option: IptablesOption, family: 'ip' | 'ip6'): readonly Condition[] {
  const [value = ''] = option.values
  const { name, match, negated } = option
  const on = (field: Field, values: Intervals | undefined): readonly Condition[] =>
    values === undefined
      ? [uncertainCondition('unclear')]
      : [{ ...matchAny(...(values.length === 0 ? [] : [{ [field]: values }])), negated }]
  switch (name) {
    case '-s':
    case '-d':
      return on(addressField(name === '-s' ? 'saddr' : 'daddr', family), addresses(value, family))
    case '-i':
    case '-o':
      return on(name === '-i' ? 'iif' : 'oif', interfacesNamed(value, '+'))
    case '-p':
      return value === 'all' || value === '0' ? [] : on('protocol', protocols(value))
    case '--sport':
    case '--dport':
    case '--sports':
    case '--dports':
    case '--ports':
      return portConditions(option)
    case '--ctstate':
    case '--state':
      return stateCondition(value, negated)
    case '--src-type':
    case '--dst-type':
      return on(
        name === '--src-type' ? 'srctype' : 'dsttype',
        parseNumberList(value, (each) => namedValue('dsttype', each)),
      )
    case '--pkt-type':
      return on(
        'pkttype',
        parseNumberList(value, (each) => namedValue('pkttype', each)),
      )
    case '--src-range':
    case '--dst-range':
      return on(addressField(name === '--src-range' ? 'saddr' : 'daddr', family), range(value, family))
    case '--tcp-flags':
      return flagCondition(option)
    case '--syn':
      return negated ? [matchAny()] : []
    default:
      return parseOtherMatch(match, name, negated)
  }
}

function parseOtherMatch(match: string, name: string, negated: boolean): readonly Condition[] {
  if (name === '--comment' || WITH_MATCH.has(name)) return []
  if (name === '--icmp-type' || name === '--icmpv6-type') return [uncertainCondition(negated ? 'many' : 'few')]
  if (FEW.has(match)) return [uncertainCondition(negated ? 'many' : 'few')]
  return MANY.has(match) ? [uncertainCondition('many')] : [uncertainCondition('unclear')]
}

/** Options that belong to one before them. */
const WITH_MATCH: ReadonlySet<string> = new Set([
  '--limit-burst',
  '--hashlimit-burst',
  '--hashlimit-mode',
  '--hashlimit-name',
  '--limit-iface-in',
])
/** Matches that are nothing without an option. */
const WITH_OPTIONS: ReadonlySet<string> = new Set([
  'addrtype',
  'comment',
  'conntrack',
  'icmp',
  'icmp6',
  'iprange',
  'mark',
  'multiport',
  'pkttype',
  'state',
  'tcp',
  'udp',
])
/** Not among them is what has a usual value, such as a TTL: a rule that names that one means nearly all packets. */
const FEW: ReadonlySet<string> = new Set(['mac', 'rt', 'owner', 'ipv6header', 'frag'])
const MANY: ReadonlySet<string> = new Set(['limit', 'hashlimit', 'quota', 'statistic', 'time', 'connlimit', 'recent'])

/** Whether a match says no more than its options do. */
export function isOfOptions(match: string): boolean {
  return WITH_OPTIONS.has(match) || FEW.has(match) || MANY.has(match)
}

function addressField(field: 'saddr' | 'daddr', family: 'ip' | 'ip6'): Field {
  return family === 'ip' ? field : `${field}6`
}

function addresses(text: string, family: 'ip' | 'ip6'): Intervals | undefined {
  const [address = '', mask] = text.split('/')
  const found = network(address, mask === undefined ? (family === 'ip' ? 32 : 128) : maskLength(mask))
  return found?.family === family ? found.values : undefined
}

/** iptables prints a mask that is no prefix as an address. */
function maskLength(mask: string): number {
  if (/^\d+$/.test(mask)) return Number(mask)
  const bits = addressNumber(mask)?.value.toString(2).padStart(32, '0') ?? ''
  return /^1*0*$/.test(bits) && bits.length === 32 ? bits.replaceAll('0', '').length : Number.NaN
}

function range(text: string, family: 'ip' | 'ip6'): Intervals | undefined {
  const [from, to] = text.split('-').map(addressNumber)
  if (from?.family !== family || to?.family !== family || from.value > to.value) return undefined
  return [[from.value, to.value]]
}

function protocols(text: string): Intervals | undefined {
  const number = protocolNumber(text)
  return number === undefined ? undefined : singleValue(number)
}

function portConditions({ name, values: [value = ''], negated }: IptablesOption): readonly Condition[] {
  const ranges = value.split(',').map((each): readonly [bigint, bigint] | undefined => {
    const [, first, colon, last] = /^(\d*)(:?)(\d*)$/.exec(each) ?? []
    if (first === undefined || (first === '' && colon === '')) return undefined
    const low = BigInt(first === '' ? 0 : first)
    return [low, colon === '' ? low : BigInt(last === '' || last === undefined ? 65_535 : last)]
  })
  if (ranges.includes(undefined)) return [uncertainCondition('unclear')]
  const ports = intervalsOf(ranges.flatMap((each) => (each === undefined ? [] : [each])))
  const fields: readonly Field[] =
    name === '--ports' ? ['sport', 'dport'] : [name.startsWith('--s') ? 'sport' : 'dport']
  const anyOf = fields.map((field): Packets => ({ [field]: ports }))
  return [{ ...matchAny(...anyOf), negated }]
}

/** Among the states of a connection iptables has SNAT and DNAT. */
function stateCondition(value: string, negated: boolean): readonly Condition[] {
  const anyOf = value.split(',').map((each): Packets | undefined => {
    if (each === 'DNAT') return { dnat: singleValue(1) }
    const state = namedValue('state', each)
    return state === undefined ? undefined : { state: singleValue(state) }
  })
  if (anyOf.includes(undefined)) return [uncertainCondition('unclear')]
  return [{ ...matchAny(...anyOf.flatMap((each) => each ?? [])), negated }]
}

const FLAGS: Readonly<Record<string, number>> = { FIN: 1, SYN: 2, RST: 4, PSH: 8, ACK: 16, URG: 32, ALL: 63, NONE: 0 }
const SYN = 2

/** Of the first packet of a connection. */
function flagCondition({ values: [mask = '', set = ''], negated }: IptablesOption): readonly Condition[] {
  const [bits, wanted] = [mask, set].map((list) =>
    list.split(',').reduce<number>((all, flag) => all | (FLAGS[flag] ?? Number.NaN), 0),
  )
  if (
    bits === undefined ||
    wanted === undefined ||
    [...mask.split(','), ...set.split(',')].some((flag) => FLAGS[flag] === undefined)
  ) {
    return [uncertainCondition('unclear')]
  }
  return ((SYN & bits) === wanted) === negated ? [matchAny()] : []
}

function parseNumberList(value: string, numberOf: (name: string) => number | undefined): Intervals | undefined {
  const numbers = value.split(',').map(numberOf)
  if (numbers.includes(undefined)) return undefined
  return intervalsOf(numbers.flatMap((each) => (each === undefined ? [] : [[BigInt(each), BigInt(each)] as const])))
}
