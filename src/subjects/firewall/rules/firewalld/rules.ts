import { trimBlanksOfC, withBlanksOfC } from '../../../../settings/blanks.ts'
import type { AddressFamily } from '../packets.ts'
import { addressWords, type Contents, contentsOf, type Reader } from './contents.ts'
import { parseElements, type XmlElement } from './elements.ts'

/** Files that firewalld reads at start. The administrator's file replaces that of the package with the same name. */
export interface FirewalldFiles {
  readonly settings: string
  /** By name without `.xml`, sorted. */
  readonly zones: ReadonlyMap<string, string>
  readonly policies: ReadonlyMap<string, string>
  readonly textOf: Reader['textOf']
}

export const FIREWALLD_TABLE = 'firewalld'
/** Prefix of the chain with the input rules of a zone. */
export const ZONE_CHAIN = 'zone_'

/** Placeholder for rules that are not modelled: the result is unknown from here on. */
const NOBODY_KNOWS = '-j NFQUEUE'

/**
 * The firewalld rules of zones and policies as input for `iptables-restore`, or the parts that are not understood. ICMP
 * messages are omitted. @see firewalld.zones(5), firewalld.policies(5)
 */
export function firewalldRules(
  { settings, zones, policies, textOf }: FirewalldFiles,
  family: AddressFamily,
): { readonly text: string } | { readonly problem: string } {
  const problems: string[] = []
  const reader: Reader = { family, textOf, problems }
  const setting = (name: string): string | undefined => firewalldSetting(settings, name)?.toLowerCase()
  if ((setting('FirewallBackend') ?? 'nftables') !== 'nftables') problems.push('FirewallBackend is not nftables')
  if (setting('AllowZoneDrifting') === 'yes')
    problems.push('AllowZoneDrifting is enabled: packets that one zone does not match pass to another')
  const all = [...zones].flatMap(([name, text]) => zoneOf(name, text, reader))
  const usual = all.find(({ name }) => name === (firewalldSetting(settings, 'DefaultZone') ?? 'public'))
  if (usual === undefined) problems.push('the zone of DefaultZone does not exist')
  problems.push(...overlappingZones(all))
  const own = [...policies].flatMap(([name, text]) => policyOf(name, text, reader))
  const [found] = problems
  if (found !== undefined || usual === undefined) return { problem: found ?? '' }
  return { text: tablesOf(all, usual, { policies: own, spoofed: spoofedFilter(family, setting('IPv6_rpfilter')) }) }
}

/** A setting of firewalld.conf; the first occurrence applies. */
export function firewalldSetting(settings: string, name: string): string | undefined {
  for (const line of settings.split('\n')) {
    const [key = '', value = '', ...others] = line.split('=').map((each) => trimBlanksOfC(each))
    if (key === name && value !== '' && others.length === 0) return value
  }
  return undefined
}

/** Packets with a spoofed loopback address fail reverse path filtering. Other dropped packets are not modelled. */
function spoofedFilter(family: AddressFamily, setting = 'yes'): readonly string[] {
  return family === 'ip6' && /^(?:yes|true|strict)$/.test(setting) ? ['! -i lo -s ::1/128 -j DROP'] : []
}

interface Zone {
  readonly name: string
  readonly target: string
  readonly interfaces: readonly string[]
  readonly sources: readonly string[]
  readonly contents: Contents
  /** Traffic that it allows between its own interfaces and sources. */
  readonly passing: readonly string[]
}

const TARGETS: Readonly<Record<string, string>> = {
  default: 'REJECT',
  '%%REJECT%%': 'REJECT',
  REJECT: 'REJECT',
  DROP: 'DROP',
  ACCEPT: 'ACCEPT',
}

