import { type Command, defineCommand, type OptionsOf, type OptionSpecs } from '../../command.ts'
import { AUTHOR, REASON } from './assigning.ts'
import { FLEET_OPTION } from './members.ts'

const LEAVE_OPTIONS = { ...FLEET_OPTION, ...REASON, ...AUTHOR } as const satisfies OptionSpecs

const BACKUP_OPTIONS = {
  ...FLEET_OPTION,
  'passphrase-file': {
    kind: 'value',
    group: 'Backup:',
    placeholder: 'FILE',
    holds: 'path',
    summary: 'File with the passphrase in its first line (mode 0600)',
  },
  ...AUTHOR,
} as const satisfies OptionSpecs

const ROTATE_OPTIONS = {
  ...FLEET_OPTION,
  hosts: { kind: 'flag', group: 'Keys:', summary: 'Replace the keys of all hosts' },
  leaked: { kind: 'flag', group: 'Keys:', summary: 'Reject signatures of the former keys' },
  'leave-hosts': {
    kind: 'flag',
    group: 'Keys:',
    summary: 'Do the last step without hosts that are behind',
  },
  ...AUTHOR,
} as const satisfies OptionSpecs

const MOVE_OPTIONS = { ...FLEET_OPTION, ...AUTHOR } as const satisfies OptionSpecs

export type RotateFlags = OptionsOf<typeof ROTATE_OPTIONS>

export type MoveFlags = OptionsOf<typeof MOVE_OPTIONS>

export type BackupFlags = OptionsOf<typeof BACKUP_OPTIONS>

export type LeaveFlags = OptionsOf<typeof LEAVE_OPTIONS>

const HOST = { name: 'HOST', summary: 'the host', atLeast: 1, atMost: 1 } as const

const revoke = defineCommand({
  name: 'fleet revoke',
  summary: 'Revoke the key of a host',
  details: `Results of the host are kept. The host is still expected and becomes silent until "driftgate fleet enrol" gives it
a new key. A server on this host with the configuration of the fleet closes the connection at once; for a server on
another host, copy hosts.conf there and reload it.`,
  operands: HOST,
  options: LEAVE_OPTIONS,
  examples: [
    { command: 'driftgate fleet revoke web01 --reason "its disk was stolen"', summary: 'Revoke a stolen key' },
  ],
  run: async (invocation, io) => (await import('./run-keeping.ts')).runLeave('revoked', invocation, io),
})

const retire = defineCommand({
  name: 'fleet retire',
  summary: 'Retire a host: it is no longer expected',
  details: `The roster keeps the host with date and reason. Its results are kept and its key is revoked.`,
  operands: HOST,
  options: LEAVE_OPTIONS,
  examples: [
    { command: 'driftgate fleet retire web01 --reason "replaced by web02"', summary: 'Retire a decommissioned host' },
  ],
  run: async (invocation, io) => (await import('./run-keeping.ts')).runLeave('retired', invocation, io),
})

const BACKUP_FILE = { name: 'FILE', summary: 'file of the backup', atLeast: 1, atMost: 1 } as const

const backup = defineCommand({
  name: 'fleet backup',
  summary: 'Back up keys, roster and server data to an encrypted file',
  details: `The file contains the fleet directory with all keys and a copy of every stream of the server. It is encrypted with
AES-256-GCM and a key derived from the passphrase by scrypt; it cannot be read without the passphrase.`,
  operands: BACKUP_FILE,
  options: BACKUP_OPTIONS,
  examples: [
    {
      command: 'driftgate fleet backup fleet.backup --passphrase-file passphrase',
      summary: 'Back up to another host',
    },
  ],
  run: async (invocation, io) => (await import('./run-keeping.ts')).runBackup(invocation, io),
})

const restore = defineCommand({
  name: 'fleet restore',
  summary: 'Restore a backup to a new server and operator host',
  details: `If the fleet directory does not exist, its files are written first: start nats-server with its configuration and run
the command again. The server must be empty. Hosts send runs since the backup again, and assignments are signed
again, so every host has a current result within one interval.

Exit codes
  0  the server has all data of the backup
  1  it does not: the message says what to do`,
  operands: BACKUP_FILE,
  options: BACKUP_OPTIONS,
  examples: [
    {
      command: 'driftgate fleet restore fleet.backup --passphrase-file passphrase',
      summary: 'Restore to a new server',
    },
  ],
  run: async (invocation, io) => (await import('./run-keeping.ts')).runRestore(invocation, io),
})

const move = defineCommand({
  name: 'fleet move',
  summary: 'Announce a new address of the server before it moves',
  details: `Hosts connect to either address. The server certificate and the contexts of operator and viewer are written for both
names: copy server/ and viewer/ to their hosts and reload the server. Hosts learn the address with their next report;
shut down the old server when all have reported.`,
  operands: { name: 'HOST[:PORT]', summary: 'the new address (commas separate several)', atLeast: 1, atMost: 1 },
  options: MOVE_OPTIONS,
  examples: [
    { command: 'driftgate fleet move nats2.example.com', summary: 'Announce the new address one interval in advance' },
  ],
  run: async (invocation, io) => (await import('./run-keeping.ts')).runMove(invocation, io),
})

const rotate = defineCommand({
  name: 'fleet rotate',
  summary: 'Rotate the keys of operator and viewer, or of all hosts',
  details: `Each call performs one step and prints what to do before the next one.

  1  Create new keys that hosts and server trust in addition to the former ones
  2  Sign every assignment with the new key, and connect with the new keys
  3  Revoke the former keys, once every host has reported with the new signature

The server certificate is replaced as well. With --hosts, each host creates its own new key, which never leaves it:

  1  Tell every host to create a key; it announces the key with its next report
  2  Make the server accept the announced keys in addition to the former ones
  3  Revoke the former key of each host that has reported with the new one; its earlier signatures stay valid

Hosts perform each step when they report, so no host becomes silent. A stolen host key could announce another key:
revoke it with "driftgate fleet revoke" and invite the host again with "driftgate fleet enrol".

Exit codes
  0  one step done
  1  hosts must report first; the message names them`,
  options: ROTATE_OPTIONS,
  examples: [
    { command: 'driftgate fleet rotate', summary: 'Rotate operator and viewer keys (three steps)' },
    { command: 'driftgate fleet rotate --hosts', summary: 'Rotate host keys' },
  ],
  run: async (invocation, io) => (await import('./run-keeping.ts')).runRotate(invocation, io),
})

/** Commands that maintain a fleet: departures of hosts, key rotation, backup, server moves. */
export const KEEPING: readonly Command[] = [revoke, retire, rotate, backup, restore, move]
