import { type Command, defineCommand, type Invocation, type OptionsOf, type OptionSpecs } from '../../command.ts'
import { SCAN_OPTIONS } from '../../options/scan.ts'
import { STATE_OPTIONS } from '../../options/state.ts'

const { report, verbose, quiet, 'report-mode': reportMode } = SCAN_OPTIONS

const OPTIONS = {
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

export const undo: Command = defineCommand({
  name: 'undo',
  summary: 'Undo a fix: restore what it replaced',
  details: `Without RUN, the latest fix is undone; scripts must pass --latest if there are several. If the latest fix changed
nothing, there is nothing to undo: no older fix is used instead. The last change is reverted first. Items that
changed since the fix are kept and reported as conflicts, with their value before the fix, after it, and now. An
undo is journalled like a fix: after an interruption the same command continues it, and it can be undone.

Exit codes
  0  everything restored; with --dry-run, it would be
  1  no such fix, or it cannot be undone now
  4  a conflict, a failure, or manual steps left
  129, 130, 143  interrupted by SIGHUP, SIGINT, SIGTERM; "driftgate undo RUN" continues`,
  operands: { name: 'RUN', summary: 'id of a fix, or the start of it', atLeast: 0, atMost: 1 },
  options: OPTIONS,
  examples: [
    { command: 'driftgate undo --latest', summary: 'Undo the latest fix' },
    { command: 'driftgate undo --path /etc/ssh/sshd_config', summary: 'Undo the latest change of a file' },
    { command: 'driftgate undo 0f9cbd4e --dry-run', summary: 'Show what would be restored' },
  ],
  run: async (invocation, io) => (await import('./run.ts')).runUndo(invocation, io),
})
