import type { Invocation, OptionsOf, OptionSpecs } from '../../command.ts'
import { SCAN_OPTIONS } from '../../options/scan.ts'
import { STATE_OPTIONS } from '../../options/state.ts'

const { report, verbose, quiet, 'report-mode': reportMode } = SCAN_OPTIONS

/** The options of `driftgate undo`. Parsing, help and completion follow from them. */
export const OPTIONS = {
  latest: {
    kind: 'flag',
    group: 'Run:',
    summary: 'Undo the latest fix; without a terminal needed where several could be meant',
  },
  path: {
    kind: 'value',
    group: 'Run:',
    placeholder: 'PATH',
    holds: 'path',
    summary: 'Undo what the latest fix that changed this path did to it',
  },
  only: {
    kind: 'list',
    group: 'Run:',
    placeholder: 'RESOURCE',
    summary: 'Undo only what was changed for these: type#name, with * and ?; commas separate several',
  },
  'dry-run': { kind: 'flag', group: 'Run:', summary: 'Show what would be restored, and change nothing' },
  force: { kind: 'flag', group: 'Run:', summary: 'Restore what was changed since the fix, too' },
  unconfirmed: {
    kind: 'flag',
    group: 'Run:',
    summary: 'Wait for the deadline of --confirm-within, and undo only an unconfirmed fix',
  },
  ...STATE_OPTIONS,
  json: { kind: 'flag', group: 'Output:', summary: 'Print JSON for programs' },
  report,
  'report-mode': reportMode,
  verbose,
  quiet,
} as const satisfies OptionSpecs

/** What `driftgate undo` is asked to do. */
export type UndoInvocation = Invocation<OptionsOf<typeof OPTIONS>>

/** The values of its options. */
export type UndoFlags = OptionsOf<typeof OPTIONS>
