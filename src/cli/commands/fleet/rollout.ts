import { type Command, defineCommand, type Invocation, type OptionsOf, type OptionSpecs } from '../../command.ts'
import { parseDuration } from '../../../model/duration.ts'
import { DEFAULT_STOP } from '../../../fleet/rollout/conditions.ts'
import { WISHES } from '../../../fleet/rollout/state.ts'
import { FLEET_OPTION } from './members.ts'
import { FORMAT } from '../../options/format.ts'

const ROLLOUT_ACTIONS = ['status', 'start', ...WISHES] as const

const ROLLOUT_OPTIONS = {
  ...FLEET_OPTION,
  policy: {
    kind: 'list',
    group: 'Start:',
    placeholder: 'SHA256',
    summary: 'Published bundle (repeatable)',
  },
  rings: {
    kind: 'value',
    group: 'Start:',
    placeholder: 'RINGS',
    summary: 'Rings in order, such as canary:1%,early:10%,rest',
  },
  soak: {
    kind: 'value',
    group: 'Start:',
    placeholder: 'DURATION',
    complain: (text) => (parseDuration(text) === undefined ? 'must be a duration such as 2h or 1d' : undefined),
    summary: 'Soak time of a ring before the next one (default: 2h)',
  },
  stop: {
    kind: 'value',
    group: 'Start:',
    placeholder: 'CONDITIONS',
    summary: `Stop condition for a ring (default: ${DEFAULT_STOP})`,
  },
  reason: {
    kind: 'value',
    group: 'Record:',
    placeholder: 'TEXT',
    summary: 'Reason, for the activity log and the hosts',
  },
  author: {
    kind: 'value',
    group: 'Record:',
    placeholder: 'NAME',
    summary: 'Name for the activity log (default: user and host)',
  },
  ...FORMAT,
} as const satisfies OptionSpecs

export type RolloutFlags = OptionsOf<typeof ROLLOUT_OPTIONS>

export type RolloutInvocation = Invocation<RolloutFlags>

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
