import type { ApplyOutcome } from '../../model/decision.ts'
import { type CommandUndo, POLICY_ENVIRONMENT, type StoredCommand } from '../../host/command.ts'
import type { Remediator } from '../../host/remediator.ts'

const PATIENCE_MS = 120_000

/** What differs from the usual: what messages call the program instead of its whole command line, and how long it may take. */
export interface RunChangeOptions {
  readonly called?: string
  readonly timeoutMs?: number
  /**
   * How it is taken back: `again` where it makes effective what lies in files and runs again once they are put back, `nothing` where
   * it only looks.
   */
  readonly undo: 'again' | 'nothing' | CommandUndo
  /** With `again`: the paths at which it makes files of files. */
  readonly writes?: readonly string[] | undefined
}

/** Runs a program of the system as a part of a fix; anything but the exit code 0 is a failure. */
export async function runChange(
  remediator: Pick<Remediator, 'run'>,
  argv: readonly [program: string, ...args: string[]],
  signal: AbortSignal,
  { called = argv.join(' '), timeoutMs = PATIENCE_MS, undo, writes }: RunChangeOptions,
): Promise<ApplyOutcome> {
  const command = {
    argv: [...argv] as const,
    workingDirectory: '/',
    environment: POLICY_ENVIRONMENT,
    timeoutMs,
  }
  const outcome = await remediator.run({ ...command, signal, undo: undoOf(undo, command, writes) })
  if (outcome.kind === 'not-started') return { kind: 'failed', message: outcome.message }
  if (outcome.kind === 'exited' && outcome.exitCode === 0) return { kind: 'done' }
  const how = outcome.kind === 'exited' ? `exited with ${outcome.exitCode}` : outcome.reason
  return { kind: 'failed', message: `${called} ${how}`, output: outcome.output }
}

function undoOf(
  undo: RunChangeOptions['undo'],
  command: StoredCommand,
  writes: readonly string[] | undefined,
): CommandUndo {
  if (undo === 'again') return { kind: 'again', command, ...(writes !== undefined && { writes }) }
  return undo === 'nothing' ? { kind: 'files', paths: [] } : undo
}
