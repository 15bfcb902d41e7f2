import { fingerprint } from '../../findings/fingerprint.ts'
import type { Position } from '../../core/problem.ts'
import type { Run } from '../../core/run.ts'
import { findTrouble, type Trouble } from './trouble.ts'

/** What is to be said of the run as a whole, beside its results. Not escaped. */
export interface Remark {
  readonly level: 'error' | 'warning'
  readonly text: string
  readonly position?: Position
  /** The same for the same remark in every run; no line. Lower-case hex. */
  readonly fingerprint: string
}

/** The trouble of a run with its reasons, then its problems: errors before warnings. */
export function remarksOf(run: Run): readonly Remark[] {
  const trouble = findTrouble(run)
  const problems = (run.problems ?? []).map(({ severity, message, position }) => ({
    level: severity,
    text: message,
    ...(position === undefined ? {} : { position }),
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
