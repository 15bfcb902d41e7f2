import { type Command, defineCommand, type Invocation, type OptionsOf, type OptionSpecs } from '../../command.ts'

const OPTIONS = {
  output: {
    kind: 'value',
    group: 'Output:',
    placeholder: 'FILE',
    holds: 'path',
    summary: 'Write to this file with mode 0600 (default: policy.yaml)',
  },
  print: { kind: 'flag', group: 'Output:', summary: 'Print the policy and write no file' },
  force: { kind: 'flag', group: 'Output:', summary: 'Replace an existing file' },
} as const satisfies OptionSpecs

export type InitInvocation = Invocation<OptionsOf<typeof OPTIONS>>

export const init: Command = defineCommand({
  name: 'init',
  summary: 'Write a policy from the current state of this host',
  details: `Captures listening ports, running services and their packages, administrators, files that control logins and
scheduled jobs, mounts, and kernel parameters, and writes a policy that this host complies with. The output is
the same as long as the host does not change. Run it as root: unreadable items are reported and omitted.

Exit codes
  0  policy written
  1  wrong usage, or the file cannot be written
  3  policy written without some unreadable or unsupported items`,
  options: OPTIONS,
  examples: [
    { command: 'driftgate init', summary: 'Write policy.yaml for this host' },
    {
      command: 'driftgate init --output web01.yaml && driftgate scan web01.yaml @linux',
      summary: 'Print a policy to use with a baseline',
    },
  ],
  run: async (invocation, io) => (await import('./run.ts')).runInit(invocation, io),
})
