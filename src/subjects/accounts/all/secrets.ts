import { isAccepted } from '../../../model/acceptance.ts'
import { cannot } from '../../../model/differences.ts'
import type { Drift } from '../../../model/drift.ts'
import {
  AS_WANTED,
  drifted,
  mergeParts,
  type PartialDecision,
  refused,
  undecided,
} from '../../../model/partial-decision.ts'
import { TEXTS } from '../../../resource-type/text-order.ts'
import { type AccountCommand, placeOf, type Secret, type UserAccount } from '../accounts.ts'
import { acceptanceOf } from '../../shared/acceptance-of.ts'
import { notInFiles } from '../account-commands.ts'
import { compareAgeing, SHADOW_PROPERTIES } from '../ageing.ts'
import { type AccountsDesired, type AccountsPart, type AccountsState, mergeRules } from './wanted.ts'

/** Compares passwords, their ages and shells, account by account. */
export function compareSecrets(
  wanted: AccountsDesired,
  users: readonly UserAccount[],
  state: Pick<AccountsState, 'set' | 'today'>,
): readonly AccountsPart[] {
  const asked = SHADOW_PROPERTIES.filter((property) => wanted[property] !== undefined)
  const machine = { today: state.today, repeated: namesTwice(state.set.users) }
  return users.map((user) => {
    const open = [compareShadowed(wanted, user), compareShell(wanted, user)]
    const { secret } = user
    if (secret.kind === 'known') {
      return mergeRules([...open, comparePassword(wanted, user, secret.value), compareAges(wanted, user, machine)])
    }
    return mergeRules([...open, ...asked.map((property) => undecided(property, secret))])
  })
}

function namesTwice(users: readonly UserAccount[]): ReadonlySet<string> {
  const seen = new Set<string>()
  const repeated = new Set<string>()
  for (const { name } of users) (seen.has(name) ? repeated : seen).add(name)
  return repeated
}

function compareShadowed({ shadowed }: AccountsDesired, user: UserAccount): PartialDecision {
  if (shadowed === undefined || user.isShadowed) return AS_WANTED
  return refusedOf(
    user,
    { property: 'shadowed', desired: true, observed: false },
    'move all passwords to shadow: pwconv',
  )
}

function compareShell({ shell }: AccountsDesired, user: UserAccount): PartialDecision {
  if (shell === undefined || isAccepted(TEXTS, acceptanceOf(shell), user.shell)) return AS_WANTED
  const drift = { property: 'shell', desired: shell, observed: user.shell }
  return refusedOf(user, drift, 'review whether the account needs a shell: usermod -s')
}

function comparePassword(
  { password: wanted, password_hash: hash }: AccountsDesired,
  user: UserAccount,
  { password }: Secret,
): PartialDecision {
  const found: PartialDecision[] = []
  if (wanted !== undefined && !isAccepted(TEXTS, acceptanceOf<string>(wanted), password.class)) {
    const drift = { property: 'password', desired: wanted, observed: password.class }
    found.push(refusedOf(user, drift, 'set or lock the password by hand: passwd or usermod -L'))
  }
  const { scheme } = password
  if (hash !== undefined && scheme !== undefined && !isAccepted(TEXTS, acceptanceOf(hash), scheme)) {
    const drift = { property: 'password_hash', desired: hash, observed: scheme }
    found.push(refusedOf(user, drift, 'only a password change creates a new hash: passwd'))
  }
  return mergeParts(found)
}

/** An account without anything that could be typed, now or once it is unlocked, has no ages. */
function compareAges(
  wanted: AccountsDesired,
  user: UserAccount,
  { repeated, today }: Pick<AccountsState, 'today'> & { readonly repeated: ReadonlySet<string> },
): PartialDecision<AccountCommand> {
  if (user.secret.kind === 'unknown' || user.secret.value.password.class === 'unusable') return AS_WANTED
  const { ageing } = user.secret.value
  const aged = compareAgeing(wanted, { ageing, today })
  const untouchable = aged.steps.length === 0 ? undefined : whyUntouchable(user, repeated)
  const obstacles = aged.obstacles.map((each) => cannot(`${user.name}: ${each.reason}`))
  return {
    ...drifted(...aged.drift.map((drift) => withAccount(user, drift))),
    obstacles: untouchable === undefined ? obstacles : [...obstacles, cannot(`${user.name}: ${untouchable}`)],
    steps: aged.steps.length === 0 || untouchable !== undefined ? [] : [['chage', ...aged.steps, user.name]],
  }
}

function whyUntouchable(
  { name, origin, isInPasswd, isShadowed }: UserAccount,
  repeated: ReadonlySet<string>,
): string | undefined {
  if (!isInPasswd) return notInFiles('passwd', placeOf(origin))
  if (!isShadowed) return 'its password is in passwd instead of shadow: run pwconv'
  if (repeated.has(name)) return 'several accounts have this name'
  // It would be taken for an option.
  return /^[A-Za-z0-9_.]/.test(name) ? undefined : 'the shadow tools reject this name'
}

function refusedOf(user: UserAccount, drift: Drift, reason: string): PartialDecision {
  return refused(withAccount(user, drift), reason)
}

/** A difference of one account, with the place that says what is there. */
function withAccount({ name, origin }: UserAccount, drift: Drift): Drift {
  const place = placeOf(origin)
  return { ...drift, path: name, note: drift.note === undefined ? place : `${drift.note}; ${place}` }
}
