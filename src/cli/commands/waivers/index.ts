import { type Command, defineCommand, type Invocation, type OptionsOf, type OptionSpecs } from '../../command.ts'
import { CONFIG_OPTIONS } from '../../options/extension.ts'
import { WAIVER_RULES } from '../../options/waiver.ts'

const OPTIONS = {
  json: { kind: 'flag', group: 'Output:', summary: 'Print the list as JSON' },
  ...WAIVER_RULES,
  ...CONFIG_OPTIONS,
} as const satisfies OptionSpecs

export type WaiversInvocation = Invocation<OptionsOf<typeof OPTIONS>>

export const waivers: Command = defineCommand({
  name: 'waivers',
  summary: 'Check waiver files, or list waivers with their expiry dates',
  details: `check  Report problems of the files, and warn about waivers that have expired or expire soon
list   List waivers, first to expire on top

The host is not scanned. Exit code 0: valid, even with expired waivers. 1: invalid.`,
  operands: {
    name: 'FILE',
    actions: ['check', 'list'],
    summary: 'an action, then waiver files (YAML or JSON)',
    atLeast: 2,
    atMost: Number.POSITIVE_INFINITY,
  },
  options: OPTIONS,
  examples: [
    {
      command: 'driftgate waivers check waivers.yaml --max-waiver-days 90',
      summary: 'Check in a pipeline',
    },
    { command: 'driftgate waivers list waivers.yaml', summary: 'List waivers' },
    {
      command: "driftgate waivers list waivers.yaml --json | jq -r '.waivers[] | select(.daysLeft < 30) | .approver'",
      summary: 'List waivers that expire within a month',
    },
  ],
  run: async (invocation, io) => (await import('./run.ts')).runWaivers(invocation, io),
})
