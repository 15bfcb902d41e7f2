import { SOCKET_PROTOCOLS, type ListeningSocket, type SocketProtocol } from './sockets.ts'

export interface PortName {
  readonly protocol: SocketProtocol | undefined
  /** The IP version, if the name limits it. */
  readonly family: 4 | 6 | undefined
  /** Undefined for all ports. */
  readonly port: number | undefined
}

/** A range of allowed ports; a single port is a range of one. */
export interface AllowedPorts {
  readonly protocol: SocketProtocol
  readonly first: number
  readonly last: number
}

const HIGHEST = 65_535
/** The highest IP protocol number. */
const HIGHEST_PROTOCOL = 255

/**
 * Parses `22`, `tcp:22`, `tcp4:22`, `udp6:123`, `sctp:3868`, `raw:1`, `tcp:*` and `*`; undefined if invalid. The default
 * protocol is TCP.
 */
export function parsePortName(name: string): PortName | undefined {
  if (name === '*') return { protocol: undefined, family: undefined, port: undefined }
  const [, word = 'tcp', version, written = ''] = /^(?:([a-z]+)([46])?:)?(\d{1,5}|\*)$/.exec(name) ?? []
  const protocol = SOCKET_PROTOCOLS.find((each) => each === word)
  const port = written === '*' ? undefined : Number(written)
  if (protocol === undefined || written === '' || (port !== undefined && !isPort(protocol, port))) {
    return undefined
  }
  return { protocol, family: version === undefined ? undefined : version === '4' ? 4 : 6, port }
}

/** Parses `22`, `tcp:22` and `udp:32768-60999`; undefined if invalid. */
export function parseAllowed(text: string): AllowedPorts | undefined {
  const [, word = 'tcp', first = '', last = first] = /^(?:([a-z]+):)?(\d{1,5})(?:-(\d{1,5}))?$/.exec(text) ?? []
  const protocol = SOCKET_PROTOCOLS.find((each) => each === word)
  const range = { first: Number(first), last: Number(last) }
  if (protocol === undefined || range.first > range.last) return undefined
  if (!isPort(protocol, range.first) || !isPort(protocol, range.last)) return undefined
  return { protocol, ...range }
}

function isPort(protocol: SocketProtocol, port: number): boolean {
  return protocol === 'raw' ? port <= HIGHEST_PROTOCOL : port >= 1 && port <= HIGHEST
}

/** The protocols of a name. `*` excludes protocols without ports. */
export function protocolsOf({ protocol }: PortName): readonly SocketProtocol[] {
  return protocol === undefined ? SOCKET_PROTOCOLS.filter((each) => each !== 'raw') : [protocol]
}

export function isAllowed({ protocol, port }: ListeningSocket, ports: readonly string[]): boolean {
  return ports.some((text) => {
    const allowed = parseAllowed(text)
    return allowed?.protocol === protocol && allowed.first <= port && port <= allowed.last
  })
}

/** Whether a socket matches a name; unknown for a socket at `::` if the name is limited to IPv4. */
export function isMeant(socket: ListeningSocket, { protocol, family, port }: PortName): 'yes' | 'no' | 'unknown' {
  if (protocol !== undefined && protocol !== socket.protocol) return 'no'
  if (port !== undefined && port !== socket.port) return 'no'
  if (family === 4) return socket.takesIpv4
  return family === undefined || socket.family === family ? 'yes' : 'no'
}
