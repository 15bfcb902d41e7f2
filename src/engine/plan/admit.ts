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
  if (fingerprint('host') !== host) return `it was made for another host, ${hostname}`
  const age = now - Date.parse(startedAt)
  if (age < 0) return `it was made at ${startedAt}, which is in the future: check the clocks`
  if (age > maxAgeMs) {
    return `it was made at ${startedAt}, more than ${maxAge} ago: make a new one, or raise --plan-max-age`
  }
  return undefined
}
