import { assertNever } from '../../model/assert-never.ts'
import { dayOfTime } from '../../model/calendar.ts'
import type { Drift } from '../../model/drift.ts'
import { formatDrift, formatProperty, formatValue } from '../../model/format-value.ts'
import { hostNameOf } from '../../model/host-name.ts'
import { withoutRollUps } from '../../model/roll-up.ts'
import type { PolicyResult, ReportedDrift, ResourceResult, Run, RunOrigin } from '../../model/run.ts'
import { SEVERITIES } from '../../model/verdict.ts'
import type { WaiverTerms, WaiverUse } from '../../model/waiver.ts'
import { driftFingerprint, fingerprint } from '../../model/findings/fingerprint.ts'
import { describeTrouble, effectWords, hazardWords } from './describe.ts'
import { differencesOf } from './differences.ts'
import { originOf } from './origin.ts'

/**
 * The states of a finding, worst first. `known` is drift that the reference report has, too; `unread` is an unreadable
 * property.
 */
export const FINDING_STATES = [
  'fix-failed',
  'drifted',
  'error',
  'blocked',
  'known',
  'waived',
  'fixed',
  'unread',
  'not-applicable',
  'compliant',
] as const

export type FindingState = (typeof FINDING_STATES)[number]

/** A finding about one resource: a drift, or the resource as a whole. Its texts are not escaped. */
export interface Finding {
  readonly policy: PolicyResult
  readonly origin: RunOrigin
  readonly result: ResourceResult
  readonly state: FindingState
  readonly drift?: ReportedDrift
  /** The waiver in force that accepts the drift. */
  readonly waiver?: WaiverUse
  /** Stable across runs on the machine: contains no value, line or time. Lowercase hex. */
  readonly fingerprint: string
  /** The description without the resource: a sentence about the drift, if any, then the notes. */
  readonly text: string
  /** Notes in addition to the values of the drift. */
  readonly notes: readonly string[]
}

/** All findings of a run in its order, without roll-ups; one per drift of a resource. */
export function findingsOf(run: Run): readonly Finding[] {
  return run.policies.flatMap((policy) => findingsOfPolicy(run, policy))
}

export function findingsOfPolicy(run: Run, policy: PolicyResult): readonly Finding[] {
  const origin = originOf(run, policy)
  const since = run.baseline && dayOfTime(run.baseline.startedAt)
  return withoutRollUps(policy.resources).flatMap((result) => findingsOfResult({ policy, origin, result, since }))
}

/** Sorts by state, then by severity, worst first; stable. */
export function worstFirst(findings: readonly Finding[]): readonly Finding[] {
  return findings.toSorted(
    (left, right) =>
      FINDING_STATES.indexOf(left.state) - FINDING_STATES.indexOf(right.state) ||
      SEVERITIES.indexOf(right.result.severity) - SEVERITIES.indexOf(left.result.severity),
  )
}

/** The ids of the enclosing apply resources and of the resource, outermost first. */
export function nameOf({ path = [], id }: Pick<ResourceResult, 'path' | 'id'>): string {
  return [...path, id].join(' > ')
}

/** The terms of a waiver: until when, by whom and why. */
export function describeWaiver({ expires, approver, reason, ticket }: WaiverTerms): string {
  const reference = ticket === undefined ? '' : ` (${ticket})`
  return `until ${expires} by ${approver}: ${reason}${reference}`
}

interface Subject extends Pick<Finding, 'policy' | 'origin' | 'result'> {
  /** The date of the reference report. */
  readonly since: string | undefined
}

function findingsOfResult(subject: Subject): readonly Finding[] {
  const { result } = subject
  const unread = (result.unknown ?? []).map(({ property, reason, detail }) => ({
    ...stateFinding(subject, 'unread', `${property} could not be read (${reason}): ${detail}`),
    fingerprint: fingerprint({ policy: subject.policy.id, resource: result, subject: ['unread', property] }),
  }))
  switch (result.verdict) {
    case 'drifted':
    case 'waived':
    case 'fixed': {
      const ofDrift = result.drift.map((drift) => aboutDrift(subject, drift))
      return [
        ...(ofDrift.length > 0 ? ofDrift : [stateFinding(subject, result.verdict, troubleText(result))]),
        ...unread,
      ]
    }
    case 'fix-failed':
      return [...afterFailedFix(subject), ...unread]
    case 'error':
    case 'blocked':
    case 'not-applicable':
      return [stateFinding(subject, result.verdict, troubleText(result))]
    case 'compliant':
      return [
        stateFinding(
          subject,
          'compliant',
          [...effectWords(result), ...(result.warnings ?? [])].join('; ') || 'compliant',
        ),
      ]
    default:
      return assertNever(result.verdict)
  }
}

