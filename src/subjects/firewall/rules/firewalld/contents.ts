import { trimBlanksOfC } from '../../../../settings/blanks.ts'
import { addressNumber } from '../addresses.ts'
import type { AddressFamily } from '../packets.ts'
import { parseElements, type XmlElement } from './elements.ts'

/** Kinds of firewalld files that other files refer to. */
export type NamedFile = 'services' | 'ipsets'

/** Context for reading zones and policies, for one address family. */
export interface Reader {
  readonly family: AddressFamily
  /** Text of a file by its name; the administrator's file overrides that of the package. */
  readonly textOf: (kind: NamedFile, name: string) => string | null
  /** Elements that are not understood. */
  readonly problems: string[]
}

/** Rules of a zone or policy in iptables syntax, in firewalld's order of evaluation. */
export interface Contents {
  readonly before: readonly string[]
  readonly denied: readonly string[]
  readonly allowed: readonly string[]
  readonly after: readonly string[]
  /** Destinations of forwarded ports. */
  readonly sent: readonly string[]
}

/** Elements without an effect on whether connections are accepted, such as source NAT and ICMP messages. */
const WITHOUT_RULES: ReadonlySet<string> = new Set([
  'short',
  'description',
  'masquerade',
  'icmp-block',
  'icmp-block-inversion',
  'forward',
  'interface',
  'source',
  'ingress-zone',
  'egress-zone',
])

/** Rules of a zone or policy. An unknown element is a problem. @see firewalld.zone(5) */
export function contentsOf(container: XmlElement, reader: Reader): Contents {
  const ruled = container.children.flatMap((each): readonly Ruled[] => {
    if (WITHOUT_RULES.has(each.name)) return []
    if (each.name === 'rule') return richRule(each, reader)
    if (each.name === 'forward-port')
      return sentOn(each, [''], reader).map((line) => ({ place: 'sent', priority: 0, line }))
    return matchesOf(each, reader).map((match) => ({ place: 'allowed', priority: 0, line: `${match} -j ACCEPT` }))
  })
  const at = (place: Ruled['place']): readonly string[] =>
    ruled
      .filter((each) => each.place === place)
      .toSorted((left, right) => left.priority - right.priority)
      .map(({ line }) => line)
  return { before: at('before'), denied: at('denied'), allowed: at('allowed'), after: at('after'), sent: at('sent') }
}

interface Ruled {
  readonly place: keyof Contents
  readonly priority: number
  readonly line: string
}

const ELEMENTS: ReadonlySet<string> = new Set(['service', 'port', 'protocol', 'source-port', 'forward-port'])
/** Elements without an effect on whether connections are accepted. */
const SILENT: ReadonlySet<string> = new Set(['icmp-type', 'icmp-block', 'masquerade', 'tcp-mss-clamp', 'mark'])
const LOGS: ReadonlySet<string> = new Set(['log', 'nflog', 'audit'])
const ACTIONS: Readonly<Record<string, string>> = { accept: 'ACCEPT', reject: 'REJECT', drop: 'DROP' }

