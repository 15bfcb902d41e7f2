import type { Run } from '../../model/run.ts'
import { SEVERITIES, type Severity } from '../../model/verdict.ts'
import { isDrift, nounOf, type Requirement, requirementsOf } from './requirements.ts'
import { findTrouble } from './run-remarks.ts'
import { countOf } from '../../model/count-of.ts'

/**
 * Whether the machine complies with its policies. Proven drift decides; without drift, unknown results or an incomplete
 * scan leave the answer open. The exit code is independent: with a threshold or a reference report, a scan may pass
 * although the answer is no.
 */
export interface Answer {
  readonly kind: 'compliant' | 'not-compliant' | 'undecided'
  /** Number of drifted requirements by severity, highest first; severities without drift are left out. */
  readonly drifted: readonly { readonly severity: Severity; readonly count: number }[]
  /** Number of drifted requirements that the reference report has, too. */
  readonly known: number
  readonly undecided: number
  /** Number of drifted requirements. */
  readonly total: number
}

/** The answer of a run. `requirements` are those of the whole run. */
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

export const ANSWER_WORDS: Readonly<Record<Answer['kind'], string>> = {
  compliant: 'Compliant',
  'not-compliant': 'Not compliant',
  undecided: 'Unknown',
}

/**
 * The basis of the answer, without a full stop: `41 of 135 controls drifted (1 critical, 6 high, 24 medium, 10 low), 14
 * unknown`. Counts drifted requirements, never compliant ones.
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
  return answer.kind === 'compliant' ? describeCompliance(requirements) : 'nothing was evaluated'
}

/** The hosts of an answer, as the end of its sentence. */
export function placeOfAnswer({ kind }: Answer, hosts: number, noun: 'hosts' | 'machines'): string {
  return kind === 'compliant' ? ` on any of ${hosts} ${noun}` : `, on at least one of ${hosts} ${noun}`
}

/** Mentions fixed and waived drift of a compliant run. */
function describeCompliance(requirements: readonly Requirement[]): string {
  const fixed = requirements.filter(({ results }) => results.some(({ verdict }) => verdict === 'fixed')).length
  const waived = requirements.filter(({ standing }) => standing === 'waived').length
  const found = fixed === 0 ? 'no drift' : `${countOf(fixed, nounOf(requirements))} fixed, no drift left`
  return waived === 0 ? found : `${found} except ${waived} waived`
}
