import type { ApplyOutcome } from '../../core/decision.ts'
import { POLICY_ENVIRONMENT } from '../../target/command.ts'
import type { Remediator } from '../../target/remediator.ts'

const PATIENCE_MS = 120_000

/** Runs a program of the system as a part of a fix; anything but the exit code 0 is a failure. */
export async function runChange(
  remediator: Pick<Remediator, 'run'>,
  argv: readonly [program: string, ...args: string[]],
  signal: AbortSignal,
): Promise<ApplyOutcome> {
  const outcome = await remediator.run({
    argv: [...argv],
    workingDirectory: '/',
    environment: POLICY_ENVIRONMENT,
    timeoutMs: PATIENCE_MS,
    signal,
  })
  if (outcome.kind === 'not-started') return { kind: 'failed', message: outcome.message }
  if (outcome.kind === 'exited' && outcome.exitCode === 0) return { kind: 'done' }
  const how = outcome.kind === 'exited' ? `exited with ${outcome.exitCode}` : outcome.reason
  return { kind: 'failed', message: `${argv.join(' ')} ${how}`, output: outcome.output }
}