/** @see firewalld.richlanguage(5) */
function richRule({ attributes, children }: XmlElement, reader: Reader): readonly Ruled[] {
  const { family, priority: written = '0' } = attributes
  const [source, destination, element, action] = [
    children.find(({ name }) => name === 'source'),
    children.find(({ name }) => name === 'destination'),
    children.find(({ name }) => ELEMENTS.has(name)),
    children.find(({ name }) => ACTIONS[name] !== undefined),
  ]
  const parts = [source, destination, element, action]
  const isOther = children.some((each) => !LOGS.has(each.name) && !SILENT.has(each.name) && !parts.includes(each))
  const isAnyFamily = family === undefined
  const needsFamily = source?.attributes['address'] !== undefined || destination !== undefined
  // Depending on its version, firewalld ignores such rules or does not start.
  if (isOther || (isAnyFamily && needsFamily) || !/^-?\d+$/.test(written)) {
    return problem(reader, 'unsupported rich rule')
  }
  if (children.some(({ name }) => SILENT.has(name))) return []
  if (!isAnyFamily && family !== (reader.family === 'ip' ? 'ipv4' : 'ipv6')) return []
  const ends = [
    source === undefined ? [''] : addressWords(source.attributes, 's', reader),
    destination === undefined ? [''] : addressWords(destination.attributes, 'd', reader),
  ].reduce((all, words) => all.flatMap((start) => words.map((each) => `${start} ${each}`)), [''])
  if (element?.name === 'forward-port') {
    return sentOn(element, ends, reader).map((line) => ({ place: 'sent', priority: Number(written), line }))
  }
  if (action === undefined) return []
  if (element === undefined && source === undefined && destination === undefined) {
    return problem(reader, 'a rich rule has neither an element nor a source or destination')
  }
  const target = ACTIONS[action.name] ?? ''
  const limit = action.children.some(({ name }) => name === 'limit') ? ' -m limit --limit 1/s' : ''
  const matches = element === undefined ? [''] : matchesOf(element, reader)
  if (destination !== undefined && matches.some((each) => each.startsWith('-d '))) {
    return problem(reader, 'the destination of a rich rule differs from that of its service')
  }
  const priority = Number(written)
  const usual = target === 'ACCEPT' ? 'allowed' : 'denied'
  const place = priority === 0 ? usual : priority < 0 ? 'before' : 'after'
  return ends.flatMap((end) =>
    matches.map((match): Ruled => ({ place, priority, line: `${end} ${match}${limit} -j ${target}` })),
  )
}

/** iptables matches of a port, protocol or service. */
function matchesOf(element: XmlElement, reader: Reader): readonly string[] {
  const { name = '', value = '' } = element.attributes
  switch (element.name) {
    case 'port':
    case 'source-port':
      return portWords(element, reader)
    case 'protocol':
      return /^[\w.+-]+$/.test(value) ? [`-p ${value}`] : problem(reader, `unknown protocol "${value}"`)
    case 'service':
      return serviceWords(name, reader, new Set())
    default:
      return problem(reader, `unsupported element "${element.name}"`)
  }
}

function portWords({ name, attributes }: XmlElement, reader: Reader): readonly string[] {
  const { port = '', protocol = '' } = attributes
  const ports = rangeOf(port)
  if (!/^(?:tcp|udp|sctp|dccp)$/.test(protocol) || ports === undefined) {
    return problem(reader, `invalid port "${port}/${protocol}"`)
  }
  return [`-p ${protocol} -m ${protocol} --${name === 'port' ? 'd' : 's'}port ${ports}`]
}

function rangeOf(port: string): string | undefined {
  const [, first, last] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(port) ?? []
  return first === undefined ? undefined : last === undefined ? first : `${first}:${last}`
}

/** Includes the services that the service refers to. @see firewalld.service(5) */
function serviceWords(name: string, reader: Reader, seen: Set<string>): readonly string[] {
  if (seen.has(name)) return []
  seen.add(name)
  const service = fileOf('services', name, reader)
  if (service === undefined) return []
  const destination = service.children.find((each) => each.name === 'destination')?.attributes
  const to = destination?.[reader.family === 'ip' ? 'ipv4' : 'ipv6']
  const own = destination !== undefined && to === undefined ? [] : [to]
  return service.children.flatMap((each): readonly string[] => {
    switch (each.name) {
      case 'short':
      case 'description':
      case 'module':
      case 'helper':
      case 'destination':
        return []
      case 'include':
        return serviceWords(each.attributes['service'] ?? '', reader, seen)
      // Older notation of a protocol.
      case 'port':
        if (each.attributes['port'] === '')
          return own.flatMap((end) => withDestination(`-p ${each.attributes['protocol'] ?? ''}`, end, reader))
        break
      case 'service':
        return problem(reader, `invalid service "${name}"`)
    }
    return matchesOf(each, reader).flatMap((match) => own.flatMap((end) => withDestination(match, end, reader)))
  })
}

