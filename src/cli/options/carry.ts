import type { OptionsOf, OptionSpecs } from '../command.ts'

/** The options about targets to which driftgate is carried. */
export const CARRY_OPTIONS = {
  become: {
    kind: 'value',
    group: 'Target:',
    placeholder: 'COMMAND',
    complain: (text) =>
      /^[^-\s\p{Cc}][^\p{Cc}]*$/u.test(text) ? undefined : "must be a command and its options, such as 'sudo -n'",
    summary: "Start driftgate on the far side by this command, such as 'sudo -n'",
  },
  'remote-binary': {
    kind: 'value',
    group: 'Target:',
    placeholder: 'FILE',
    holds: 'path',
    summary: 'Copy this single executable file to where driftgate is not installed, instead of the one that runs here',
  },
} as const satisfies OptionSpecs

/** Their values. */
export type CarryFlags = OptionsOf<typeof CARRY_OPTIONS>

/** What is wrong with them where there is no such target. */
export const ONLY_CARRIED =
  '--become and --remote-binary are about targets to which driftgate is carried, such as --target ssh:HOST'
