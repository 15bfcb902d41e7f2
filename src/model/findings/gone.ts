import type { ReportedDrift, Run } from '../run.ts'
import type { Verdict } from '../verdict.ts'
import type { ObservedResource, ObservedResources } from './standing.ts'

/** A drift that only the earlier of two runs has. */
export interface GoneDrift {
  readonly past: ObservedResource
  readonly fingerprint: string
  readonly drift: ReportedDrift
  /** The resource in the later run. */
  readonly current: ObservedResource | undefined
  /** Why the later run could not check it; undefined if it is resolved. */
  readonly why: string | undefined
}

/** The drift that only the earlier run has. Drift that was not observed again never counts as resolved. */
export function goneDrift(then: ObservedResources, now: ObservedResources, after: Run): readonly GoneDrift[] {
  const gone: GoneDrift[] = []
  for (const [key, past] of then) {
    const current = now.get(key)
    for (const [fingerprint, drift] of past.drift ?? []) {
      if (current?.drift?.has(fingerprint) === true) continue
      const why = current === undefined ? whyMissing(past, after) : whyUnseen(current, drift)
      gone.push({ past, fingerprint, drift, current, why })
    }
  }
  return gone
}

function whyUnseen({ drift, result }: ObservedResource, { property }: ReportedDrift): string | undefined {
  if (drift === undefined) return `the resource was not observed: it is ${result.reason ?? result.verdict}`
  const unread = result.unknown?.find((each) => each.property === property)
  return unread === undefined ? undefined : `the property could not be read: ${unread.reason}`
}

const UNSEEN: ReadonlySet<Verdict> = new Set(['error', 'blocked'])

/**
 * Why the later run has no state of a resource that the earlier run observed; undefined if it has, or if the policy
 * changed and no longer contains the resource.
 */
export function whyLost(past: ObservedResource, current: ObservedResource | undefined, after: Run): string | undefined {
  if (UNSEEN.has(past.result.verdict) || past.result.verdict === 'not-applicable') return undefined
  if (current === undefined) return isReplaced(past, after) ? undefined : whyMissing(past, after)
  const { verdict, reason, unknown = [] } = current.result
  if (UNSEEN.has(verdict)) return `the resource was not observed: it is ${reason ?? verdict}`
  const unread = unknown.find(
    ({ property }) => past.result.unknown?.some((each) => each.property === property) !== true,
  )
  return unread === undefined ? undefined : `${unread.property} could not be read: ${unread.reason}`
}

/** Whether another version of its policy was evaluated completely. */
function isReplaced({ policy }: ObservedResource, after: Run): boolean {
  const now = after.policies.find(({ id }) => id === policy.id)
  return !after.run.interrupted && now !== undefined && now.sha256 !== policy.sha256
}

function whyMissing({ policy }: ObservedResource, after: Run): string {
  if (after.run.interrupted) return 'the run was interrupted before this resource'
  const now = after.policies.find(({ id }) => id === policy.id)
  if (now === undefined) return 'its policy was not evaluated'
  if (now.sha256 === policy.sha256) return 'the resource was not selected'
  return 'the policy has another version, without the resource or with another selection'
}
