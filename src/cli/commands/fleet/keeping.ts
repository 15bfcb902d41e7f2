import { type Command, defineCommand } from '../../command.ts'
import { LEAVE_OPTIONS } from './keeping-options.ts'

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
    { command: 'driftgate fleet revoke web01 --reason "its disk was stolen"', summary: 'Let nobody use its key' },
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

/** The commands that keep a fleet: who leaves it, and what happens when its server or a key is lost. */
export const KEEPING: readonly Command[] = [revoke, retire]
