import { type Decision, NO_PLAN, type Plan } from '../../../model/decision.ts'
import type { Seen } from '../../../model/observation.ts'
import { AS_WANTED, undecided } from '../../../model/partial-decision.ts'
import { whoElse } from '../accounts.ts'
import { compareHomes } from './homes.ts'
import { compareNames, comparePrimaryGroups } from './names.ts'
import { compareSecrets } from './secrets.ts'
import { selectGroups } from './select.ts'
import {
  type AccountsAction,
  type AccountsState,
  type AccountsDesired,
  type AccountsPart,
  mergeRules,
} from './wanted.ts'

export type { AccountsAction, AccountsState, AccountsDesired } from './wanted.ts'

/** Compares all accounts or groups that are meant with what has to be so of each. */
export function decideAccounts(wanted: AccountsDesired, observed: Seen<AccountsState>): Decision<AccountsAction> {
  if (observed.kind === 'absent') throw new Error('accounts always exist, even if none match')
  const { state } = observed
  const { count, found } = wanted.of === 'groups' ? judgeGroups(wanted, state) : judgeUsers(wanted, state)
  const others = whoElse(state.set)
  return {
    ensure: { desired: 'present', observed: 'present' },
    drift: found.drift,
    unknown: found.unknown,
    plan: planFor(found),
    ...(count === 0 ? { messages: [`no matching ${wanted.of === 'groups' ? 'group' : 'account'}`] } : {}),
    warnings: [...(others === undefined ? [] : [others]), ...state.set.leftOut, ...(found.warnings ?? [])],
  }
}

interface Judged {
  /** How many were meant; undefined where that is not known. */
  readonly count: number | undefined
  readonly found: AccountsPart
}

function judgeGroups(wanted: AccountsDesired, { set }: AccountsState): Judged {
  const groups = selectGroups(wanted, set)
  return { count: groups.length, found: mergeRules(compareNames(wanted, groups)) }
}

function judgeUsers(wanted: AccountsDesired, state: AccountsState): Judged {
  const { users } = state
  if (users.kind === 'unknown') {
    return { count: undefined, found: undecided('only', users) }
  }
  const found = mergeRules([
    ...compareNames(wanted, users.value),
    wanted.primary_group_exists === undefined ? AS_WANTED : comparePrimaryGroups(users.value, state.set),
    ...compareSecrets(wanted, users.value, state),
    ...compareHomes(wanted, users.value, state),
  ])
  return { count: users.value.length, found }
}

function planFor({ drift, steps: commands, attributes = [], obstacles }: AccountsPart): Plan<AccountsAction> {
  if (drift.length === 0) return NO_PLAN
  const reasons = new Map(obstacles.map((obstacle) => [obstacle.reason, obstacle]))
  const [first, ...others] = reasons.values()
  if (first !== undefined && commands.length === 0 && attributes.length === 0) {
    return { kind: 'refuse', obstacles: [first, ...others] }
  }
  const effects = [
    ...commands.map((command) => ({ kind: 'run', object: command.join(' ') }) as const),
    ...attributes.map(({ path }) => ({ kind: 'set-attributes', object: path }) as const),
  ]
  const text = 'Would have changed the accounts'
  const act = {
    kind: 'act',
    action: { commands, attributes },
    text,
    effects,
    obstacles: [],
  } as const
  return first === undefined ? act : { ...act, leaves: [first, ...others] }
}
