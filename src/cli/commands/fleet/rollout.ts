import { type Command, defineCommand } from '../../command.ts'
import { ROLLOUT_ACTIONS, ROLLOUT_OPTIONS } from './rollout-options.ts'

/** `driftgate fleet rollout`: policies get to the hosts ring by ring. */
export const rollout: Command = defineCommand({
  name: 'fleet rollout',
  summary: 'Give hosts policies ring by ring, and stop where they do harm',
  details: `What to do
  status  Which rings have the policies, how their hosts stand, what is waited for
  start   Sign the assignments of all rings, and those of going back; "fleet serve --release" gives them out
  pause   No further ring gets them; what was given stays
  resume  Go on, also after it was stopped
  back    Give every ring that got them what it had before
  finish  Give them to all rings that are left, now

What stops it: conditions joined by "or", each a measure, > or >=, and a percentage or a number of hosts.
  error      Something could not be decided that could be before, or the run could not be performed
  silent     The host was heard of before, and did not report with the new policies for two intervals
  new-drift  Something drifts that did not before

Only hosts that report with the new policies count, each compared with its own last report before by control
and resource. A ring waits until every host that can has reported, and the soak begins with nine in ten.

Exit codes
  0  it was done, or shown
  1  it could not be: the server is away, or the rollout is not one that this can be done with`,
  operands: {
    name: 'ACTION',
    choices: ROLLOUT_ACTIONS,
    summary: 'what to do; status where it is absent',
    atLeast: 0,
    atMost: 1,
  },
  options: ROLLOUT_OPTIONS,
  examples: [
    {
      command:
        'driftgate fleet rollout start --policy SHA256 --rings canary:1%,early:10%,rest --soak 2h --reason "CHG-1234"',
      summary: 'One host in a hundred first, then ten, then all',
    },
    { command: 'driftgate fleet rollout', summary: 'How far it is' },
    { command: 'driftgate fleet rollout back --reason "breaks sudo"', summary: 'What hosts had before' },
  ],
  run: async (invocation, io) => (await import('./run-rollout.ts')).runRollout(invocation, io),
})
