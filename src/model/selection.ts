import type { Control, Declaration, Policy } from './policy.ts'

/** The selectors of `--only` and `--skip`. */
export interface Selection {
  readonly only: readonly string[]
  readonly skip: readonly string[]
}

export const EVERYTHING: Selection = { only: [], skip: [] }

/**
 * The selected parts of each policy, including children: ids of resources, and of controls without resources, which
 * need manual review. `unmatched` are selectors without a match.
 */
export interface Selected {
  readonly ids: ReadonlyMap<Policy, ReadonlySet<string>>
  readonly bareControls: ReadonlyMap<Policy, ReadonlySet<string>>
  readonly unmatched: readonly string[]
}

/**
 * Applies selectors to policies. A selector is `type#name` or `type#alias`, a control id, or `tag:NAME`; `*` matches
 * any characters and `?` one. Without `only`, everything is selected; `skip` takes precedence over `only`. Selecting or
 * skipping an apply resource applies to its whole child manifest; selecting a resource in the child manifest includes
 * the apply resource.
 */
export function select(policies: readonly Policy[], selection: Selection): Selected {
  const only = selection.only.map(parseSelector)
  const skip = selection.skip.map(parseSelector)
  const selecting: Selecting = { only, skip, used: new Set(), ids: new Map(), bareControls: new Map() }
  for (const policy of policies) selectIn(policy, only.length === 0 ? 'everything' : 'what matches', selecting)
  const unmatched = [...only, ...skip].filter((selector) => !selecting.used.has(selector)).map(({ text }) => text)
  return { ids: selecting.ids, bareControls: selecting.bareControls, unmatched }
}

interface Selecting {
  readonly only: readonly Selector[]
  readonly skip: readonly Selector[]
  readonly used: Set<Selector>
  readonly ids: Map<Policy, ReadonlySet<string>>
  readonly bareControls: Map<Policy, ReadonlySet<string>>
}

/** The part of a policy to select. Selectors are matched even if nothing is selected, to find unmatched ones. */
type Desired = 'everything' | 'what matches' | 'nothing'

function selectIn(policy: Policy, wanted: Desired, selecting: Selecting): ReadonlySet<string> {
  const matching = selectNamed(policy, selecting.only, selecting.used)
  const unwanted = selectNamed(policy, selecting.skip, selecting.used)
  const selected = new Set<string>()
  for (const { id } of policy.resources) {
    const isWanted = wanted === 'everything' || (wanted === 'what matches' && matching.resources.has(id))
    const own =
      wanted === 'nothing' || unwanted.resources.has(id) ? 'nothing' : isWanted ? 'everything' : 'what matches'
    const child = policy.children?.get(id)
    const isSelected = child?.kind === 'loaded' ? selectIn(child.policy, own, selecting).size > 0 : own === 'everything'
    if (isSelected) selected.add(id)
  }
  selecting.ids.set(policy, selected)
  const bare = policy.controls.filter(
    ({ id, resources }) =>
      resources.length === 0 &&
      !unwanted.controls.has(id) &&
      (wanted === 'everything' || (wanted === 'what matches' && matching.controls.has(id))),
  )
  selecting.bareControls.set(policy, new Set(bare.map(({ id }) => id)))
  return selected
}

interface Selector {
  readonly text: string
  readonly select: (policy: Policy) => Named
}

/** The matches of a selector: resources by id, and controls without resources. */
interface Named {
  readonly resources: readonly string[]
  readonly controls: readonly string[]
}

function selectNamed(
  policy: Policy,
  selectors: readonly Selector[],
  used: Set<Selector>,
): { readonly resources: ReadonlySet<string>; readonly controls: ReadonlySet<string> } {
  const found = selectors.map((selector) => {
    const { resources, controls } = selector.select(policy)
    if (resources.length + controls.length > 0) used.add(selector)
    return { resources, controls }
  })
  return {
    resources: new Set(found.flatMap(({ resources }) => resources)),
    controls: new Set(found.flatMap(({ controls }) => controls)),
  }
}

function parseSelector(text: string): Selector {
  if (text.startsWith('tag:')) {
    const matches = globMatcher(text.slice('tag:'.length))
    return { text, select: ({ controls }) => namedBy(controls.filter(({ tags }) => tags.some(matches))) }
  }
  const matches = globMatcher(text)
  if (!text.includes('#')) return { text, select: ({ controls }) => namedBy(controls.filter(({ id }) => matches(id))) }
  const isNamed = ({ id, type, name, alias }: Declaration): boolean =>
    [id, `${type}#${name}`, ...(alias === undefined ? [] : [`${type}#${alias}`])].some(matches)
  return {
    text,
    select: ({ resources }) => ({ resources: resources.filter(isNamed).map(({ id }) => id), controls: [] }),
  }
}

function namedBy(controls: readonly Control[]): Named {
  return {
    resources: controls.flatMap(({ resources }) => resources),
    controls: controls.filter(({ resources }) => resources.length === 0).map(({ id }) => id),
  }
}

/** Matches whole texts against a pattern: `*` matches any characters, including `/`, and `?` one. */
export function globMatcher(pattern: string): (text: string) => boolean {
  if (!/[*?]/.test(pattern)) return (text) => text === pattern
  return (text) => matchesGlob(pattern, text)
}

/** Linear in practice, quadratic at worst: after a mismatch only the last star is tried again. */
function matchesGlob(pattern: string, text: string): boolean {
  let position = 0
  let index = 0
  let star = -1
  let resume = 0
  while (index < text.length) {
    const wanted = pattern[position]
    if (wanted === '*') {
      star = position++
      resume = index
    } else if (wanted === '?' || wanted === text[index]) {
      position++
      index++
    } else if (star >= 0) {
      position = star + 1
      index = ++resume
    } else {
      return false
    }
  }
  while (pattern[position] === '*') position++
  return position === pattern.length
}
