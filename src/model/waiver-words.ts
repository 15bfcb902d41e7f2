import { formatValue } from './format-value.ts'
import { countOf } from './count-of.ts'
import type { ResourceResult } from './run.ts'
import type { WaiverRecord, WaiverScope, WaiverTerms, WaiverUse } from './waiver.ts'

/** The instant a waiver ends, behind "until" or "at". */
export function endOf({ expires }: Pick<WaiverTerms, 'expires'>): string {
  return `the end of ${expires} UTC`
}

/** The waivers in force that accept drift of a resource, each once: those that its drift names. */
export function acceptedBy({ drift, waivers = [] }: Pick<ResourceResult, 'drift' | 'waivers'>): readonly WaiverUse[] {
  const named = new Set(drift.flatMap(({ waiver }) => waiver ?? []))
  return waivers.filter(({ id, state }) => state === 'in-force' && named.has(id))
}

/** The waivers that would accept drift of a resource if they had not ended: only drift that no other waiver accepts counts. */
export function neededInVain({ drift, waivers = [] }: Pick<ResourceResult, 'drift' | 'waivers'>): readonly WaiverUse[] {
  const open = new Set(drift.filter(({ waiver }) => waiver === undefined).map(({ property }) => property))
  return waivers.filter(({ state, covers }) => state !== 'in-force' && covers.some((property) => open.has(property)))
}

/** Why drift is accepted, in a sentence. Not escaped. */
export function describeAcceptance({ id, approver, reason, ticket, ...terms }: WaiverUse): string {
  const about = ticket === undefined ? `waiver ${id}` : `waiver ${id}, ${ticket}`
  return `accepted until ${endOf(terms)} by ${approver}: ${reason} (${about})`
}

/** Why a waiver accepts drift no longer, behind its name; `value` is the only one it accepts. Not escaped. */
export function describeEnd({ state, ...terms }: WaiverUse, value?: string): string {
  if (state === 'expired') return `expired at ${endOf(terms)}`
  const wanted = value === undefined ? 'with another value' : `while it is ${formatValue(value)}`
  return `lapsed: it accepts ${list(terms.covers)} only ${wanted}`
}

/** Names as people list them. */
export function list(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}

/** How long a waiver is still in force, or since when it is not. */
export function daysLeftOf({ daysLeft }: Pick<WaiverRecord, 'daysLeft'>): string {
  if (daysLeft === 0) return 'its last day'
  const days = countOf(Math.abs(daysLeft), 'day')
  return daysLeft < 0 ? `${days} ago` : `${days} left`
}

/** What a waiver accepts: the resource or control, the property, the value. Not escaped. */
export function subjectOf({ resource, control, property, value }: WaiverScope): string {
  const what = resource ?? (control === undefined ? '' : `control ${control}`)
  if (property === undefined) return what
  return value === undefined ? `${what} ${property}` : `${what} ${property} = ${JSON.stringify(value)}`
}
