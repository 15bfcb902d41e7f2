import { wordsOf } from '../../../settings/blanks.ts'
import type { AddressFamily } from './packets.ts'
import { addressNumber, network } from './addresses.ts'
import { type Json, namedValue } from './nft-values.ts'
import { NAME, NotUnderstood, type Words } from './nft-words.ts'

type Kind = 'name' | 'loopback' | 'protocol' | 'family' | 'state' | 'port' | AddressFamily | 'message' | 'message6'

interface Selector {
  readonly left: Json
  readonly kind: Kind
  /** The protocols of both layers that a packet must have. */
  readonly network?: AddressFamily
  readonly transport?: string
}

const meta = (key: string, kind: Kind): Selector => ({ left: { meta: { key } }, kind })
const payload = (protocol: string, field: string, told: Omit<Selector, 'left'>): Selector => ({
  left: { payload: { protocol, field } },
  ...told,
})

const METAS: Readonly<Record<string, Selector>> = {
  iif: meta('iif', 'loopback'),
  oif: meta('oif', 'loopback'),
  iifname: meta('iifname', 'name'),
  oifname: meta('oifname', 'name'),
}

const PORTS: Readonly<Record<string, Selector>> = Object.fromEntries(
  ['tcp', 'udp', 'sctp', 'dccp', 'udplite'].flatMap((protocol) =>
    ['dport', 'sport'].map((field) => [
      `${protocol} ${field}`,
      payload(protocol, field, { kind: 'port', transport: protocol }),
    ]),
  ),
)

/** Selectors by their words. @see nft(8), EXPRESSIONS */
const SELECTORS: Readonly<Record<string, Selector>> = {
  ...METAS,
  ...Object.fromEntries(Object.entries(METAS).map(([name, each]) => [`meta ${name}`, each])),
  'meta l4proto': meta('l4proto', 'protocol'),
  'meta nfproto': meta('nfproto', 'family'),
  'ct state': { left: { ct: { key: 'state' } }, kind: 'state' },
  'ip saddr': payload('ip', 'saddr', { kind: 'ip', network: 'ip' }),
  'ip daddr': payload('ip', 'daddr', { kind: 'ip', network: 'ip' }),
  'ip protocol': payload('ip', 'protocol', { kind: 'protocol', network: 'ip' }),
  'ip6 saddr': payload('ip6', 'saddr', { kind: 'ip6', network: 'ip6' }),
  'ip6 daddr': payload('ip6', 'daddr', { kind: 'ip6', network: 'ip6' }),
  'ip6 nexthdr': payload('ip6', 'nexthdr', { kind: 'protocol', network: 'ip6' }),
  'icmp type': payload('icmp', 'type', { kind: 'message', network: 'ip', transport: 'icmp' }),
  'icmpv6 type': payload('icmpv6', 'type', { kind: 'message6', network: 'ip6', transport: 'icmpv6' }),
  ...PORTS,
  'th dport': payload('th', 'dport', { kind: 'port' }),
  'th sport': payload('th', 'sport', { kind: 'port' }),
}

const MESSAGES: readonly string[] =
  wordsOf(`echo-reply destination-unreachable source-quench redirect echo-request router-advertisement router-solicitation time-exceeded
  parameter-problem timestamp-request timestamp-reply info-request info-reply address-mask-request address-mask-reply`)
const MESSAGES6: readonly string[] =
  wordsOf(`destination-unreachable packet-too-big time-exceeded parameter-problem echo-request echo-reply mld-listener-query
  mld-listener-report mld-listener-done mld-listener-reduction nd-router-solicit nd-router-advert nd-neighbor-solicit
  nd-neighbor-advert nd-redirect router-renumbering ind-neighbor-solicit ind-neighbor-advert mld2-listener-report`)

export interface RuleContext {
  readonly family: string
  /** The number of a port by its name in /etc/services. */
  readonly portOf: (name: string) => number | undefined
}