function stateFinding({ policy, origin, result }: Subject, state: FindingState, text: string): Finding {
  const key = { policy: policy.id, resource: result, subject: [state] }
  return { policy, origin, result, state, fingerprint: fingerprint(key), text, notes: [text] }
}

function troubleText(result: ResourceResult): string {
  const texts = describeTrouble(result).map(([label, text]) => (label === 'blocked by' ? `blocked by ${text}` : text))
  return texts.join('; ') || result.message || result.verdict
}

/** The finding about a drift of a drifted, fixed or waived resource. */
function aboutDrift(subject: Subject, drift: ReportedDrift): Finding {
  const { result, since } = subject
  if (result.verdict === 'fixed') return fixedFinding(subject, drift)
  if (result.verdict === 'waived' || drift.waiver !== undefined) {
    const waiver = (result.waivers ?? []).find(({ id, state }) => state === 'in-force' && id === drift.waiver)
    const terms = waiver === undefined ? (result.message ?? drift.waiver ?? '') : describeWaiver(waiver)
    const finding = withDrift(subject, drift, 'waived', [`waived ${terms}`.trimEnd()])
    return waiver === undefined ? finding : { ...finding, waiver }
  }
  const notes = circumstancesOf(drift, result)
  if (drift.baseline !== 'unchanged') return withDrift(subject, drift, 'drifted', notes)
  return withDrift(subject, drift, 'known', [
    ...notes,
    `known since the baseline${since === undefined ? '' : ` of ${since}`}`,
  ])
}

/** After a failed fix: remaining drift, then resolved drift. */
function afterFailedFix(subject: Subject): readonly Finding[] {
  const { result } = subject
  const { changes, unverified } = differencesOf(result)
  const remaining = result.remaining ?? []
  const reached = changes.filter(({ drift }) => !remaining.some((other) => isSameProperty(drift, other)))
  const failed = [...remaining, ...unverified].map((drift) =>
    withDrift(subject, drift, 'fix-failed', result.errors ?? []),
  )
  return [
    ...(failed.length > 0 ? failed : [stateFinding(subject, 'fix-failed', troubleText(result))]),
    ...reached.map(({ drift }) => fixedFinding(subject, drift)),
  ]
}

function fixedFinding(subject: Subject, drift: ReportedDrift): Finding {
  const text = `${formatProperty(drift)}: fixed, was ${formatValue(drift.observed)}, is ${formatValue(drift.desired)}`
  return { ...withDrift(subject, drift, 'fixed', []), text }
}

function withDrift(
  { policy, origin, result }: Subject,
  drift: ReportedDrift,
  state: FindingState,
  notes: readonly string[],
): Finding {
  const key = drift.fingerprint ?? driftFingerprint(policy.id, result, drift)
  return {
    policy,
    origin,
    result,
    state,
    drift,
    fingerprint: key,
    text: [formatDrift(drift), ...notes].join('; '),
    notes,
  }
}

function isSameProperty(left: Drift, right: Drift): boolean {
  return left.property === right.property && left.path === right.path
}

/** Further facts on a drift: its note, expired or lapsed waivers, and why a fix is uncertain. */
function circumstancesOf(drift: ReportedDrift, result: ResourceResult): readonly string[] {
  const { change, changeReason, waivers = [] } = result
  const former = waivers.filter(({ state, covers }) => state !== 'in-force' && covers.includes(drift.property))
  const uncertain = change === 'cannot' ? ['a fix cannot change it'] : change === 'may' ? ['a fix may change it'] : []
  return [
    ...(drift.note === undefined ? [] : [drift.note]),
    ...former.map(({ id, state, expires }) =>
      state === 'expired' ? `waiver ${id} expired on ${expires}` : `waiver ${id} accepts a different value`,
    ),
    ...hazardWords(result).map(([label, text]) => `${label}: ${text}`),
    ...uncertain.map((text) => (changeReason === undefined ? text : `${text}: ${changeReason}`)),
  ]
}

/**
 * A unique id for each finding, for readers that drop duplicates: in a merged report it includes the machine, and equal
 * findings are numbered. Lowercase hex.
 */
export function identitiesOf({ target }: Run, findings: readonly Finding[]): readonly string[] {
  const counts = new Map<string, number>()
  return findings.map((finding) => {
    const own = finding.fingerprint
    const identity = target.kind === 'merged' ? digest(own, hostNameOf(finding.origin.target)) : own
    const number = (counts.get(identity) ?? 0) + 1
    counts.set(identity, number)
    return number === 1 ? identity : digest(identity, String(number))
  })
}

function digest(identity: string, detail: string): string {
  return fingerprint({ policy: '', resource: { id: identity }, subject: [detail] })
}
