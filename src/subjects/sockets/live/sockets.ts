import { known, type Reading, unknown, readLists } from '../../../model/observation.ts'
import { asIpv4, formatIp, parseIp } from '../../../model/ip-address.ts'
import type { SystemProbe } from '../../../host/probe.ts'
import type { Processes } from '../../processes/processes.ts'
import type { ListeningSocket, SocketProtocol, Sockets } from '../sockets.ts'
import { openSocketOwners, type SocketUnitReader } from './owners.ts'
import { parseTable, type TableSocket } from './table.ts'

/** `ENDPT SOCK STY SST HBKT LPORT UID INODE LADDRS`; the last column has one or more addresses. */
const HEADING = /^\s*ENDPT\s+SOCK\s+STY\s+SST\s+HBKT\s+LPORT\s+UID\s+INODE\s+LADDRS\s*$/

const LINE = /^\s*\S+\s+\S+\s+\d+\s+(\d+)\s+\d+\s+(\d+)\s+(\d+)\s+(\d+)\s+(\S.*)$/

/** The state of a listening endpoint. @see SCTP_SS_LISTENING in net/sctp/constants.h */
const LISTENING = '10'

export interface SocketsReader {
  readonly probe: SystemProbe
  readonly processes: Processes
  /** Reads the sockets that the service manager holds for units. */
  readonly units: SocketUnitReader
  /** Replaces /proc in tests. */
  readonly proc?: string
}

/** Opens the sockets of the machine, from /proc. */
export function openSockets(reader: SocketsReader): Sockets & { readonly forget: () => void } {
  const { proc = '/proc' } = reader
  const open = () => ({ owners: openSocketOwners({ ...reader, proc }), tables: new Map<SocketProtocol, Listening>() })
  let kept = open()
  const ofProtocol = (protocol: SocketProtocol): Listening => {
    const found = kept.tables.get(protocol) ?? readListening(reader.probe, proc, protocol)
    kept.tables.set(protocol, found)
    return found
  }
  return {
    listening: (protocols) => readLists(protocols, ofProtocol),
    owner: (socket) => kept.owners.of(socket),
    forget() {
      kept = open()
    },
  }
}

type Listening = Reading<readonly ListeningSocket[]>

/** The kernel may have no tables for these protocols until a socket is created. */
const OPTIONAL: readonly SocketProtocol[] = ['udplite', 'sctp']

function readListening(probe: SystemProbe, proc: string, protocol: SocketProtocol): Listening {
  const sockets: (TableSocket & { readonly family: 4 | 6 })[] = []
  for (const { path, family, parse } of tablesOf(protocol)) {
    const text = probe.readText(`${proc}/net/${path}`)
    if (text.kind === 'unknown') return text
    if (text.value === null) {
      // A kernel without IPv6 has no IPv6 tables; the IPv4 tables always exist.
      const proof = family === 6 ? known('') : OPTIONAL.includes(protocol) ? probe.readText(`${proc}/net/tcp`) : text
      if (proof.kind === 'unknown') return proof
      if (proof.value !== null) continue
      return unknown('not-observable', `${proc}/net/${path} does not exist, so the listening sockets are unknown`)
    }
    const table = parse(text.value)
    if (table === undefined) return unknown('invalid', `${proc}/net/${path}: a line has an unexpected format`)
    sockets.push(...table)
  }
  const ofAllIpv4 = new Set(sockets.filter(({ address }) => address === '0.0.0.0').map(({ port }) => port))
  return known(
    sockets
      .map((socket): ListeningSocket => {
        const { family, address, port, uid, inode } = socket
        // A raw socket receives packets of only one IP version.
        const isOfOneVersion = protocol === 'raw' || ofAllIpv4.has(port)
        return { protocol, family, address, port, takesIpv4: takesIpv4(family, address, isOfOneVersion), uid, inode }
      })
      .toSorted(inOrder),
  )
}

interface Table {
  readonly path: string
  readonly family: 4 | 6
  readonly parse: (text: string) => readonly (TableSocket & { readonly family: 4 | 6 })[] | undefined
}

function tablesOf(protocol: SocketProtocol): readonly Table[] {
  if (protocol === 'sctp') return [{ path: 'sctp/eps', family: 4, parse: parseEndpoints }]
  return ([4, 6] as const).map((family) => ({
    path: `${protocol}${family === 6 ? '6' : ''}`,
    family,
    parse: (text) => parseTable(text, protocol)?.map((socket) => ({ ...socket, family })),
  }))
}

function takesIpv4(family: 4 | 6, address: string, isOfOneVersion: boolean): ListeningSocket['takesIpv4'] {
  if (family === 4) return 'yes'
  const bytes = parseIp(address)
  if (bytes !== undefined && asIpv4(bytes) !== undefined) return 'yes'
  if (address !== '::') return 'no'
  return isOfOneVersion ? 'no' : 'unknown'
}

function inOrder(left: ListeningSocket, right: ListeningSocket): number {
  if (left.port !== right.port) return left.port - right.port
  if (left.family !== right.family) return left.family - right.family
  if (left.address !== right.address) return left.address < right.address ? -1 : 1
  return left.inode - right.inode
}

/**
 * Parses /proc/net/sctp/eps. Each endpoint has a decimal port and all its addresses, IPv6 unabridged; the result has one
 * entry for each address. Undefined if a line is malformed. @see net/sctp/proc.c
 */
export function parseEndpoints(text: string): readonly (TableSocket & { readonly family: 4 | 6 })[] | undefined {
  const [heading = '', ...lines] = text.trimEnd().split('\n')
  if (!HEADING.test(heading)) return undefined
  const sockets: (TableSocket & { readonly family: 4 | 6 })[] = []
  for (const line of lines) {
    const [, state, port, uid, inode, addresses] = LINE.exec(line) ?? []
    if (addresses === undefined) return undefined
    for (const written of addresses.trim().split(/\s+/)) {
      const bytes = parseIp(written)
      if (bytes === undefined) return undefined
      if (state !== LISTENING) continue
      const family = bytes.length === 4 ? 4 : 6
      sockets.push({ address: formatIp(bytes), family, port: Number(port), uid: Number(uid), inode: Number(inode) })
    }
  }
  return sockets
}
