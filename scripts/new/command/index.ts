import { type Command, defineCommand, type Invocation, type OptionsOf, type OptionSpecs } from '../../command.ts'

// What is here is loaded whenever driftgate starts: what the command does, and all that needs, is loaded when it runs.

/** Parsing, help and completion follow from these. */
const OPTIONS = {
  json: { kind: 'flag', group: 'Output:', summary: 'Print JSON for programs' },
} as const satisfies OptionSpecs

/** What `driftgate __command__` is asked to do. */
export type __Name__Invocation = Invocation<OptionsOf<typeof OPTIONS>>

/** `driftgate __command__`: prints words. */
export const __ident__: Command = defineCommand({
  name: '__command__',
  // One line in the list of commands.
  summary: 'Print words',
  // Its own help has this below the options. Every exit code has its meaning here.
  details: `Exit codes
  0  the words were printed
  1  wrong usage`,
  operands: { name: 'word', summary: 'A word to print', atLeast: 1, atMost: Infinity },
  options: OPTIONS,
  // Lines that can be run as they stand.
  examples: [
    { command: 'driftgate __command__ one two', summary: 'Each word on a line of its own' },
    { command: 'driftgate __command__ one two --json', summary: 'The same for programs' },
  ],
  run: async (invocation, io) => (await import('./run.ts')).run__Name__(invocation, io),
})
