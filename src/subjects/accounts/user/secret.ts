import { acceptedFor, isAccepted } from '../../../model/acceptance.ts'
import { daysBetween } from '../../../model/calendar.ts'
import type { Drift } from '../../../model/drift.ts'
import { AS_WANTED, drifted, type PartialDecision, refused, undecided } from '../../../model/partial-decision.ts'
import { TEXTS } from '../../../resource-type/text-order.ts'
import type { PasswordClass, PasswordState } from '../account-files.ts'
import { acceptanceOf, noNearest } from '../../shared/acceptance-of.ts'
import { compareAgeing, dateOf, expiryOptions, SHADOW_PROPERTIES } from '../ageing.ts'
import { LAST_WAY_IN, type UserDesired, type UserState, type UserStep } from './wanted.ts'

/** Compares what stands in shadow. */
export function compareSecret(wanted: UserDesired, state: UserState): readonly PartialDecision<UserStep>[] {
  const { account, today } = state
  const { secret } = account
  if (secret.kind === 'unknown') {
    const asked = [...SHADOW_PROPERTIES, 'expires' as const].filter((property) => wanted[property] !== undefined)
    return asked.map((property) => undecided(property, secret))
  }
  const { password, ageing } = secret.value
  const aged = compareAgeing(wanted, { ageing, today })
  const options = aged.steps
  return [
    comparePassword(wanted, password, state),
    compareHash(wanted, password),
    { ...aged, steps: options.length === 0 ? [] : [{ program: 'chage', options }] },
    compareExpires(wanted, state, ageing?.expires),
  ]
}

/** What locking makes of a password that is not locked. */
const LOCKED: Readonly<Partial<Record<PasswordClass, PasswordClass>>> = { set: 'locked', empty: 'unusable' }

function comparePassword(
  { name, password: wanted }: UserDesired,
  seen: PasswordState,
  state: UserState,
): PartialDecision<UserStep> {
  if (wanted === undefined || isAccepted(TEXTS, acceptanceOf<string>(wanted), seen.class)) return AS_WANTED
  const drift: Drift = {
    property: 'password',
    desired: wanted,
    observed: seen.class,
    ...(state.account.isShadowed ? {} : { note: 'the password is in passwd instead of shadow' }),
  }
  const locked = LOCKED[seen.class]
  if (locked === undefined || !isAccepted(TEXTS, acceptanceOf<string>(wanted), locked)) {
    const reason =
      seen.class === 'locked'
        ? `unlock the password by hand: usermod -U ${name}`
        : `set the password by hand: passwd ${name}`
    return refused(drift, reason)
  }
  if (state.isGuarded) return refused(drift, `not locked: ${LAST_WAY_IN}`)
  return { ...drifted(drift), steps: [{ program: 'usermod', options: ['-L'] }] }
}

function compareHash(
  { name, password_hash: wanted }: UserDesired,
  { scheme }: PasswordState,
): PartialDecision<UserStep> {
  if (wanted === undefined || scheme === undefined || isAccepted(TEXTS, acceptanceOf(wanted), scheme)) return AS_WANTED
  const reason = `only a password change creates a new hash: passwd ${name}`
  const drift = { property: 'password_hash', desired: wanted, observed: scheme }
  return refused(drift, reason)
}

function compareExpires(
  { expires: wanted }: UserDesired,
  state: UserState,
  days: number | undefined,
): PartialDecision<UserStep> {
  if (wanted === undefined) return AS_WANTED
  const observed = days === undefined || days < 0 ? 'never' : dateOf(days)
  if (isAccepted(TEXTS, acceptanceOf(wanted), observed)) return AS_WANTED
  const drift = { property: 'expires', desired: wanted, observed }
  const fixed = acceptedFor(TEXTS, acceptanceOf(wanted), observed)
  if (fixed === undefined) return refused(drift, noNearest('expires'))
  const hasEnded = fixed !== 'never' && daysBetween(dateOf(state.today), fixed) <= 0
  if (state.isGuarded && hasEnded) return refused(drift, `not expired: ${LAST_WAY_IN}`)
  return { ...drifted(drift), steps: [{ program: 'chage', options: expiryOptions(fixed) }] }
}
