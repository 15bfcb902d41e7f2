import type { Reading } from '../../model/observation.ts'

export interface NetworkInterface {
  readonly name: string
  /** Whether the interface is administratively up, with or without carrier. */
  readonly isUp: boolean
  readonly mtu: number
  readonly kind: 'loopback' | 'wireless' | 'bridge' | 'other'
  /** With prefix length, `10.0.0.5/24`; IPv4 first. */
  readonly addresses: Reading<readonly string[]>
  /** Kernel module of its driver, if any. */
  readonly driver?: string
}

/** The network interfaces of a target, read-only. */
export interface NetworkInterfaces {
  /** All interfaces of driftgate's network namespace, by name. Cached until `forget`. */
  list(): Promise<Reading<readonly NetworkInterface[]>>
}