function zoneOf(name: string, text: string, reader: Reader): readonly Zone[] {
  const { problems } = reader
  const found = problems.length
  const zone = parseElements(text)
  const { target: written, priority, 'ingress-priority': ingress, 'egress-priority': egress } = zone?.attributes ?? {}
  const target = TARGETS[written === undefined || written === '' ? 'default' : written]
  if (zone?.name !== 'zone' || target === undefined || !/^[\w.-]+$/.test(name)) {
    problems.push('not a valid firewalld file')
  }
  if ([priority, ingress, egress].some((each) => each !== undefined && each !== '0'))
    problems.push('zone priorities are not supported')
  const interfaces = attributesOf(zone, 'interface').map((each) => each['name'] ?? '')
  if (interfaces.some((each) => !withBlanksOfC(/^[^\s"'!*/]{1,16}$/).test(each)))
    problems.push('invalid interface name')
  const sources = attributesOf(zone, 'source').flatMap((each) => addressWords(each, 's', reader))
  const contents = contentsOf(zone ?? NOTHING, reader)
  const ends = [...interfaces.map((each) => `-o ${each}`), ...sources.map((each) => each.replace(/^-s /, '-d '))]
  const isMasked = attributesOf(zone, 'masquerade').length > 0
  const passing = [
    ...(isMasked ? [NOBODY_KNOWS] : []),
    ...(attributesOf(zone, 'forward').length > 0 ? ends.map((end) => `${end} -j ACCEPT`) : []),
  ]
  for (let at = found; at < problems.length; at += 1) problems[at] = `zone ${name}: ${problems[at] ?? ''}`
  return [{ name, target: target ?? '', interfaces, sources, contents, passing }]
}

const NOTHING: XmlElement = { name: '', attributes: {}, children: [], text: '' }

function attributesOf(element: XmlElement | undefined, name: string): readonly XmlElement['attributes'][] {
  return (element?.children ?? []).flatMap((each) => (each.name === name ? [each.attributes] : []))
}

/** firewalld does not document the precedence of two zones with the same interface. */
function overlappingZones(zones: readonly Zone[]): readonly string[] {
  const all = zones.flatMap(({ name, interfaces }) => interfaces.map((each) => ({ zone: name, each })))
  return all
    .filter(({ zone, each }) =>
      all.some(
        (other) =>
          other.zone !== zone && (each.endsWith('+') ? other.each.startsWith(each.slice(0, -1)) : other.each === each),
      ),
    )
    .map(({ zone, each }) => `zone ${zone}: the interface ${each} is also assigned to another zone`)
}

interface Policy {
  readonly priority: number
  /** Direction of the packets that it filters. */
  readonly hook: 'INPUT' | 'FORWARD' | 'OUTPUT'
  readonly lines: readonly string[]
}

function policyOf(name: string, text: string, reader: Reader): readonly Policy[] {
  const { problems } = reader
  const found = problems.length
  const policy = parseElements(text)
  const { target = '', priority = '-1' } = policy?.attributes ?? {}
  const isKnown = target === 'CONTINUE' || (TARGETS[target] !== undefined && target !== 'default')
  if (policy?.name !== 'policy' || !isKnown || !/^-?\d+$/.test(priority)) problems.push('not a valid firewalld file')
  const [from, to] = ['ingress-zone', 'egress-zone'].map((end) =>
    attributesOf(policy, end).map((each) => each['name'] ?? ''),
  )
  const { before, denied, allowed, after, sent } = contentsOf(policy ?? NOTHING, reader)
  for (let at = found; at < problems.length; at += 1) problems[at] = `policy ${name}: ${problems[at] ?? ''}`
  if (from?.length === 0 || to?.length === 0) return []
  const hook = to?.includes('HOST') === true ? 'INPUT' : from?.includes('HOST') === true ? 'OUTPUT' : 'FORWARD'
  const isPlain = hook === 'INPUT' && from?.includes('ANY') === true && sent.length === 0
  const end = target === 'CONTINUE' ? [] : [`-j ${TARGETS[target] ?? ''}`]
  const lines = isPlain ? [...before, ...denied, ...allowed, ...after, ...end] : [NOBODY_KNOWS]
  return [{ priority: Number(priority), hook, lines }]
}

interface ZoneContext {
  readonly policies: readonly Policy[]
  readonly spoofed: readonly string[]
}

/** First rules of all chains. */
const FIRST = [
  '-m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT',
  '-m conntrack --ctstate DNAT -j ACCEPT',
  '-i lo -j ACCEPT',
  '-m conntrack --ctstate INVALID -j DROP',
]

function tablesOf(zones: readonly Zone[], usual: Zone, { policies, spoofed }: ZoneContext): string {
  const sorted = policies.toSorted((left, right) => left.priority - right.priority)
  const of = (hook: Policy['hook'], isFirst: boolean): readonly string[] =>
    sorted.filter((each) => each.hook === hook && each.priority < 0 === isFirst).flatMap(({ lines }) => lines)
  const chains: Readonly<Record<string, readonly string[]>> = {
    PREROUTING: spoofed,
    INPUT: [...FIRST, ...dispatchLines(zones, usual, ZONE_CHAIN)],
    FORWARD: [...FIRST, ...of('FORWARD', true), ...dispatchLines(zones, usual, 'forward_')],
    OUTPUT: [
      '-m conntrack --ctstate RELATED,ESTABLISHED -j ACCEPT',
      '-o lo -j ACCEPT',
      ...of('OUTPUT', true),
      ...of('OUTPUT', false),
    ],
    ...Object.fromEntries(
      zones.flatMap(({ name, target, contents: { before, denied, allowed, after }, passing }) => [
        [
          `${ZONE_CHAIN}${name}`,
          [...of('INPUT', true), ...before, ...denied, ...allowed, ...after, ...of('INPUT', false), `-j ${target}`],
        ],
        [`forward_${name}`, [...passing, ...of('FORWARD', false), `-j ${target}`]],
      ]),
    ),
  }
  const sending = {
    PREROUTING: dispatchLines(zones, usual, 'sent_'),
    ...Object.fromEntries(zones.map(({ name, contents }) => [`sent_${name}`, contents.sent])),
  }
  return `${table(FIREWALLD_TABLE, chains)}${table('nat', sending)}`
}

/** Selects the zone: by source in order of zone names, then by interface, then the default zone. */
function dispatchLines(zones: readonly Zone[], usual: Zone, prefix: string): readonly string[] {
  const ends = (of: (zone: Zone) => readonly string[]): readonly string[] =>
    zones.flatMap((zone) => of(zone).map((end) => `${end} -g ${prefix}${zone.name}`))
  return [
    ...ends(({ sources }) => sources),
    ...ends(({ interfaces }) => interfaces.map((each) => `-i ${each}`)),
    `-g ${prefix}${usual.name}`,
  ]
}

function table(name: string, chains: Readonly<Record<string, readonly string[]>>): string {
  const all = Object.entries(chains)
  const declared = all.map(([chain]) => `:${chain} ${/^[A-Z]+$/.test(chain) ? 'ACCEPT' : '-'}\n`)
  const rules = all.flatMap(([chain, lines]) => lines.map((line) => `-A ${chain} ${trimBlanksOfC(line)}\n`))
  return `*${name}\n${declared.join('')}${rules.join('')}COMMIT\n`
}
