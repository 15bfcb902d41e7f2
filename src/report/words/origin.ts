import type { PolicyResult, Run, RunOrigin } from '../../model/run.ts'

/** The run and the machine of a policy, also in a merged report. */
export function originOf(run: Run, { origin }: PolicyResult): RunOrigin {
  return origin ?? originOfRun(run)
}

export function originOfRun({ run, target }: Run): RunOrigin {
  return { runId: run.id, mode: run.mode, startedAt: run.startedAt, target }
}
