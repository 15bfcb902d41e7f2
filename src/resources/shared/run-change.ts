import type { ApplyOutcome } from '../../core/decision.ts'
import { POLICY_ENVIRONMENT } from '../../target/command.ts'
import type { Remediator } from '../../target/remediator.ts'

const PATIENCE_MS = 120_000

/** What differs from the usual: what messages call the program instead of its whole command line, and how long it may take. */
export interface RunChangeOptions {
  readonly called?: string
  readonly timeoutMs?: number
}

/** Runs a program of the system as a part of a fix; anything but the exit code 0 is a failure. */
export async function runChange(
  remediator: Pick<Remediator, 'run'>,
  argv: readonly [program: string, ...args: string[]],
  signal: AbortSignal,
  { called = argv.join(' '), timeoutMs = PATIENCE_MS }: RunChangeOptions = {},
): Promise<ApplyOutcome> {
  const outcome = await remediator.run({
    argv: [...argv],
    workingDirectory: '/',
    environment: POLICY_ENVIRONMENT,
    timeoutMs,
    signal,
  })
  if (outcome.kind === 'not-started') return { kind: 'failed', message: outcome.message }
  if (outcome.kind === 'exited' && outcome.exitCode === 0) return { kind: 'done' }
  const how = outcome.kind === 'exited' ? `exited with ${outcome.exitCode}` : outcome.reason
  return { kind: 'failed', message: `${called} ${how}`, output: outcome.output }
}
