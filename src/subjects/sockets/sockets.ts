import type { Reading } from '../../model/observation.ts'
import type { Process } from '../processes/processes.ts'

export const SOCKET_PROTOCOLS = ['tcp', 'udp', 'udplite', 'sctp', 'raw'] as const

export type SocketProtocol = (typeof SOCKET_PROTOCOLS)[number]

/**
 * A receiving socket: a listening TCP or SCTP socket, or a UDP, UDP-Lite or raw socket that is not connected to a peer. A
 * raw socket receives all packets of an IP protocol; its `port` is the protocol number.
 */
export interface ListeningSocket {
  readonly protocol: SocketProtocol
  /** IP version of the socket, from its kernel table. */
  readonly family: 4 | 6
  /** In RFC 5952 notation. `0.0.0.0` and `::` are wildcards; `::ffff:127.0.0.1` is IPv4 only. */
  readonly address: string
  readonly port: number
  /**
   * Whether it receives IPv4 packets. Unknown for `::`, because the kernel does not show it; `no` if another socket at
   * `0.0.0.0` has the same port.
   */
  readonly takesIpv4: 'yes' | 'no' | 'unknown'
  readonly uid: number
  /** Inode number, unique among all sockets. */
  readonly inode: number
}

export interface SocketOwner {
  /** Without the service manager if it holds the socket for a unit; empty for a kernel socket. */
  readonly processes: readonly Process[]
  /** Units of the processes, and the socket unit for which the service manager holds it. */
  readonly units: Reading<readonly string[]>
}

/** The sockets in driftgate's network namespace, read-only. */
export interface Sockets {
  /** Lists the receiving sockets of these protocols, by port, family and address. Cached until `forget`. */
  listening(protocols: readonly SocketProtocol[]): Reading<readonly ListeningSocket[]>
  /** Returns the owner of a socket; unknown if an unreadable process may hold it. */
  owner(socket: ListeningSocket): Promise<Reading<SocketOwner>>
}
