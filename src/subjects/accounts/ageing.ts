import { type Acceptance, acceptedFor, isAccepted } from '../../model/acceptance.ts'
import { daysAfter, daysBetween } from '../../model/calendar.ts'
import { cannot } from '../../model/differences.ts'
import type { Obstacle } from '../../model/decision.ts'
import type { Drift } from '../../model/drift.ts'
import { NUMBERS } from '../../model/value-orders.ts'
import { defineProperties } from '../../resource-type/define.ts'
import type { Ageing } from './accounts.ts'
import { acceptanceOf } from '../shared/acceptance-of.ts'

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

/** Desired password ageing. */
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

/** Result of the comparison: drift, the chage(1) options that remove it, and the obstacles. */
export interface AgeingFinding {
  readonly drift: readonly Drift[]
  readonly options: readonly string[]
  readonly obstacles: readonly Obstacle[]
}

const FIELDS = [
  { property: 'min_days', field: 'min', option: '-m', ifEmpty: 0, shown: 'none' },
  { property: 'max_days', field: 'max', option: '-M', ifEmpty: Infinity, shown: 'never' },
  { property: 'warn_days', field: 'warn', option: '-W', ifEmpty: 0, shown: 'none' },
  { property: 'inactive_days', field: 'inactive', option: '-I', ifEmpty: Infinity, shown: 'never' },
] as const

/**
 * Compares the ageing fields of shadow(5), with the defaults of empty fields; without a last change ageing is off. No fix
 * expires a password immediately: that would also block key logins and cron jobs until the user has changed it.
 */
export function compareAgeing(wanted: AgeingDesired, account: AgedAccount): AgeingFinding {
  const drift: Drift[] = []
  const options: string[] = []
  const obstacles: Obstacle[] = []
  let next = account.ageing ?? NOTHING_SAID
  const isOff = account.ageing !== null && (account.ageing.lastChange ?? -1) < 0
  for (const { property, field, option, ifEmpty, shown } of FIELDS) {
    const accepted = wanted[property]
    if (accepted === undefined) continue
    const written = next[field]
    const isEmpty = isOff || written === undefined || written < 0
    const value = isEmpty ? ifEmpty : written
    if (isAccepted(NUMBERS, acceptanceOf(accepted), value)) continue
    drift.push({ property, desired: accepted, observed: isEmpty ? shown : value })
    const fixed = acceptedFor(NUMBERS, acceptanceOf(accepted), value)
    if (isOff) obstacles.push(cannot('without the date of the last change no limit applies: set it with chage -d'))
    else if (fixed === undefined)
      obstacles.push(
        cannot(`cannot derive a value for ${property} from its condition: set "fix" to the value to write`),
      )
    else if (shutsOut(next, { ...next, [field]: fixed }, account.today)) {
      obstacles.push(cannot(`${property} of ${fixed} would expire the password at once: change it first, with passwd`))
    } else {
      options.push(option, String(fixed))
      next = { ...next, [field]: fixed }
    }
  }
  const age = compareAge(wanted.age_days, account)
  return { drift: [...drift, ...age.drift], options, obstacles: [...obstacles, ...age.obstacles] }
}

const NOTHING_SAID: Ageing = {
  lastChange: undefined,
  min: undefined,
  max: undefined,
  warn: undefined,
  inactive: undefined,
  expires: undefined,
}

function compareAge(accepted: DesiredDays, { ageing, today }: AgedAccount): Omit<AgeingFinding, 'options'> {
  if (accepted === undefined) return { drift: [], obstacles: [] }
  const changed = ageing?.lastChange
  const age = changed === undefined || changed < 0 ? undefined : today - changed
  if (isAccepted(NUMBERS, acceptanceOf(accepted), age ?? Infinity)) return { drift: [], obstacles: [] }
  const said = changed === undefined || age === undefined ? {} : { note: `changed on ${dateOf(changed)}` }
  return {
    drift: [{ property: 'age_days', desired: accepted, observed: age ?? 'never', ...said }],
    obstacles: [cannot('only a password change resets the age')],
  }
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
