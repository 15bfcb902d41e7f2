import type { Run } from '../../model/run.ts'
import { type Baseline, createBaseline } from '../../model/findings/baseline.ts'
import { OperatorError } from '../../model/operator-error.ts'
import { readReport } from './read-report.ts'
import { EXIT } from '../../model/gate.ts'

/**
 * Reads the report that a gate compares with. Throws an `OperatorError` where it cannot be a baseline: everything would
 * be new without notice.
 */
export async function readBaselineReport(path: string): Promise<Baseline> {
  const run = await readReport(path)
  const reason = whyUnfit(run)
  if (reason !== undefined) throw new OperatorError(`cannot use ${path} as a baseline: ${reason}`)
  return createBaseline(run, path)
}

/**
 * Reads the report of several targets that a gate compares with, and gives the baseline of each by its name: what it found on
 * this target and on no other. A target that it did not see has a baseline without drift, so that all of its drift is new. Throws an
 * `OperatorError` where it cannot be a baseline.
 */
export async function readBaselinesOfTargets(path: string): Promise<(target: string) => Baseline> {
  const run = await readReport(path)
  const { targets } = run
  const reason =
    targets === undefined ? 'it is a report of one host, and this scan has several targets' : whyUnusable(run)
  if (reason !== undefined) throw new OperatorError(`cannot use ${path} as a baseline: ${reason}`)
  return (name) => {
    const policies = run.policies.filter(({ target }) => target === name)
    return createBaseline({ ...run, policies }, path)
  }
}

function whyUnfit(run: Run): string | undefined {
  if (run.target.kind === 'merged') return 'it is merged of several runs; name the report of one'
  return whyUnusable(run)
}

function whyUnusable({ exit, run }: Run): string | undefined {
  if (exit.code === EXIT.notPerformed) return 'its scan did not run'
  return run.interrupted ? 'its scan was interrupted, so what it lacks may have drifted, too' : undefined
}
