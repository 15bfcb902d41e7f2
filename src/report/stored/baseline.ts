import type { Run } from '../../model/run.ts'
import { type Baseline, createBaseline } from '../../model/findings/baseline.ts'
import { OperatorError } from '../../model/operator-error.ts'
import { readReport } from './read-report.ts'
import { EXIT } from '../../model/gate.ts'

/** Reads the reference report of a gate. Throws an `OperatorError` if it is unsuitable, since all drift would count as new. */
export async function readBaselineReport(path: string): Promise<Baseline> {
  const run = await readReport(path)
  const reason = whyUnfit(run)
  if (reason !== undefined) throw new OperatorError(`cannot use ${path} as a baseline: ${reason}`)
  return createBaseline(run, path)
}

/**
 * Reads the reference report of a scan of several targets, and returns the reference for each by name: the drift of
 * this target only. A target missing in it has an empty reference, so that all its drift is new. Throws an
 * `OperatorError` if it is unsuitable.
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
  if (run.target.kind === 'merged') return 'it is merged from several runs: name the report of one'
  return whyUnusable(run)
}

function whyUnusable({ exit, run }: Run): string | undefined {
  if (exit.code === EXIT.notPerformed) return 'its scan did not run'
  return run.interrupted ? 'its scan was interrupted, so missing resources may have drifted too' : undefined
}
