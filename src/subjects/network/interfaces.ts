import type { Reading } from '../../model/observation.ts'

/** A network interface. */
export interface NetworkInterface {
  readonly name: string
  /** Whether the interface is administratively up, with or without carrier. */
  readonly isUp: boolean
  readonly mtu: number
  readonly kind: 'loopback' | 'wireless' | 'bridge' | 'other'
  /** Each with the length of its prefix, `10.0.0.5/24`, those of IPv4 first. */
  readonly addresses: Reading<readonly string[]>
  /** The kernel module of its driver, where it has one. */
  readonly driver?: string
}

/** The network interfaces of a target, read-only. */
export interface NetworkInterfaces {
  /** All of the network namespace that driftgate runs in, by their names. Read once, and again after `forget`. */
  list(): Promise<Reading<readonly NetworkInterface[]>>
}
