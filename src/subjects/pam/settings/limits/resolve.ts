import { defined } from '../../../../model/defined.ts'
import { ANY_KEY, type Assignment } from '../../../../settings/assignment.ts'
import { byScopes } from '../../../../settings/effective.ts'
import type { Effective } from '../../../../settings/surface.ts'
import { ROOT_STANDS_ALONE, UNLIMITED } from './format.ts'

/** A user and the groups of the query. */
export interface LimitedUser {
  readonly user: string
  readonly groups: readonly string[]
}

/** Parses `user=bob,group=staff`; `group=` may occur several times. Undefined without a user. */
export function parseUser(text: string): LimitedUser | undefined {
  const parts = text.split(',').map((part) => /^\s*(user|group)=(\S+)\s*$/.exec(part))
  const named = (name: string): readonly string[] =>
    parts.flatMap((part) => (part?.[1] === name ? [part[2] ?? ''] : []))
  const [user, ...others] = named('user')
  return user === undefined || others.length > 0 || parts.includes(null) ? undefined : { user, groups: named('group') }
}

/**
 * The effective limit of a user, or of all users and of each domain with a line; root counts as a domain if it is exempt.
 */
export function resolveLimits(
  assignments: readonly Assignment[],
  asked: LimitedUser | undefined,
): readonly [Effective, ...Effective[]] {
  const lines = assignments.filter((each) => each !== ROOT_STANDS_ALONE && each.section !== UNLIMITED)
  const isRootAlone = assignments.includes(ROOT_STANDS_ALONE)
  const others = assignments
    .filter(({ section }) => section === UNLIMITED)
    .map(({ scope, value }): Effective => {
      return { ...defined({ scope }), standsAlone: true, remedy: value, winners: [], losers: [] }
    })
  const byScope = byScopes(lines)
  const own = (scope: string | undefined): readonly Assignment[] => byScope.get(scope) ?? []
  const effective = (counting: readonly Assignment[], rivals: readonly Assignment[], scope?: string): Effective => {
    const exempt = counting.filter(({ key }) => key === ANY_KEY).slice(0, 1)
    const winners = exempt.length > 0 ? exempt : counting.slice(-1)
    const alone = scope === 'root' && isRootAlone ? { standsAlone: true as const } : {}
    return { ...defined({ scope }), ...alone, winners, losers: rivals.filter((each) => !winners.includes(each)) }
  }
  if (asked !== undefined) {
    const range = lines.find(({ scope }) => scope?.includes(':'))
    if (range !== undefined)
      return [effective([{ ...range, unclear: `cannot tell whether ${asked.user} is in ${range.scope}` }], lines)]
    const reaches = asked.user !== 'root' || !isRootAlone
    const ofGroups = lines.filter(({ scope }) => reaches && asked.groups.some((group) => scope === `@${group}`))
    const ranks = [own(asked.user), ofGroups, reaches ? own(undefined) : []]
    const exempting = ranks.flat().filter(({ key }) => key === ANY_KEY)
    const rank = exempting.length > 0 ? exempting : ranks.find((each) => each.length > 0)
    return [effective(rank ?? [], ranks.flat()), ...others]
  }
  const scopes = new Set(lines.flatMap(({ scope }) => (scope === undefined ? [] : [scope])))
  if (isRootAlone) scopes.add('root')
  return [
    effective(own(undefined), own(undefined)),
    ...[...scopes].map((scope) => effective(own(scope), own(scope), scope)),
    ...others,
  ]
}
