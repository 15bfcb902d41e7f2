import { defined } from '../model/defined.ts'
import { known, type Reading, unknown } from '../model/observation.ts'
import { ANY_KEY, type Assignment, type KeyName } from './assignment.ts'
import type { ConfigFiles, Effective, KeyRules, Surface } from './surface.ts'

export function isSameKey({ sameKey }: Pick<Surface, 'sameKey'>, left: KeyName, right: KeyName): boolean {
  return sameKey?.(left, right) ?? (left.key === right.key && left.section === right.section)
}

/** The assignments of a surface, cached per snapshot and shared by all its keys. */
export function assignmentsIn(files: ConfigFiles, surface: Surface): Reading<readonly Assignment[]> {
  const bySurface = ASSIGNMENTS.get(files) ?? new Map<Surface, Reading<readonly Assignment[]>>()
  ASSIGNMENTS.set(files, bySurface)
  const found = bySurface.get(surface) ?? surface.read(files)
  bySurface.set(surface, found)
  return found
}

const ASSIGNMENTS = new WeakMap<ConfigFiles, Map<Surface, Reading<readonly Assignment[]>>>()

/**
 * The effective values of a key: the global one first, then one for each scope. Unknown if a possibly effective line is
 * unclear.
 */
export function effectiveOf(
  surface: Surface,
  assignments: readonly Assignment[],
  key: KeyName,
  options: { readonly match?: string } = {},
): Reading<readonly [Effective, ...Effective[]]> {
  const rules = surface.rulesOf(key)
  const own = assignments.filter((each) => each.key === ANY_KEY || isSameKey(surface, each, key))
  const resolve = surface.resolve ?? resolveByRules
  const effective = resolve(own, rules, options)
  const unclear = effective
    .flatMap(({ winners, doubt }) => (doubt === undefined ? winners : []))
    .find((winner) => winner.unclear !== undefined)
  if (unclear === undefined) return known(effective)
  return unknown('not-observable', `${unclear.file}:${unclear.line}: ${unclear.unclear}`)
}

/** The effective values by the rules of the key, separately for each scope. */
export function resolveByRules(
  assignments: readonly Assignment[],
  rules: KeyRules,
): readonly [Effective, ...Effective[]] {
  const own = byScopes(assignments)
  const within = (scope: string | undefined): Effective => effectiveIn(own.get(scope) ?? [], rules, scope)
  return [within(undefined), ...[...own.keys()].filter((scope) => scope !== undefined).map(within)]
}

/** Groups assignments by scope, in order. */
export function byScopes(assignments: readonly Assignment[]): ReadonlyMap<string | undefined, readonly Assignment[]> {
  const scopes = new Map<string | undefined, Assignment[]>()
  for (const each of assignments) {
    const own = scopes.get(each.scope)
    if (own === undefined) scopes.set(each.scope, [each])
    else own.push(each)
  }
  return scopes
}

function effectiveIn(own: readonly Assignment[], rules: KeyRules, scope: string | undefined): Effective {
  const taken = own.filter(({ value, unclear }) => unclear !== undefined || (rules.takes?.(value) ?? true))
  const winners = winnersOf(taken, rules)
  return { ...defined({ scope }), winners, losers: own.filter((each) => !winners.includes(each)) }
}

function winnersOf(taken: readonly Assignment[], { wins, emptyResets }: KeyRules): readonly Assignment[] {
  const [first, last] = [taken[0], taken.at(-1)]
  switch (wins) {
    case 'first':
      return first === undefined ? [] : [first]
    case 'last':
      return last === undefined ? [] : [last]
    case 'all': {
      const reset =
        emptyResets === true ? taken.findLastIndex(({ value, unclear }) => value === '' && unclear === undefined) : -1
      return taken.slice(reset + 1)
    }
  }
}

/** The value that the program uses: the assigned one, or the default; undefined if neither is known. */
export function valueOf({ winners, unused }: Effective, rules: KeyRules): string | undefined {
  if (rules.isFlag === true) return String(winners.length > 0)
  if (winners.length === 0) return unused === undefined ? rules.default : undefined
  return winners.map(({ value }) => value).join(rules.between ?? ' ')
}
