import type { Invocation, OptionsOf, OptionSpecs } from '../../command.ts'
import { SCAN_OPTIONS } from '../../options/scan.ts'

const { report, verbose, quiet, 'report-mode': reportMode } = SCAN_OPTIONS

/** The options of `driftgate undo`. Parsing, help and completion follow from them. */
export const OPTIONS = {
  only: {
    kind: 'list',
    group: 'Run:',
    placeholder: 'RESOURCE',
    summary: 'Take back only what was changed for these: type#name, with * and ?; commas separate several',
  },
  force: { kind: 'flag', group: 'Run:', summary: 'Put back what somebody has changed since the fix, too' },
  unconfirmed: {
    kind: 'flag',
    group: 'Run:',
    summary: 'Wait for the deadline of --confirm-within, and do it only if nobody has confirmed the fix by then',
  },
  report,
  'report-mode': reportMode,
  verbose,
  quiet,
} as const satisfies OptionSpecs

/** What `driftgate undo` is asked to do. */
export type UndoInvocation = Invocation<OptionsOf<typeof OPTIONS>>
