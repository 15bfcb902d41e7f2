import type { Invocation, OptionsOf, OptionSpecs } from '../../command.ts'
import { SCAN_OPTIONS } from '../../options/scan.ts'
import { STATE_OPTIONS } from '../../options/state.ts'

const { report, verbose, quiet, 'report-mode': reportMode } = SCAN_OPTIONS

export const OPTIONS = {
  latest: {
    kind: 'flag',
    group: 'Undo:',
    summary: 'Undo the latest fix (required in scripts if there are several)',
  },
  path: {
    kind: 'value',
    group: 'Undo:',
    placeholder: 'PATH',
    holds: 'path',
    summary: 'Undo the latest change of this path',
  },
  only: {
    kind: 'list',
    group: 'Undo:',
    placeholder: 'RESOURCE',
    summary: 'Undo only matching resources: type#name, with * and ?',
  },
  'dry-run': { kind: 'flag', group: 'Undo:', summary: 'Show what would be restored' },
  force: { kind: 'flag', group: 'Undo:', summary: 'Restore items that changed since the fix' },
  unconfirmed: {
    kind: 'flag',
    group: 'Undo:',
    summary: 'Wait for the deadline of --confirm-within and undo an unconfirmed fix',
  },
  ...STATE_OPTIONS,
  json: { kind: 'flag', group: 'Output:', summary: 'Print JSON' },
  report,
  'report-mode': reportMode,
  verbose,
  quiet,
} as const satisfies OptionSpecs

export type UndoInvocation = Invocation<OptionsOf<typeof OPTIONS>>

export type UndoFlags = OptionsOf<typeof OPTIONS>
