/** What keeps the rules of a machine, as policies name it. */
export const MANAGERS = ['nftables', 'ufw', 'firewalld', 'iptables'] as const

/** One of `MANAGERS`. */
export type Manager = (typeof MANAGERS)[number]

/** The units that load the rules of each: those of iptables have a name on Debian and others on Red Hat. */
export const MANAGER_UNITS: Readonly<Record<Manager, readonly [string, ...string[]]>> = {
  nftables: ['nftables.service'],
  ufw: ['ufw.service'],
  firewalld: ['firewalld.service'],
  iptables: ['netfilter-persistent.service', 'iptables.service', 'ip6tables.service'],
}

/** Whether a manager is at work now, and after the next start. */
export interface ManagerState {
  readonly name: Manager
  readonly isRunning: boolean
  readonly isEnabled: boolean
}
