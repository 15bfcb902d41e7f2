import type { Assignment } from '../../settings/assignment.ts'
import type { Effective } from '../../settings/surface.ts'

/**
 * The last line counts, for those whom it is about; a line for all behind one for some takes that back. What is for commands is
 * applied after everything else.
 */
export function resolveDefaults(assignments: readonly Assignment[]): readonly [Effective, ...Effective[]] {
  const forAll = assignments.filter(({ scope }) => scope === undefined)
  const scopes = new Set(assignments.flatMap(({ scope }) => (scope === undefined ? [] : [scope])))
  const within = [...scopes].flatMap((scope): Effective[] => {
    const isLater = scope.startsWith('Defaults!')
    const own = assignments.filter((each) => each.scope === scope || (!isLater && each.scope === undefined))
    const winner = own.at(-1)
    return winner?.scope === scope ? [{ scope, winners: [winner], losers: own.slice(0, -1) }] : []
  })
  return [{ winners: forAll.slice(-1), losers: forAll.slice(0, -1) }, ...within]
}

/** Those who are asked for no password after all: what a later line takes back does not count. */
export function resolveUnasked(assignments: readonly Assignment[]): readonly [Effective, ...Effective[]] {
  const places = resolveDefaults(assignments)
    .filter(({ winners }) => winners.some(({ value }) => value === 'false'))
    .map(({ scope = 'Defaults', ...each }): Effective => ({ scope, ...each }))
  return [{ winners: [], losers: [] }, ...places]
}

/** Every place by itself: each of them grants what it grants. */
export function resolvePlaces(assignments: readonly Assignment[]): readonly [Effective, ...Effective[]] {
  const places = assignments.map((each): Effective => ({
    scope: each.scope ?? each.value,
    winners: [each],
    losers: [],
  }))
  return [{ winners: [], losers: [] }, ...places]
}
