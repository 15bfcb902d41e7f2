import { type Acceptance, acceptedFor, isAccepted } from '../../model/acceptance.ts'
import { daysAfter, daysBetween } from '../../model/calendar.ts'
import { AS_WANTED, drifted, mergeParts, type PartialDecision, refused } from '../../model/partial-decision.ts'
import { NUMBERS } from '../../model/value-orders.ts'
import { defineProperties } from '../../resource-type/define.ts'
import type { Ageing } from './accounts.ts'
import { acceptanceOf, noNearest } from '../shared/acceptance-of.ts'

/** Properties of the account types that are read from shadow. */
export const SHADOW_PROPERTIES = [
  'password',
  'password_hash',
  'min_days',
  'max_days',
  'warn_days',
  'inactive_days',
  'age_days',
] as const

/** Password ageing properties that the account types share. */
export const AGEING_PROPERTIES = defineProperties({
  min_days: {
    kind: 'integer',
    minimum: 0,
    accepts: 'number',
    phase: 'early',
    summary: 'Minimum days between password changes; an empty field is 0.',
  },
  max_days: {
    kind: 'integer',
    minimum: 0,
    accepts: 'number',
    phase: 'early',
    summary: 'Maximum days between password changes; an empty or negative field is unlimited.',
  },
  warn_days: {
    kind: 'integer',
    minimum: 0,
    accepts: 'number',
    phase: 'early',
    summary: 'Days of warning before the password expires; an empty field is 0.',
  },
  inactive_days: {
    kind: 'integer',
    minimum: 0,
    accepts: 'number',
    phase: 'early',
    summary: 'Days from password expiry until the account is locked; an empty or negative field is unlimited.',
  },
  age_days: {
    kind: 'integer',
    accepts: 'number',
    phase: 'early',
    summary:
      'Days since the last password change; negative if its date is in the future, above any limit without a date. A fix cannot change it.',
  },
})

export type DesiredDays = number | Acceptance<number> | undefined

export interface AgeingDesired {
  readonly min_days?: DesiredDays
  readonly max_days?: DesiredDays
  readonly warn_days?: DesiredDays
  readonly inactive_days?: DesiredDays
  readonly age_days?: DesiredDays
}

export interface AgedAccount {
  readonly ageing: Ageing | null
  /** Days since 1970. */
  readonly today: number
}

const FIELDS = [
  { property: 'min_days', field: 'min', option: '-m', ifEmpty: 0, shown: 'none' },
  { property: 'max_days', field: 'max', option: '-M', ifEmpty: Infinity, shown: 'never' },
  { property: 'warn_days', field: 'warn', option: '-W', ifEmpty: 0, shown: 'none' },
  { property: 'inactive_days', field: 'inactive', option: '-I', ifEmpty: Infinity, shown: 'never' },
] as const

/**
 * Compares the ageing fields of shadow(5), with the defaults of empty fields; without a last change ageing is off. No fix
 * expires a password immediately: that would also block key logins and cron jobs until the user has changed it. Steps are
 * options of chage(1).
 */
export function compareAgeing(wanted: AgeingDesired, account: AgedAccount): PartialDecision<string> {
  const parts: PartialDecision<string>[] = []
  let next = account.ageing ?? NOTHING_SAID
  const isOff = account.ageing !== null && (account.ageing.lastChange ?? -1) < 0
  for (const { property, field, option, ifEmpty, shown } of FIELDS) {
    const accepted = wanted[property]
    if (accepted === undefined) continue
    const written = next[field]
    const isEmpty = isOff || written === undefined || written < 0
    const value = isEmpty ? ifEmpty : written
    if (isAccepted(NUMBERS, acceptanceOf(accepted), value)) continue
    const drift = { property, desired: accepted, observed: isEmpty ? shown : value }
    const fixed = acceptedFor(NUMBERS, acceptanceOf(accepted), value)
    if (isOff) {
      parts.push(refused(drift, 'without the date of the last change no limit applies: set it with chage -d'))
    } else if (fixed === undefined) {
      parts.push(refused(drift, noNearest(property)))
    } else if (shutsOut(next, { ...next, [field]: fixed }, account.today)) {
      const reason = `${property} of ${fixed} would expire the password at once: change it first, with passwd`
      parts.push(refused(drift, reason))
    } else {
      parts.push({ ...drifted(drift), steps: [option, String(fixed)] })
      next = { ...next, [field]: fixed }
    }
  }
  return mergeParts([...parts, compareAge(wanted.age_days, account)])
}

const NOTHING_SAID: Ageing = {
  lastChange: undefined,
  min: undefined,
  max: undefined,
  warn: undefined,
  inactive: undefined,
  expires: undefined,
}

function compareAge(accepted: DesiredDays, { ageing, today }: AgedAccount): PartialDecision {
  if (accepted === undefined) return AS_WANTED
  const changed = ageing?.lastChange
  const age = changed === undefined || changed < 0 ? undefined : today - changed
  if (isAccepted(NUMBERS, acceptanceOf(accepted), age ?? Infinity)) return AS_WANTED
  const said = changed === undefined || age === undefined ? {} : { note: `changed on ${dateOf(changed)}` }
  const drift = { property: 'age_days', desired: accepted, observed: age ?? 'never', ...said }
  return refused(drift, 'only a password change resets the age')
}

/** Whether the change expires a password that is still valid. */
function shutsOut(now: Ageing, then: Ageing, today: number): boolean {
  return hasEnded(then, today) && !(hasEnded(now, today) && then.inactive === now.inactive)
}

function hasEnded({ lastChange, max }: Ageing, today: number): boolean {
  return lastChange !== undefined && max !== undefined && max >= 0 && lastChange + max < today
}

/** Date of a day number, counted from 1970-01-01. */
export function dateOf(days: number): string {
  return daysAfter('1970-01-01', days)
}

/** The chage(1) options that set or remove the expiry date. Day number, because chage reads dates in the local time zone. */
export function expiryOptions(expires: string): readonly string[] {
  return ['-E', expires === 'never' ? '-1' : String(daysBetween('1970-01-01', expires))]
}
