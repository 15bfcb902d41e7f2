import { known, type Reading, unknown } from '../../../core/observation.ts'
import { asIpv4, parseIp } from '../../ip-address.ts'
import type { SystemProbe } from '../../probe.ts'
import type { Processes } from '../../processes.ts'
import { type ListeningSocket, SOCKET_PROTOCOLS, type SocketProtocol, type Sockets } from '../../sockets.ts'
import { openSocketOwners, type SocketUnitReader } from './owners.ts'
import { parseTable, type TableSocket } from './table.ts'

/** What of the machine is needed. */
export interface SocketsReader {
  readonly probe: SystemProbe
  readonly processes: Processes
  /** For which units the service manager keeps sockets. */
  readonly units: SocketUnitReader
  /** Another directory than /proc is one of a test. */
  readonly proc?: string
}

/** The sockets of the machine, as /proc shows them. */
export function openSockets(reader: SocketsReader): Sockets & { readonly forget: () => void } {
  const { proc = '/proc' } = reader
  const open = () => ({ owners: openSocketOwners({ ...reader, proc }) })
  let kept = open()
  let listening: Reading<readonly ListeningSocket[]> | undefined
  return {
    listening: () => (listening ??= readListening(reader.probe, proc)),
    owner: (socket) => kept.owners.of(socket),
    forget() {
      kept = open()
      listening = undefined
    },
  }
}

function readListening(probe: SystemProbe, proc: string): Reading<readonly ListeningSocket[]> {
  const sockets: (TableSocket & { readonly protocol: SocketProtocol; readonly family: 4 | 6 })[] = []
  for (const protocol of SOCKET_PROTOCOLS) {
    for (const family of [4, 6] as const) {
      const path = `${proc}/net/${protocol}${family === 6 ? '6' : ''}`
      const text = probe.readText(path)
      if (text.kind === 'unknown') return text
      // A kernel without IPv6 has none of its tables; every one has those of IPv4.
      if (text.value === null && family === 6) continue
      if (text.value === null) return unknown('not-observable', `${path} is not there, so nothing shows what listens`)
      const table = parseTable(text.value, protocol)
      if (table === undefined) return unknown('invalid', `${path}: a line is not in the form that proc(5) describes`)
      sockets.push(...table.map((socket) => ({ ...socket, protocol, family })))
    }
  }
  const ofAllIpv4 = new Set(sockets.filter(({ address }) => address === '0.0.0.0').map(placeOf))
  return known(
    sockets
      .map((socket): ListeningSocket => {
        const { protocol, family, address, port, uid, inode } = socket
        const isAlsoOfIpv4 = ofAllIpv4.has(placeOf(socket))
        return { protocol, family, address, port, takesIpv4: takesIpv4(family, address, isAlsoOfIpv4), uid, inode }
      })
      .toSorted(inOrder),
  )
}

function placeOf({ protocol, port }: Pick<ListeningSocket, 'protocol' | 'port'>): string {
  return `${protocol}:${port}`
}

function takesIpv4(family: 4 | 6, address: string, isAlsoOfIpv4: boolean): ListeningSocket['takesIpv4'] {
  if (family === 4) return 'yes'
  const bytes = parseIp(address)
  if (bytes !== undefined && asIpv4(bytes) !== undefined) return 'yes'
  if (address !== '::') return 'no'
  return isAlsoOfIpv4 ? 'no' : 'unknown'
}

function inOrder(left: ListeningSocket, right: ListeningSocket): number {
  if (left.protocol !== right.protocol) return left.protocol < right.protocol ? -1 : 1
  if (left.port !== right.port) return left.port - right.port
  if (left.family !== right.family) return left.family - right.family
  if (left.address !== right.address) return left.address < right.address ? -1 : 1
  return left.inode - right.inode
}
