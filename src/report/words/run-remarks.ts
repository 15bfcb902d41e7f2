import { defined } from '../../model/defined.ts'
import { problemLines } from '../../model/format-problem.ts'
import { EXIT } from '../../model/gate.ts'
import { fingerprint } from '../../model/findings/fingerprint.ts'
import type { Position } from '../../model/problem.ts'
import type { Run } from '../../model/run.ts'
import type { Channel } from './rows.ts'

/** Why a run proves less than its results suggest. */
export interface Trouble {
  readonly kind: 'invalid' | 'interrupted' | 'incomplete' | 'nothing-evaluated'
  /** Without a full stop. */
  readonly sentence: string
  /** The sentence, and the related problems. Escaped. */
  readonly lines: readonly [string, ...string[]]
}

/**
 * Trouble that passed results, or no results at all, would hide: the scan could not be performed, was interrupted, or
 * evaluated nothing. Every format that can show a failure must show it.
 */
export function findTrouble(run: Run): Trouble | undefined {
  if (run.exit.code === EXIT.notPerformed) {
    return createTrouble('invalid', 'The scan did not run', (run.problems ?? []).flatMap(problemLines))
  }
  if (run.run.interrupted) return createTrouble('interrupted', 'The scan was interrupted: some resources are missing')
  // In a merged report: a run that was not performed or evaluated nothing.
  const gaps = (run.problems ?? []).filter(({ severity }) => severity === 'error').flatMap(problemLines)
  if (gaps.length > 0) return createTrouble('incomplete', 'This report contains incomplete scans', gaps)
  return isEvaluated(run) ? undefined : createTrouble('nothing-evaluated', 'The scan evaluated nothing')
}

function createTrouble(kind: Trouble['kind'], sentence: string, problems: readonly string[] = []): Trouble {
  return { kind, sentence, lines: [`${sentence}.`, ...problems] }
}

function isEvaluated({ exit, policies }: Run): boolean {
  return exit.code !== EXIT.nothingEvaluated && policies.some(({ resources }) => resources.length > 0)
}

/** A remark on the run as a whole. Not escaped. */
export interface Remark {
  readonly level: 'error' | 'warning'
  readonly text: string
  readonly position?: Position
  /** Stable across runs; contains no line. Lowercase hex. */
  readonly fingerprint: string
}

/** The trouble of a run with its reasons, then its problems: errors before warnings. */
export function remarksOf(run: Run): readonly Remark[] {
  const trouble = findTrouble(run)
  const problems = (run.problems ?? []).map(({ severity, message, position }) => ({
    level: severity,
    text: message,
    ...defined({ position }),
    fingerprint: fingerprintOf('problem', message, position?.file ?? ''),
  }))
  return [
    ...(trouble === undefined ? [] : [describe(trouble, run)]),
    ...problems.filter(({ level }) => level === 'error'),
    ...problems.filter(({ level }) => level === 'warning'),
  ]
}

function describe({ kind, sentence }: Trouble, { exit }: Run): Remark {
  const text = exit.reasons.length === 0 ? sentence : `${sentence}: ${exit.reasons.join('; ')}`
  return { level: 'error', text, fingerprint: fingerprintOf('scan', kind) }
}

function fingerprintOf(...subject: readonly string[]): string {
  return fingerprint({ policy: '', resource: { id: '' }, subject })
}

/** Problems with the input of the scan, then notes. */
export function remarkLines({ problems = [], notes = [] }: Run, { escape, paint }: Channel): readonly string[] {
  return [
    ...problems.flatMap((problem) => {
      const [headline = '', ...excerpt] = problemLines(problem)
      return [paint(problem.severity === 'error' ? 'bad' : 'warn', headline), ...excerpt]
    }),
    ...notes.map((note) => `note: ${escape(note)}`),
  ]
}

export function interruptionLines({ run }: Run, { paint }: Channel): readonly string[] {
  return run.interrupted ? [paint('bad', 'interrupted: some resources are missing from this report')] : []
}
