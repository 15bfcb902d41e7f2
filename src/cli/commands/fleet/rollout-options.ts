import { parseDuration } from '../../../model/duration.ts'
import { DEFAULT_STOP } from '../../../fleet/rollout/conditions.ts'
import { WISHES } from '../../../fleet/rollout/state.ts'
import type { Invocation, OptionsOf, OptionSpecs } from '../../command.ts'
import { FLEET_OPTION } from './members-options.ts'

/** What `driftgate fleet rollout` can do. */
export const ROLLOUT_ACTIONS = ['status', 'start', ...WISHES] as const

/** The options of `driftgate fleet rollout`. */
export const ROLLOUT_OPTIONS = {
  ...FLEET_OPTION,
  policy: {
    kind: 'list',
    group: 'Start:',
    placeholder: 'SHA256',
    summary: 'A bundle that "driftgate fleet publish" has put on the server; several for all that hosts are to have',
  },
  rings: {
    kind: 'value',
    group: 'Start:',
    placeholder: 'RINGS',
    summary:
      'Rings in their order, such as canary:1%,early:10%,rest: hosts by their ring of the roster, of the others so many; the last has the rest',
  },
  soak: {
    kind: 'value',
    group: 'Start:',
    placeholder: 'DURATION',
    complain: (text) => (parseDuration(text) === undefined ? 'must be a span of time such as 2h or 1d' : undefined),
    summary: 'How long a ring runs with the policies before the next one gets them; 2h where it is absent',
  },
  stop: {
    kind: 'value',
    group: 'Start:',
    placeholder: 'CONDITIONS',
    summary: `What stops it, of the hosts of one ring; ${DEFAULT_STOP} where it is absent`,
  },
  reason: {
    kind: 'value',
    group: 'Record:',
    placeholder: 'TEXT',
    summary: 'Why, for the record; hosts are told it, too',
  },
  author: {
    kind: 'value',
    group: 'Record:',
    placeholder: 'NAME',
    summary: 'Who does this, for the record; the user and this machine where it is absent',
  },
  format: {
    kind: 'text',
    group: 'Output:',
    placeholder: 'FORMAT',
    choices: ['text', 'json'],
    default: 'text',
    summary: 'Print for people, or for programs',
  },
} as const satisfies OptionSpecs

/** Their values. */
export type RolloutFlags = OptionsOf<typeof ROLLOUT_OPTIONS>

/** What `driftgate fleet rollout` is asked to do. */
export type RolloutInvocation = Invocation<RolloutFlags>
