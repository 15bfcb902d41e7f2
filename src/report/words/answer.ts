import type { Run } from '../../model/run.ts'
import { SEVERITIES, type Severity } from '../../model/verdict.ts'
import { isDrift, nounOf, type Requirement, requirementsOf } from './requirements.ts'
import { findTrouble } from './run-remarks.ts'
import { countOf } from '../../model/count-of.ts'

/**
 * Whether the machine is as the policies want it. Drift is proved and decides; without any, unknown results,
 * or a scan that is not whole, leaves the question open. The exit code is another matter: a threshold or a baseline may
 * let a scan pass although the answer is no.
 */
export interface Answer {
  readonly kind: 'compliant' | 'not-compliant' | 'undecided'
  /** How many requirements drifted, by severity, the gravest first; severities without any are left out. */
  readonly drifted: readonly { readonly severity: Severity; readonly count: number }[]
  /** How many of those that drifted are known since the baseline. */
  readonly known: number
  /** How many could not be decided. */
  readonly undecided: number
  /** How many drifted. */
  readonly total: number
}

/** The answer of a run. `requirements` are those of the whole run, where they are known already. */
export function answerOf(run: Run, requirements: readonly Requirement[] = requirementsOf(run)): Answer {
  const drift = requirements.filter(isDrift)
  const drifted = SEVERITIES.toReversed()
    .map((severity) => ({ severity, count: drift.filter((each) => each.severity === severity).length }))
    .filter(({ count }) => count > 0)
  const count = (standing: Requirement['standing']): number =>
    requirements.filter((each) => each.standing === standing).length
  const undecided = count('undecided')
  const isProved = findTrouble(run) === undefined && undecided === 0 && count('met') + count('waived') > 0
  const kind = drift.length > 0 ? 'not-compliant' : isProved ? 'compliant' : 'undecided'
  return { kind, drifted, known: count('known'), undecided, total: drift.length }
}

/** The answers in words, as a headline has them. */
export const ANSWER_WORDS: Readonly<Record<Answer['kind'], string>> = {
  compliant: 'Compliant',
  'not-compliant': 'Not compliant',
  undecided: 'Unknown',
}

/**
 * What the answer rests on, without a full stop: `41 of 135 controls drifted (1 critical, 6 high, 24 medium, 10 low), 14
 * could not be decided`. Counts what drifted, never what complied.
 */
export function describeAnswer(answer: Answer, requirements: readonly Requirement[]): string {
  const { drifted, known, undecided, total } = answer
  const all = countOf(requirements.length, nounOf(requirements))
  const severities = drifted.map(({ severity, count }) => `${count} ${severity}`).join(', ')
  const before = known === 0 ? '' : `, ${known === total ? 'all' : `${known} of them`} in the reference report`
  const parts = [
    ...(total === 0 ? [] : [`${total} of ${all} drifted (${severities})${before}`]),
    ...(undecided === 0 ? [] : [`${undecided}${total === 0 ? ` of ${all}` : ''} unknown`]),
  ]
  if (parts.length > 0) return parts.join(', ')
  return answer.kind === 'compliant' ? describeCompliance(requirements) : 'nothing was proved'
}

/** Of which hosts an answer is, as the end of its sentence. `noun` is what they are called. */
export function placeOfAnswer({ kind }: Answer, hosts: number, noun: 'hosts' | 'machines'): string {
  return kind === 'compliant' ? ` on any of ${hosts} ${noun}` : `, on at least one of ${hosts} ${noun}`
}

/** Not everything that complies was right when it was first looked at, nor is all of it right. */
function describeCompliance(requirements: readonly Requirement[]): string {
  const fixed = requirements.filter(({ results }) => results.some(({ verdict }) => verdict === 'fixed')).length
  const waived = requirements.filter(({ standing }) => standing === 'waived').length
  const found = fixed === 0 ? 'no drift' : `${countOf(fixed, nounOf(requirements))} fixed, no drift left`
  return waived === 0 ? found : `${found} except ${waived} waived`
}