/** The rule as `nft -j` prints it. @throws NotUnderstood */
export function ruleExpressions(words: Words, context: RuleContext): readonly Json[] {
  const expressions: Json[] = []
  const networks = new Set<string>(context.family === 'inet' ? [] : [context.family])
  const transports = new Set<string>()
  let isOver = false
  while (!words.isAtEnd) {
    if (words.takeIf('comment')) {
      if (words.next().isQuoted !== true || !words.isAtEnd) throw new NotUnderstood()
      break
    }
    if (isOver) throw new NotUnderstood()
    const selector = selectorAt(words)
    if (selector === undefined) {
      const statement = statementAt(words, transports)
      expressions.push(statement)
      isOver = isVerdict(statement)
      continue
    }
    const { network: needed, transport } = selector
    if (needed !== undefined) networks.add(needed)
    if (transport !== undefined) transports.add(transport)
    const matched = matchOf(selector, words, context)
    expressions.push(matched)
    const value = singleOf(matched)
    if (selector.kind === 'family') networks.add(value === 'ipv4' ? 'ip' : value === 'ipv6' ? 'ip6' : '?')
    if (selector.kind === 'protocol') transports.add(typeof value === 'string' ? (ALIASES[value] ?? value) : '?')
    if (networks.size > 1 || transports.size > 1) throw new NotUnderstood()
  }
  if (expressions.length === 0) throw new NotUnderstood()
  return expressions
}

const ALIASES: Readonly<Record<string, string>> = { 'ipv6-icmp': 'icmpv6' }

function singleOf(matched: Json): Json {
  const { match } = matched as { readonly match?: { readonly op: string; readonly right: Json } }
  return match?.op === '==' ? match.right : null
}

function isVerdict(statement: Json): boolean {
  return !['counter', 'log', 'limit'].includes(Object.keys(statement ?? {})[0] ?? '')
}

function selectorAt(words: Words): Selector | undefined {
  for (const length of [2, 1]) {
    const names = Array.from({ length }, (_, index) => words.peek(index))
    const key = names.join(' ')
    if (names.includes(undefined) || !Object.hasOwn(SELECTORS, key)) continue
    words.takeIf(...names.map(String))
    return SELECTORS[key]
  }
  return undefined
}

function matchOf({ left, kind }: Selector, words: Words, context: RuleContext): Json {
  if (words.takeIf('vmap')) return { vmap: { key: left, data: { set: mapAt(words, kind, context) } } }
  const isNegated = words.takeIf('!=')
  if (!isNegated) words.takeIf('==')
  const op = isNegated ? '!=' : '=='
  if (words.takeIf('{')) {
    const set = setAt(words, kind, context)
    // nft takes a set of one protocol for a header.
    if (kind === 'protocol' && set.length === 1) throw new NotUnderstood()
    return { match: { op, left, right: { set } } }
  }
  const first = valueAt(words, kind, context)
  if (kind !== 'state') return { match: { op, left, right: first } }
  const states = [first]
  while (words.takeIf(',')) states.push(valueAt(words, kind, context))
  if (isNegated) throw new NotUnderstood()
  return { match: { op: 'in', left, right: states.length === 1 ? first : states } }
}

/** The elements up to the closing brace, each of a set of its own braces among them. */
function setAt(words: Words, kind: Kind, context: RuleContext): readonly Json[] {
  return listAt(words, () => (words.takeIf('{') ? setAt(words, kind, context) : [valueAt(words, kind, context)])).flat()
}

function mapAt(words: Words, kind: Kind, context: RuleContext): readonly Json[] {
  words.expect(/^\{$/)
  const keys = new Set<string>()
  return listAt(words, () => {
    const key = valueAt(words, kind, context)
    if (keys.has(JSON.stringify(key))) throw new NotUnderstood()
    keys.add(JSON.stringify(key))
    words.expect(/^:$/)
    return [key, verdictAt(words)]
  })
}

/** One line may end before an element and before the brace, and a comma may be the last. */
function listAt<Element>(words: Words, read: () => Element): readonly Element[] {
  const elements: Element[] = []
  do {
    words.takeIf('\n')
    if (elements.length > 0 && words.takeIf('}')) return elements
    elements.push(read())
  } while (words.takeIf(','))
  words.takeIf('\n')
  words.expect(/^\}$/)
  return elements
}

