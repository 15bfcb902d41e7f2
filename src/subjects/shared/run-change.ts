import type { ApplyOutcome } from '../../model/decision.ts'
import { type CommandUndo, POLICY_ENVIRONMENT, type StoredCommand } from '../../host/command.ts'
import type { Remediator } from '../../host/remediator.ts'

const PATIENCE_MS = 120_000

/** Options of a fix command: its name in messages and its timeout. */
export interface RunChangeOptions {
  readonly called?: string
  readonly timeoutMs?: number
  /**
   * Undo: `again` reruns a command that activates files, after they are restored; `nothing` is for a command that changes
   * nothing.
   */
  readonly undo: 'again' | 'nothing' | CommandUndo
  /** With `again`: paths of the files that the command generates. */
  readonly writes?: readonly string[] | undefined
}

/** Runs a command of a fix; any exit code but 0 is a failure. */
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
