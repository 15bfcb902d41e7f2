import type { PolicyResult, Run, RunOrigin } from '../../model/run.ts'

/** The run a policy was evaluated in and the machine it was evaluated on, also in a report merged of several. */
export function originOf(run: Run, { origin }: PolicyResult): RunOrigin {
  return origin ?? originOfRun(run)
}

/** The run itself, as its policies say where they come from. */
export function originOfRun({ run, target }: Run): RunOrigin {
  return { runId: run.id, mode: run.mode, startedAt: run.startedAt, target }
}