function valueAt(words: Words, kind: Kind, { portOf }: RuleContext): Json {
  const { text, isQuoted } = words.next()
  const isName = /^[A-Za-z][\w.-]{0,14}\*?$/.test(text) && (isQuoted === true || NAME.test(text.replace('*', '')))
  if (kind === 'name' && isName) return text
  if (kind === 'loopback' && text === 'lo') return text
  if (isQuoted === true) throw new NotUnderstood()
  if (kind === 'port') return portAt(text, portOf)
  if (kind === 'ip' || kind === 'ip6') return addressAt(text, kind)
  const isKnown: Readonly<Partial<Record<Kind, boolean>>> = {
    protocol: /^[a-z][a-z0-9-]*$/.test(text) && namedValue('protocol', text) !== undefined,
    family: /^ipv[46]$/.test(text),
    state: /^(?:new|established|related|invalid|untracked)$/.test(text),
    message: MESSAGES.includes(text),
    message6: MESSAGES6.includes(text),
  }
  if (isKnown[kind] === true) return text
  throw new NotUnderstood()
}

function portAt(text: string, portOf: RuleContext['portOf']): Json {
  const range = /^(\d+)-(\d+)$/.exec(text)
  const ports = (range === null ? [text] : range.slice(1)).map((each) =>
    /^\d+$/.test(each) ? Number(each) : portOf(each),
  )
  const [first, last = first] = ports
  if (first === undefined || last === undefined || last > 65_535 || first > last) throw new NotUnderstood()
  if (range !== null && first === last) throw new NotUnderstood()
  return range === null ? first : { range: [first, last] }
}

function addressAt(text: string, family: AddressFamily): Json {
  const [, addr = '', length] = /^([^/-]+)(?:\/(\d+))?$/.exec(text) ?? []
  const ends = text.split('-')
  if (ends.length === 2 && ends.every((end) => addressNumber(end)?.family === family)) {
    const [from = 0n, to = 0n] = ends.map((end) => addressNumber(end)?.value)
    if (from < to) return { range: ends }
  }
  if (length === undefined && addressNumber(addr)?.family === family) return addr
  const len = Number(length)
  if (length !== undefined && network(addr, len)?.family === family) return { prefix: { addr, len } }
  throw new NotUnderstood()
}

function verdictAt(words: Words): Json {
  const name = words.expect(/^(?:accept|drop|return|continue|jump|goto)$/)
  return name === 'jump' || name === 'goto' ? { [name]: { target: words.expect(NAME) } } : { [name]: null }
}

function statementAt(words: Words, transports: ReadonlySet<string>): Json {
  if (words.takeIf('counter')) {
    if (words.takeIf('packets')) {
      words.expect(/^\d+$/)
      words.expect(/^bytes$/)
      words.expect(/^\d+$/)
    }
    return { counter: null }
  }
  if (words.takeIf('log')) return logAt(words)
  if (words.takeIf('limit', 'rate')) {
    words.takeIf('over')
    words.expect(/^[1-9]\d*\/(?:second|minute|hour|day)$/)
    if (words.takeIf('burst')) {
      words.expect(/^[1-9]\d*$/)
      words.expect(/^packets$/)
    }
    return { limit: null }
  }
  if (!words.takeIf('reject')) return verdictAt(words)
  return rejectAt(words, transports)
}

function logAt(words: Words): Json {
  if (words.takeIf('prefix') && !/^[^"$]{1,120}$/.test(words.next().text)) throw new NotUnderstood()
  if (words.takeIf('level')) words.expect(/^(?:emerg|alert|crit|err|warn|notice|info|debug)$/)
  if (words.takeIf('flags')) words.expect(/^all$/)
  return { log: null }
}

const REASONS: Readonly<Record<string, RegExp>> = {
  icmp: /^(?:net|host|prot|port)-unreachable$|^(?:net|host|admin)-prohibited$/,
  icmpv6: /^(?:no-route|admin-prohibited|addr-unreachable|port-unreachable)$/,
  icmpx: /^(?:port-unreachable|admin-prohibited|no-route|host-unreachable)$/,
}

function rejectAt(words: Words, transports: ReadonlySet<string>): Json {
  if (!words.takeIf('with')) return { reject: null }
  if (words.takeIf('tcp', 'reset')) {
    if (!transports.has('tcp')) throw new NotUnderstood()
    return { reject: { type: 'tcp reset' } }
  }
  const type = words.expect(/^icmp(?:v6|x)?$/)
  words.takeIf('type')
  return { reject: { type, expr: words.expect(REASONS[type] ?? /^$/) } }
}
