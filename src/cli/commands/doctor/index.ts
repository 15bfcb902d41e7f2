import { type Command, defineCommand, type Invocation, type OptionsOf, type OptionSpecs } from '../../command.ts'
import { EXTENSION_OPTIONS } from '../../options/extension.ts'
import { STATE_OPTIONS } from '../../options/state.ts'

/** The options of `driftgate doctor`. */
const OPTIONS = {
  json: { kind: 'flag', group: 'Output:', summary: 'Print JSON' },
  ...STATE_OPTIONS,
  plugin: EXTENSION_OPTIONS.plugin,
} as const satisfies OptionSpecs

/** What `driftgate doctor` is asked to do. */
export type DoctorInvocation = Invocation<OptionsOf<typeof OPTIONS>>

/** `driftgate doctor`: what this installation can observe on this host, and what limits it. */
export const doctor: Command = defineCommand({
  name: 'doctor',
  summary: 'Show what driftgate can observe on this host',
  details: `Checks the version, the user, the service manager, the package manager, the provider of each resource type, the state,
history and temporary directories, configuration and fact files, and times a small scan. Nothing is changed.

Exit codes
  0  everything can be observed
  3  some results would be unknown; each has its reason and a next step`,
  options: OPTIONS,
  examples: [
    { command: 'driftgate doctor', summary: 'Check this host' },
    { command: 'sudo driftgate doctor --json', summary: 'Check it as root, for a program' },
  ],
  run: async (invocation, io) => (await import('./run.ts')).runDoctor(invocation, io),
})
