import { endianness } from 'node:os'
import { type IpBytes, formatIp } from '../../../model/ip-address.ts'
import type { SocketProtocol } from '../sockets.ts'

/** A listening or unconnected socket in /proc/net/tcp and similar tables. */
export interface TableSocket {
  readonly address: string
  readonly port: number
  readonly uid: number
  readonly inode: number
}

export type TableProtocol = Exclude<SocketProtocol, 'sctp'>

/** States of receiving sockets: TCP_LISTEN, or TCP_CLOSE for the other protocols. @see net/tcp_states.h */
const STATES: Readonly<Record<TableProtocol, string>> = { tcp: '0A', udp: '07', udplite: '07', raw: '07' }

const LINE =
  /^\s*\d+: ([0-9A-F]{8}|[0-9A-F]{32}):([0-9A-F]{4}) [0-9A-F]+:[0-9A-F]{4} ([0-9A-F]{2}) \S+ \S+ \S+ +(\d+) +\d+ (\d+)/

/** Parses a table; undefined if any line is malformed, because that line may matter. */
export function parseTable(text: string, protocol: TableProtocol): readonly TableSocket[] | undefined {
  const [heading, ...lines] = text.trimEnd().split('\n')
  if (heading?.includes('local_address') !== true) return undefined
  const sockets: TableSocket[] = []
  for (const line of lines) {
    const [, address = '', port = '', state, uid, inode] = LINE.exec(line) ?? []
    if (state === undefined) return undefined
    if (state !== STATES[protocol]) continue
    sockets.push({
      address: formatIp(bytesOf(address)),
      port: Number.parseInt(port, 16),
      uid: Number(uid),
      inode: Number(inode),
    })
  }
  return sockets
}

const WORD_BYTES = 4

/** The kernel prints every four bytes as a number in host byte order. */
function bytesOf(hex: string): IpBytes {
  const bytes = Buffer.from(hex, 'hex')
  return endianness() === 'LE' && bytes.length % WORD_BYTES === 0 ? bytes.swap32() : bytes
}
