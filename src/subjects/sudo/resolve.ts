import type { Assignment } from '../../settings/assignment.ts'
import type { Effective } from '../../settings/surface.ts'

/** The last line of each scope is effective; a later line for all overrides one for a scope. Command scopes are applied last. */
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

/** Scopes that need no password; lines overridden later do not count. */
export function resolveUnasked(assignments: readonly Assignment[]): readonly [Effective, ...Effective[]] {
  const places = resolveDefaults(assignments)
    .filter(({ winners }) => winners.some(({ value }) => value === 'false'))
    .map(({ scope = 'Defaults', ...each }): Effective => ({ scope, ...each }))
  return [{ winners: [], losers: [] }, ...places]
}

/** Each line is effective by itself, as it grants its own rights. */
export function resolvePlaces(assignments: readonly Assignment[]): readonly [Effective, ...Effective[]] {
  const places = assignments.map((each): Effective => ({
    scope: each.scope ?? each.value,
    winners: [each],
    losers: [],
  }))
  return [{ winners: [], losers: [] }, ...places]
}
