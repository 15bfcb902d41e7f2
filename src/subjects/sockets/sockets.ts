import type { Reading } from '../../model/observation.ts'
import type { Process } from '../processes/processes.ts'

/** The transport protocols whose sockets are looked at. */
export const SOCKET_PROTOCOLS = ['tcp', 'udp', 'udplite', 'sctp', 'raw'] as const

/** One of `SOCKET_PROTOCOLS`. */
export type SocketProtocol = (typeof SOCKET_PROTOCOLS)[number]

/**
 * A socket that takes what others send: one of TCP or SCTP that listens, or one of UDP, UDP-Lite or a raw one that is not
 * connected to a single peer. A raw one takes all packets of a protocol of IP, whose number stands in place of the port.
 */
export interface ListeningSocket {
  readonly protocol: SocketProtocol
  /** The version of IP that it was made for, which is the table it stands in. */
  readonly family: 4 | 6
  /** As RFC 5952 writes it. `0.0.0.0` and `::` are all addresses; `::ffff:127.0.0.1` takes IPv4 alone. */
  readonly address: string
  readonly port: number
  /**
   * Whether it takes IPv4. The kernel does not show whether a socket at `::` does; not where another one at `0.0.0.0` has the
   * same port.
   */
  readonly takesIpv4: 'yes' | 'no' | 'unknown'
  /** Who made it. */
  readonly uid: number
  /** Its number, unique among all sockets. */
  readonly inode: number
}

/** Who has a socket open. */
export interface SocketOwner {
  /** Without the service manager where it keeps the socket for a unit; empty where the kernel itself does. */
  readonly processes: readonly Process[]
  /** Units of the processes, and the socket unit for which the service manager keeps it. */
  readonly units: Reading<readonly string[]>
}

/** The sockets of the network namespace that driftgate runs in, read-only. */
export interface Sockets {
  /** All of these protocols that take what others send, by port, family and address. Read once, and again after `forget`. */
  listening(protocols: readonly SocketProtocol[]): Reading<readonly ListeningSocket[]>
  /** Who has one of them open; unknown where a process may whose open files cannot be seen. */
  owner(socket: ListeningSocket): Promise<Reading<SocketOwner>>
}
