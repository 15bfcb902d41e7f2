import { problemLines } from '../../core/format-problem.ts'
import type { Run } from '../../core/run.ts'
import type { Channel } from './describe.ts'

/** Problems with what was given to the scan, then notes. */
export function remarkLines({ problems = [], notes = [] }: Run, { escape, paint }: Channel): readonly string[] {
  return [
    ...problems.flatMap((problem) => {
      const [headline = '', ...excerpt] = problemLines(problem)
      return [paint(problem.severity === 'error' ? 'bad' : 'warn', headline), ...excerpt]
    }),
    ...notes.map((note) => `note: ${escape(note)}`),
  ]
}

/** Says of an interrupted run that its report is not whole. */
export function interruptionLines({ run }: Run, { paint }: Channel): readonly string[] {
  return run.interrupted ? [paint('bad', 'interrupted: resources not reached are missing from this report')] : []
}
