import { formatProperty } from '../../core/format-value.ts'
import { dayOfTime } from '../../core/calendar.ts'
import { isKnown } from '../../core/known.ts'
import type { ResourceResult, Run } from '../../core/run.ts'
import type { WaiverUse } from '../../core/waiver.ts'

/** Why drift is no failure. */
export interface Acceptance {
  readonly kind: 'waived' | 'known'
  /** One sentence without a stop. Not escaped. */
  readonly text: string
}

/** Why the drift of a resource fails neither the gate nor a report: waivers accept it, or the baseline had it already. */
export function acceptanceOf(run: Run, result: ResourceResult): Acceptance | undefined {
  if (result.verdict === 'waived') return { kind: 'waived', text: waivedBy(result) }
  return isKnown(result) ? { kind: 'known', text: knownSince(run, result) } : undefined
}

/** The waivers that accept drift of the resource. */
export function waiversInForce({ waivers = [] }: ResourceResult): readonly WaiverUse[] {
  return waivers.filter(({ state }) => state === 'in-force')
}

function waivedBy(result: ResourceResult): string {
  const waivers = waiversInForce(result).map(({ expires, approver, reason }) => `${expires} by ${approver}: ${reason}`)
  if (waivers.length === 0) return `waived ${result.message ?? 'without a reason'}`
  return `waived until ${waivers.join('; until ')}`
}

function knownSince({ baseline }: Run, result: ResourceResult): string {
  const day = baseline === undefined ? '' : ` of ${dayOfTime(baseline.startedAt)}`
  const properties = result.drift.map(
    (drift) => formatProperty(drift) + (drift.waiver === undefined ? '' : ` (waived by ${drift.waiver})`),
  )
  return `known since the baseline${day}: ${properties.join(', ')}`
}