function withDestination(match: string, address: string | undefined, reader: Reader): readonly string[] {
  if (address === undefined) return [match]
  return addressWords({ address }, 'd', reader).map((end) => `${end} ${match}`)
}

/** iptables matches of a source or destination; several are alternatives; empty for the other address family. */
export function addressWords(
  { address, mac, ipset, invert = 'no' }: Readonly<Record<string, string>>,
  end: 's' | 'd',
  reader: Reader,
): readonly string[] {
  const not = /^(?:yes|true)$/i.test(invert) ? '! ' : ''
  if (ipset !== undefined) return setWords(ipset, { not, end }, reader)
  const hardware = mac ?? address ?? ''
  if (/^(?:[\da-f]{2}:){5}[\da-f]{2}$/i.test(hardware)) return [`-m mac ${not}--mac-source ${hardware}`]
  const [first = '', mask = '0'] = (address ?? '').split('/')
  const found = addressNumber(first)
  if (found === undefined || !/^[\d.]+$/.test(mask)) return problem(reader, `invalid address "${address ?? ''}"`)
  return found.family === reader.family ? [`${not}-${end} ${address ?? ''}`] : []
}

/** Larger sets are not evaluated entry by entry. */
const MOST_ENTRIES = 100

/** The addresses of a set. Members of other types are unknown. */
function setWords(
  name: string,
  { not, end }: { readonly not: string; readonly end: 's' | 'd' },
  reader: Reader,
): readonly string[] {
  const set = fileOf('ipsets', name, reader)
  if (set === undefined) return []
  const entries = set.children.filter((each) => each.name === 'entry').map(({ text }) => trimBlanksOfC(text))
  const isOfAddresses = /^hash:(?:ip|net)$/.test(set.attributes['type'] ?? '')
  // A program may add entries to a set with a timeout.
  const isFixed = !set.children.some(({ attributes }) => attributes['name'] === 'timeout')
  if (
    not === '' &&
    isOfAddresses &&
    isFixed &&
    entries.length <= MOST_ENTRIES &&
    !entries.some((each) => each.includes('-'))
  ) {
    return entries.flatMap((address) => addressWords({ address }, end, reader))
  }
  return [`-m set ${not}--match-set ${name} ${end === 's' ? 'src' : 'dst'}`]
}

/** Forwarded ports: without an address only for IPv4, unless a rule states another family. */
function sentOn({ attributes }: XmlElement, ends: readonly string[], reader: Reader): readonly string[] {
  const { 'to-port': toPort = '', 'to-addr': address = '' } = attributes
  const [match] = portWords({ name: 'port', attributes, children: [], text: '' }, reader)
  const port = toPort === '' ? '' : rangeOf(toPort)?.replace(':', '-')
  const to = address === '' ? undefined : addressNumber(address)
  if (port === undefined || (address === '' ? port === '' : to === undefined)) {
    return problem(reader, 'invalid forward port')
  }
  const isOther = to === undefined ? reader.family === 'ip6' && ends[0] === '' : to.family !== reader.family
  if (match === undefined || isOther) return []
  const where = to?.family === 'ip6' ? `[${address}]` : address
  const target =
    to === undefined ? `REDIRECT --to-ports ${port}` : `DNAT --to-destination ${where}${port && `:${port}`}`
  return ends.map((end) => `${end} ${match} -j ${target}`)
}

function fileOf(kind: NamedFile, name: string, reader: Reader): XmlElement | undefined {
  const text = /^[\w.+-]+$/.test(name) ? reader.textOf(kind, name) : null
  const file = text === null ? undefined : parseElements(text)
  if (file === undefined) problem(reader, `${kind}/${name}.xml does not exist or is not a valid firewalld file`)
  return file
}

function problem({ problems }: Reader, text: string): readonly never[] {
  problems.push(text)
  return []
}
