import type { SavedPlan } from '../../model/saved-plan.ts'
import type { Fingerprint } from './fingerprint.ts'

/** Circumstances of applying a plan. */
export interface Admission {
  readonly fingerprint: Fingerprint
  /** In milliseconds. */
  readonly now: number
  readonly maxAgeMs: number
  /** Formatted `maxAgeMs`. */
  readonly maxAge: string
}

/** Reason why a plan cannot be applied here and now; undefined if it can. */
export function refusedPlan({ host, audit }: SavedPlan, admission: Admission): string | undefined {
  const { fingerprint, now, maxAgeMs, maxAge } = admission
  const { hostname } = audit.target
  const { startedAt } = audit.run
  if (fingerprint('host') !== host) return `it was made on ${hostname}, which is another machine`
  const age = now - Date.parse(startedAt)
  if (age < 0) return `it was made at ${startedAt}, which is not yet: one of the clocks is wrong`
  if (age > maxAgeMs) {
    return `it was made at ${startedAt}, more than ${maxAge} ago: make a new one, or say how old it may be with --plan-max-age`
  }
  return undefined
}
