import { formatValue } from './format-value.ts'
import { countOf } from './count-of.ts'
import type { ResourceResult } from './run.ts'
import type { WaiverRecord, WaiverScope, WaiverTerms, WaiverUse } from './waiver.ts'

/** The end of a waiver, to follow "until" or "at". */
export function endOf({ expires }: Pick<WaiverTerms, 'expires'>): string {
  return `the end of ${expires} UTC`
}

/** The waivers in force that accept drift of a resource, without duplicates. */
export function acceptedBy({ drift, waivers = [] }: Pick<ResourceResult, 'drift' | 'waivers'>): readonly WaiverUse[] {
  const named = new Set(drift.flatMap(({ waiver }) => waiver ?? []))
  return waivers.filter(({ id, state }) => state === 'in-force' && named.has(id))
}

/** The expired or lapsed waivers of drift that no other waiver accepts. */
export function neededInVain({ drift, waivers = [] }: Pick<ResourceResult, 'drift' | 'waivers'>): readonly WaiverUse[] {
  const open = new Set(drift.filter(({ waiver }) => waiver === undefined).map(({ property }) => property))
  return waivers.filter(({ state, covers }) => state !== 'in-force' && covers.some((property) => open.has(property)))
}

/** The reason why drift is accepted, as a sentence. Not escaped. */
export function describeAcceptance({ id, approver, reason, ticket, ...terms }: WaiverUse): string {
  const about = ticket === undefined ? `waiver ${id}` : `waiver ${id}, ${ticket}`
  return `accepted until ${endOf(terms)} by ${approver}: ${reason} (${about})`
}

/** Why a waiver no longer accepts drift, to follow its name; `value` is the only one it accepts. Not escaped. */
export function describeEnd({ state, ...terms }: WaiverUse, value?: string): string {
  if (state === 'expired') return `expired at ${endOf(terms)}`
  const wanted = value === undefined ? 'with another value' : `while it is ${formatValue(value)}`
  return `lapsed: it accepts ${list(terms.covers)} only ${wanted}`
}

/** Joins names with commas and "and". */
export function list(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}

/** The time until a waiver expires, or since it expired. */
export function daysLeftOf({ daysLeft }: Pick<WaiverRecord, 'daysLeft'>): string {
  if (daysLeft === 0) return 'last day'
  const days = countOf(Math.abs(daysLeft), 'day')
  return daysLeft < 0 ? `${days} ago` : `${days} left`
}

/** The subject of a waiver: the resource or control, the property, the value. Not escaped. */
export function subjectOf({ resource, control, property, value }: WaiverScope): string {
  const what = resource ?? (control === undefined ? '' : `control ${control}`)
  if (property === undefined) return what
  return value === undefined ? `${what} ${property}` : `${what} ${property} = ${JSON.stringify(value)}`
}
