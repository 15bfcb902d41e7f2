import { type Command, defineCommand } from '../../command.ts'
import { ROLLOUT_ACTIONS, ROLLOUT_OPTIONS } from './rollout-options.ts'

export const rollout: Command = defineCommand({
  name: 'fleet rollout',
  summary: 'Roll out policies ring by ring, and stop on failure',
  details: `Actions
  status  Show the rings with the new policies, their hosts, and the next step
  start   Sign the assignments of all rings and of the rollback; "fleet serve --release" releases them
  pause   Release no further ring; released rings keep the policies
  resume  Continue, also after a stop
  back    Roll back every released ring
  finish  Release all remaining rings now

Stop conditions, joined by "or": a measure, > or >=, and a percentage or a number of hosts.
  error      A result that was known became unknown, or the run did not start
  silent     A host that reported before did not report with the new policies for two intervals
  new-drift  A resource drifts that did not drift before

Only hosts that report with the new policies count, compared with their own previous report by control and resource.
A ring waits for all reachable hosts; the soak time starts when 90 % have reported.

Exit codes
  0  done or shown
  1  not possible: no server, or wrong state of the rollout`,
  operands: {
    name: 'ACTION',
    choices: ROLLOUT_ACTIONS,
    summary: 'an action (default: status)',
    atLeast: 0,
    atMost: 1,
  },
  options: ROLLOUT_OPTIONS,
  examples: [
    {
      command:
        'driftgate fleet rollout start --policy SHA256 --rings canary:1%,early:10%,rest --soak 2h --reason "CHG-1234"',
      summary: 'Roll out to 1 %, 10 %, then all hosts',
    },
    { command: 'driftgate fleet rollout', summary: 'Show progress' },
    { command: 'driftgate fleet rollout back --reason "breaks sudo"', summary: 'Roll back' },
  ],
  run: async (invocation, io) => (await import('./run-rollout.ts')).runRollout(invocation, io),
})
