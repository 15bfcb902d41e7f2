import { conditionOf, elementsOf, keyedCondition, type Surroundings } from './nft-conditions.ts'
import { isList, isObject, type Json, textOf, valuesOf } from './nft-values.ts'
import { FAMILY_NUMBER, interfacesNamed, singleValue, type Packets } from './packets.ts'
import {
  type Base,
  type Chain,
  type Condition,
  type FirewallRule,
  HOOKS,
  uncertainCondition,
  type Ruleset,
  type Step,
  type Verdict,
  matchAny,
} from './ruleset.ts'

/** Texts of rules by `family table handle`, for messages, and flags of tables by `family table flags`. */
export type RuleTexts = ReadonlyMap<string, string>

/** Context in addition to the listing. */
export interface BesideListing {
  readonly texts?: RuleTexts | undefined
  /** Whether rules outside the listing may mark packets. */
  readonly marksElsewhere?: boolean
}

/** Parses the output of `nft -j list ruleset`; undefined if invalid. */
export function parseNftRuleset(
  printed: string,
  { texts = new Map(), marksElsewhere = false }: BesideListing = {},
): Ruleset | undefined {
  const entries = entriesOf(printed)
  if (entries === undefined) return undefined
  const named = (kind: string): readonly JsonObject[] =>
    entries.flatMap((entry) => (isObject(entry[kind]) ? [entry[kind]] : []))
  const elements = new Map<string, Map<string, readonly Json[]>>()
  for (const set of [...named('set'), ...named('map')]) {
    const table = tableOf(set)
    const own = elements.get(table) ?? new Map<string, readonly Json[]>()
    const list = set['elem'] ?? []
    elements.set(table, own.set(textOf(set['name']), isList(list) ? list : [list]))
  }
  const hasMarks = marksElsewhere || /"(?:mangle|xt)":/.test(printed)
  const rules = new Map<string, FirewallRule[]>()
  for (const rule of named('rule')) {
    const around = { elements: elements.get(tableOf(rule)) ?? new Map(), hasMarks, drops: isDropping(rule['expr']) }
    const key = `${tableOf(rule)} ${textOf(rule['chain'])}`
    const handle = textOf(rule['handle'])
    const text = texts.get(`${tableOf(rule)} ${handle}`) ?? `rule with handle ${handle}`
    const parsed = { text, steps: stepsOf(rule['expr'] ?? null, around) }
    const before = rules.get(key)
    if (before === undefined) rules.set(key, [parsed])
    else before.push(parsed)
  }
  const dormant = named('table')
    .filter((table) => isDormant(table, texts))
    .map(tableNamed)
  const chains = named('chain').map((chain): Chain => {
    const base = dormant.includes(tableOf(chain)) ? undefined : baseOf(chain)
    const [family, table, name] = [chain['family'], chain['table'], chain['name']].map(textOf) as [
      string,
      string,
      string,
    ]
    return {
      family,
      table,
      name,
      ...(base === undefined ? {} : { base }),
      rules: rules.get(`${family} ${table} ${name}`) ?? [],
    }
  })
  return {
    tables: named('table')
      .map(tableNamed)
      .filter((table) => !dormant.includes(table)),
    chains,
  }
}

/** The kernel does not evaluate such a table. Some releases, such as 1.0.6, print another word for its flag in JSON. @see nft(8) */
function isDormant(table: JsonObject, texts: RuleTexts): boolean {
  const text = texts.get(`${tableNamed(table)} flags`)
  if (text !== undefined) return text.split(/[ ,]+/).includes('dormant')
  const flags = table['flags'] ?? []
  return (isList(flags) ? flags : [flags]).some((flag) => flag !== 'owner' && flag !== 'persist')
}

function tableNamed(table: JsonObject): string {
  return `${textOf(table['family'])} ${textOf(table['name'])}`
}

type JsonObject = { readonly [key: string]: Json }

