import type { Run } from '../core/run.ts'
import { type Baseline, createBaseline } from '../findings/baseline.ts'
import { OperatorError } from '../core/operator-error.ts'
import { readReport } from './read-report.ts'
import { EXIT } from '../core/gate.ts'

/**
 * Reads the report that a gate compares with. Throws an `OperatorError` where it cannot be a baseline: everything would
 * be new without anybody noticing why.
 */
export async function readBaselineReport(path: string): Promise<Baseline> {
  const run = await readReport(path)
  const reason = whyUnfit(run)
  if (reason !== undefined) throw new OperatorError(`cannot use ${path} as a baseline: ${reason}`)
  return createBaseline(run, path)
}

function whyUnfit({ target, exit, run }: Run): string | undefined {
  if (target.kind === 'merged') return 'it is merged of several runs; name the report of one'
  if (exit.code === EXIT.notPerformed) return 'its scan could not be performed, so it says nothing about a machine'
  return run.interrupted ? 'its scan was interrupted, so what it lacks may have drifted, too' : undefined
}
