import { acceptedFor, isAccepted } from '../../../model/acceptance.ts'
import { daysBetween } from '../../../model/calendar.ts'
import { cannot, unreadable } from '../../../model/differences.ts'
import type { Drift } from '../../../model/drift.ts'
import { TEXTS } from '../../../resource-type/text-order.ts'
import type { PasswordClass, PasswordState } from '../account-files.ts'
import { acceptanceOf } from '../../shared/acceptance-of.ts'
import { noNearest } from '../../shared/accounts.ts'
import { compareAgeing, dateOf, expiryOptions, SHADOW_PROPERTIES } from '../ageing.ts'
import { type Finding, LAST_WAY_IN, mergeFindings, NO_FINDING, type UserState, type UserDesired } from './wanted.ts'

/** Compares what stands in shadow. */
export function compareSecret(wanted: UserDesired, state: UserState): Finding {
  const { account, today } = state
  const { secret } = account
  if (secret.kind === 'unknown') {
    const asked = [...SHADOW_PROPERTIES, 'expires' as const].filter((property) => wanted[property] !== undefined)
    return { ...NO_FINDING, unknown: asked.map((property) => unreadable(property, secret)) }
  }
  const { password, ageing } = secret.value
  const aged = compareAgeing(wanted, { ageing, today })
  return [
    comparePassword(wanted, password, state),
    compareHash(wanted, password),
    { ...NO_FINDING, drift: aged.drift, obstacles: aged.obstacles, chage: aged.options },
    compareExpires(wanted, state, ageing?.expires),
  ].reduce(mergeFindings, NO_FINDING)
}

/** What locking makes of a password that is not locked. */
const LOCKED: Readonly<Partial<Record<PasswordClass, PasswordClass>>> = { set: 'locked', empty: 'unusable' }

function comparePassword({ name, password: wanted }: UserDesired, seen: PasswordState, state: UserState): Finding {
  if (wanted === undefined || isAccepted(TEXTS, acceptanceOf<string>(wanted), seen.class)) return NO_FINDING
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
    return { ...NO_FINDING, drift: [drift], obstacles: [cannot(reason)] }
  }
  if (state.isGuarded) return { ...NO_FINDING, drift: [drift], obstacles: [cannot(`not locked: ${LAST_WAY_IN}`)] }
  return { ...NO_FINDING, drift: [drift], usermod: ['-L'] }
}

function compareHash({ name, password_hash: wanted }: UserDesired, { scheme }: PasswordState): Finding {
  if (wanted === undefined || scheme === undefined || isAccepted(TEXTS, acceptanceOf(wanted), scheme)) return NO_FINDING
  const reason = `only a password change creates a new hash: passwd ${name}`
  const drift = { property: 'password_hash', desired: wanted, observed: scheme }
  return { ...NO_FINDING, drift: [drift], obstacles: [cannot(reason)] }
}

function compareExpires({ expires: wanted }: UserDesired, state: UserState, days: number | undefined): Finding {
  if (wanted === undefined) return NO_FINDING
  const observed = days === undefined || days < 0 ? 'never' : dateOf(days)
  if (isAccepted(TEXTS, acceptanceOf(wanted), observed)) return NO_FINDING
  const drift = { property: 'expires', desired: wanted, observed }
  const fixed = acceptedFor(TEXTS, acceptanceOf(wanted), observed)
  if (fixed === undefined) return { ...NO_FINDING, drift: [drift], obstacles: [cannot(noNearest('expires'))] }
  const hasEnded = fixed !== 'never' && daysBetween(dateOf(state.today), fixed) <= 0
  if (state.isGuarded && hasEnded) {
    return { ...NO_FINDING, drift: [drift], obstacles: [cannot(`not expired: ${LAST_WAY_IN}`)] }
  }
  return { ...NO_FINDING, drift: [drift], chage: expiryOptions(fixed) }
}