function entriesOf(printed: string): readonly JsonObject[] | undefined {
  let parsed: Json
  try {
    parsed = JSON.parse(printed) as Json
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
  const list = isObject(parsed) ? parsed['nftables'] : undefined
  return list !== undefined && isList(list) && list.every(isObject) ? list : undefined
}

function tableOf(entry: JsonObject): string {
  return `${textOf(entry['family'])} ${textOf(entry['table'])}`
}

function baseOf(chain: JsonObject): Base | undefined {
  const { hook, type, prio, policy, dev } = chain
  const known = HOOKS.find((each) => each === hook)
  if (known === undefined) return undefined
  const devices = dev === undefined ? undefined : isList(dev) ? dev : [dev]
  const priority = typeof prio === 'number' ? prio : 0
  return {
    hook: known,
    type: textOf(type),
    priority,
    policy: policy === 'drop' ? 'drop' : 'accept',
    ...(devices === undefined
      ? {}
      : { packets: { iif: devices.flatMap((each) => interfacesNamed(textOf(each), '*')) } }),
  }
}

function isDropping(expressions: Json = null): boolean {
  const last = isList(expressions) ? expressions.at(-1) : undefined
  return isObject(last) && (last['drop'] !== undefined || last['reject'] !== undefined)
}

function stepsOf(expressions: Json, around: Surroundings): readonly Step[] {
  if (!isList(expressions)) return [{ kind: 'opaque' }]
  return expressions.flatMap((each) => (isObject(each) ? stepOf(each, around) : { kind: 'opaque' }))
}

/** Statements without a verdict that do not stop the evaluation of the rule. */
const WITHOUT_EFFECT: ReadonlySet<string> = new Set([
  'counter',
  'log',
  'last',
  'mangle',
  'ct helper',
  'ct timeout',
  'ct expectation',
  'secmark',
  'flow',
  'dup',
  'meta',
])
const PART_OF_THE_TIME: ReadonlySet<string> = new Set(['limit', 'quota', 'ct count', 'meter', 'connlimit'])

function stepOf(expression: JsonObject, around: Surroundings): Step | readonly Step[] {
  const [name = '', value = null] = Object.entries(expression)[0] ?? []
  if (name === 'match' && isObject(value)) return conditionOf(value, around)
  if (name === 'vmap' && isObject(value)) return mapOf(value, around)
  if (WITHOUT_EFFECT.has(name)) return []
  if (PART_OF_THE_TIME.has(name)) return uncertainCondition('many')
  if (name === 'set' && isObject(value)) return value['stmt'] === undefined ? [] : uncertainCondition('many')
  if (name === 'xt' && isObject(value)) return parseForeign(value)
  if (name === 'reject') return [...rejectSteps(value), { kind: 'drop' }]
  const verdict = verdictOf(expression) ?? { kind: 'opaque' }
  if (verdict.kind !== 'dnat' || verdict.address === undefined) return verdict
  // The kernel skips it for packets of the other family. @see nft_nat_inet_eval
  const family = verdict.address.daddr === undefined ? FAMILY_NUMBER.ip6 : FAMILY_NUMBER.ip
  return [matchAny({ family: singleValue(family) }), verdict]
}

/** A reject with a type of one protocol only matches packets of that protocol, which nft does not print as a match. */
function rejectSteps(reject: Json): readonly Step[] {
  switch (isObject(reject) ? reject['type'] : undefined) {
    case 'icmp':
      return [matchAny({ family: singleValue(FAMILY_NUMBER.ip) })]
    case 'icmpv6':
      return [matchAny({ family: singleValue(FAMILY_NUMBER.ip6) })]
    default:
      return []
  }
}

/** An iptables extension, for which nft prints only the name. */
function parseForeign({ type, name }: JsonObject): Step | readonly Step[] {
  if (type === 'match') return name === 'comment' ? [] : uncertainCondition('unclear')
  if (name === 'REJECT') return { kind: 'drop' }
  return SILENT_TARGETS.has(textOf(name)) ? [] : { kind: 'opaque' }
}

/** iptables targets that continue with the next rule. @see iptables-extensions(8) */
export const SILENT_TARGETS: ReadonlySet<string> = new Set([
  'AUDIT',
  'CHECKSUM',
  'CLASSIFY',
  'CONNMARK',
  'CONNSECMARK',
  'DSCP',
  'HL',
  'LED',
  'LOG',
  'MARK',
  'NFLOG',
  'SECMARK',
  'SET',
  'TCPMSS',
  'TCPOPTSTRIP',
  'TOS',
  'TRACE',
  'TTL',
])

function verdictOf(expression: JsonObject): Verdict | undefined {
  const [name = '', value = null] = Object.entries(expression)[0] ?? []
  switch (name) {
    case 'accept':
    case 'drop':
    case 'return':
    case 'continue':
      return { kind: name }
    case 'notrack':
      return { kind: 'notrack' }
    case 'jump':
    case 'goto':
      return isObject(value) && typeof value['target'] === 'string' ? { kind: name, chain: value['target'] } : undefined
    // Source NAT; it does not change whether packets are accepted.
    case 'snat':
    case 'masquerade':
      return { kind: 'accept' }
    case 'dnat':
    case 'redirect':
      return translation(name, value)
    default:
      return undefined
  }
}

/** Destination NAT. A destination from a map may be any address. */
function translation(name: string, value: Json): Verdict | undefined {
  const { addr, port } = isObject(value) ? value : {}
  const ports = port === undefined ? {} : packets('dport', port)
  if (ports === undefined) return undefined
  if (addr === undefined) return name === 'redirect' ? { kind: 'dnat', port: ports } : undefined
  const address = packets('daddr', addr) ?? packets('daddr6', addr)
  return address && { kind: 'dnat', address, port: ports }
}

function packets(field: 'daddr' | 'daddr6' | 'dport', value: Json): Packets | undefined {
  const values = valuesOf(field, value)
  return values && { [field]: values }
}

function mapOf({ key = null, data = null }: JsonObject, around: Surroundings): readonly Step[] {
  const entries = elementsOf(data, around)?.map((entry) => entryOf(key, entry))
  if (entries === undefined || entries.includes(undefined)) return [{ kind: 'opaque' }]
  const all = entries.flatMap((entry) => entry ?? [])
  return [...all.flatMap(({ needs }) => needs).slice(0, 1), { kind: 'map', entries: all }]
}

interface MapEntry {
  readonly needs: readonly Condition[]
  readonly on: Condition
  readonly verdict: Verdict
}

function entryOf(key: Json, entry: Json): MapEntry | undefined {
  const [element = null, then = null] = isList(entry) ? entry : []
  const verdict = isObject(then) ? verdictOf(then) : undefined
  const conditions = keyedCondition(key, [element], false)
  const on = conditions?.at(-1)
  return verdict && on && { needs: conditions?.slice(0, -1) ?? [], on, verdict }
}
