import { type Command, defineCommand, type Invocation, type OptionsOf, type OptionSpecs } from '../../command.ts'
import { CARRY_OPTIONS } from '../../options/carry.ts'
import { CONFIG_OPTIONS } from '../../options/extension.ts'
import { FACT_OPTIONS } from '../../options/input.ts'
import { TARGET_OPTIONS } from '../../options/target.ts'

const OPTIONS = {
  yaml: { kind: 'flag', group: 'Output:', summary: 'Print YAML instead of JSON' },
  ...TARGET_OPTIONS,
  ...CARRY_OPTIONS,
  ...FACT_OPTIONS,
  ...CONFIG_OPTIONS,
} as const satisfies OptionSpecs

export type FactsInvocation = Invocation<OptionsOf<typeof OPTIONS>>

export const facts: Command = defineCommand({
  name: 'facts',
  summary: 'Print the facts of this host, or those at a path',
  details:
    'System facts with those of /etc/driftgate and of the user, as templates see them. With a path, only its family\n' +
    'of facts is gathered. Exit code 1: the path matches nothing.',
  operands: { name: 'path', summary: 'a lookup path such as host.info.platform', atLeast: 0, atMost: 1 },
  options: OPTIONS,
  travels: true,
  examples: [
    { command: 'driftgate facts --yaml', summary: 'Print all facts' },
    { command: 'driftgate facts host.info.platform', summary: 'Print one fact' },
    { command: "driftgate facts 'network.interfaces.#.name'", summary: 'Print one value of every list item' },
    { command: 'driftgate facts role --fact role=web', summary: 'Print an overridden fact' },
  ],
  run: async (invocation, io) => (await import('./run.ts')).runFacts(invocation, io),
})
