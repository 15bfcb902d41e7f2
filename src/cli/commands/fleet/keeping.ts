import { type Command, defineCommand } from '../../command.ts'
import { BACKUP_OPTIONS, LEAVE_OPTIONS, MOVE_OPTIONS, ROTATE_OPTIONS } from './keeping-options.ts'

const HOST = { name: 'HOST', summary: 'the host', atLeast: 1, atMost: 1 } as const

const revoke = defineCommand({
  name: 'fleet revoke',
  summary: 'End the key of a host: the server lets it in no more',
  details: `What the host has sent stays, and counts. It is expected still, so it becomes silent until "driftgate fleet enrol"
gives it another key. A server of this machine that runs with the configuration of the fleet ends the connection at once;
for another one copy hosts.conf there and reload it.`,
  operands: HOST,
  options: LEAVE_OPTIONS,
  examples: [
    { command: 'driftgate fleet revoke web01 --reason "its disk was stolen"', summary: 'Reject a key that was stolen' },
  ],
  run: async (invocation, io) => (await import('./run-keeping.ts')).runLeave('revoked', invocation, io),
})

const retire = defineCommand({
  name: 'fleet retire',
  summary: 'Take a host off the fleet: it is expected no more',
  details: `The roster keeps it with the date and the reason, its results stay, and its key is let in no more.`,
  operands: HOST,
  options: LEAVE_OPTIONS,
  examples: [
    { command: 'driftgate fleet retire web01 --reason "replaced by web02"', summary: 'After it was switched off' },
  ],
  run: async (invocation, io) => (await import('./run-keeping.ts')).runLeave('retired', invocation, io),
})

const BACKUP_FILE = { name: 'FILE', summary: 'the backup', atLeast: 1, atMost: 1 } as const

const backup = defineCommand({
  name: 'fleet backup',
  summary: 'Write keys, roster and everything the server stores to one encrypted file',
  details: `The file holds the directory of the fleet with all its keys, and a copy of every stream of the server. It is
encrypted by AES-256-GCM with a key that scrypt makes of the passphrase; without the passphrase it is lost.`,
  operands: BACKUP_FILE,
  options: BACKUP_OPTIONS,
  examples: [
    {
      command: 'driftgate fleet backup fleet.backup --passphrase-file passphrase',
      summary: 'Each night, to a disk of another machine',
    },
  ],
  run: async (invocation, io) => (await import('./run-keeping.ts')).runBackup(invocation, io),
})

const restore = defineCommand({
  name: 'fleet restore',
  summary: 'Give a new server, and a new operator machine, what a backup holds',
  details: `Where the directory of the fleet does not exist, its files are written first; start nats-server with the configuration
of it then, and run the command again. The server must store nothing yet. Hosts send again what they have sent since the
backup, and every assignment is signed once more, so that each host is decided within one interval.

Exit codes
  0  the server has everything that the backup holds
  1  it has not: the message says what is to be done`,
  operands: BACKUP_FILE,
  options: BACKUP_OPTIONS,
  examples: [
    {
      command: 'driftgate fleet restore fleet.backup --passphrase-file passphrase',
      summary: 'After the server was lost and a new one was started',
    },
  ],
  run: async (invocation, io) => (await import('./run-keeping.ts')).runRestore(invocation, io),
})

const move = defineCommand({
  name: 'fleet move',
  summary: 'Tell hosts another address of the server before it moves there',
  details: `Hosts connect to the new address or the old one, whichever answers. The certificate of the server is made for both names,
and the contexts of operator and viewer name both; copy server/ and viewer/ to their machines and reload the server. Hosts
take the address when they report next; the old server may be switched off once all have.`,
  operands: { name: 'HOST[:PORT]', summary: 'the new address; with commas between several', atLeast: 1, atMost: 1 },
  options: MOVE_OPTIONS,
  examples: [{ command: 'driftgate fleet move nats2.example.com', summary: 'An interval before the server moves' }],
  run: async (invocation, io) => (await import('./run-keeping.ts')).runMove(invocation, io),
})

const rotate = defineCommand({
  name: 'fleet rotate',
  summary: 'Replace the keys of operator and viewer, or of all hosts',
  details: `Each call does one step and says what to do before the next one.

  1  Makes new keys, and has hosts and server trust them beside the former ones
  2  Signs every assignment with the new key, and connects with the new ones
  3  Ends the former keys, once every host has reported with what the new one has signed

The certificate of the server is replaced, too. With --hosts each host makes itself a new key, which never leaves it:

  1  Tells every host to make a key; it announces that with its next report
  2  Has the server let the announced keys in beside the former ones, for each host that has reported
  3  Ends the former key of each host that has reported with the new one; what it has signed counts on

Hosts take each step when they report, so no host is silent meanwhile. A stolen key of a host could announce another one:
end that by "driftgate fleet revoke", and invite the host again by "driftgate fleet enrol".

Exit codes
  0  a step was done
  1  hosts are to report first; they are named`,
  options: ROTATE_OPTIONS,
  examples: [
    { command: 'driftgate fleet rotate', summary: 'Once a year, three times in a row' },
    { command: 'driftgate fleet rotate --hosts', summary: 'The same for the keys of hosts' },
  ],
  run: async (invocation, io) => (await import('./run-keeping.ts')).runRotate(invocation, io),
})

/** The commands that keep a fleet: who leaves it, and what happens when its server or a key is lost. */
export const KEEPING: readonly Command[] = [revoke, retire, rotate, backup, restore, move]
