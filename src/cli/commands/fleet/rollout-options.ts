import { parseDuration } from '../../../model/duration.ts'
import { DEFAULT_STOP } from '../../../fleet/rollout/conditions.ts'
import { WISHES } from '../../../fleet/rollout/state.ts'
import type { Invocation, OptionsOf, OptionSpecs } from '../../command.ts'
import { FLEET_OPTION } from './members-options.ts'

export const ROLLOUT_ACTIONS = ['status', 'start', ...WISHES] as const

export const ROLLOUT_OPTIONS = {
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
  format: {
    kind: 'text',
    group: 'Output:',
    placeholder: 'FORMAT',
    choices: ['text', 'json'],
    default: 'text',
    summary: 'Output format',
  },
} as const satisfies OptionSpecs

export type RolloutFlags = OptionsOf<typeof ROLLOUT_OPTIONS>

export type RolloutInvocation = Invocation<RolloutFlags>
