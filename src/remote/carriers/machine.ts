import type { Carrier } from './carrier.ts'
import { meaningOf } from './meaning.ts'

/**
 * A transient service of the machine's systemd, which passes the three streams unchanged, whereas `machinectl shell`
 * allocates a terminal. `env` finds the shell in the machine, and a user id provides a home.
 */
const RUN = ['--pipe', '--wait', '--collect', '--quiet', '--uid=0']

/** A container or virtual machine registered with systemd-machined. */
export function machineCarrier(machine: string): Carrier {
  return {
    name: `machine:${machine}`,
    commandLine: (command) => [
      'systemd-run',
      `--machine=${machine}`,
      ...RUN,
      '--',
      '/usr/bin/env',
      ...command.map((word) => word.replaceAll('$', '$$$$')),
    ],
    explain: (said) => meaningOf(said, MEANINGS),
  }
}

const MEANINGS = [
  [
    /No machine '[^']*' known|No such machine|Host is down|Failed to connect to bus: (?:No such (?:file|process)|Connection refused)/,
    'no such running machine, or it has no system bus: check "machinectl list"; it needs systemd and dbus',
  ],
  [
    /Access denied|Permission denied|Interactive authentication required/,
    'this user may not start services there: scan it as root',
  ],
] as const
