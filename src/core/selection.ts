import type { Policy } from './policy.ts'

/** What `--only` and `--skip` ask for. */
export interface Selection {
  readonly only: readonly string[]
  readonly skip: readonly string[]
}

export const EVERYTHING: Selection = { only: [], skip: [] }

/**
 * What of each policy, children included, is evaluated: the ids of its resources. `unmatched` are selectors that name
 * nothing.
 */
export interface Selected {
  readonly ids: ReadonlyMap<Policy, ReadonlySet<string>>
  readonly unmatched: readonly string[]
}

/**
 * Applies selectors to policies. A selector is `type#name` or `type#alias`, a control id, or `tag:NAME`; `*` stands for
 * any characters and `?` for one. Without `only` everything is in; `skip` wins over `only`. An apply resource stands for
 * its child manifest: selecting or skipping it concerns everything below, and a single resource below is reached through
 * it.
 */
export function select(policies: readonly Policy[], selection: Selection): Selected {
  const only = selection.only.map(parseSelector)
  const skip = selection.skip.map(parseSelector)
  const selecting: Selecting = { only, skip, used: new Set(), ids: new Map() }
  for (const policy of policies) selectIn(policy, only.length === 0 ? 'everything' : 'what matches', selecting)
  const unmatched = [...only, ...skip].filter((selector) => !selecting.used.has(selector)).map(({ text }) => text)
  return { ids: selecting.ids, unmatched }
}

interface Selecting {
  readonly only: readonly Selector[]
  readonly skip: readonly Selector[]
  /** The selectors that name something. */
  readonly used: Set<Selector>
  readonly ids: Map<Policy, ReadonlySet<string>>
}

/** What is wanted of a policy. Selectors may name something in one of which nothing is. */
type Wanted = 'everything' | 'what matches' | 'nothing'

function selectIn(policy: Policy, wanted: Wanted, selecting: Selecting): ReadonlySet<string> {
  const matching = idsOf(policy, selecting.only, selecting.used)
  const unwanted = idsOf(policy, selecting.skip, selecting.used)
  const selected = new Set<string>()
  for (const { id } of policy.resources) {
    const isWanted = wanted === 'everything' || (wanted === 'what matches' && matching.has(id))
    const own = wanted === 'nothing' || unwanted.has(id) ? 'nothing' : isWanted ? 'everything' : 'what matches'
    const child = policy.children?.get(id)
    const isSelected = child?.kind === 'loaded' ? selectIn(child.policy, own, selecting).size > 0 : own === 'everything'
    if (isSelected) selected.add(id)
  }
  selecting.ids.set(policy, selected)
  return selected
}

interface Selector {
  readonly text: string
  readonly select: (policy: Policy) => readonly string[]
}

function idsOf(policy: Policy, selectors: readonly Selector[], used: Set<Selector>): ReadonlySet<string> {
  const ids = new Set<string>()
  for (const selector of selectors) {
    const found = selector.select(policy)
    if (found.length > 0) used.add(selector)
    for (const id of found) ids.add(id)
  }
  return ids
}

function parseSelector(text: string): Selector {
  if (text.startsWith('tag:')) {
    const matches = globMatcher(text.slice('tag:'.length))
    return {
      text,
      select: ({ controls }) => controls.filter(({ tags }) => tags.some(matches)).flatMap((c) => c.resources),
    }
  }
  const matches = globMatcher(text)
  if (text.includes('#')) {
    return {
      text,
      select: ({ resources }) =>
        resources
          .filter(({ id, type, name, alias }) =>
            [id, `${type}#${name}`, ...(alias === undefined ? [] : [`${type}#${alias}`])].some(matches),
          )
          .map(({ id }) => id),
    }
  }
  return { text, select: ({ controls }) => controls.filter(({ id }) => matches(id)).flatMap((c) => c.resources) }
}

/** Matches whole texts against a pattern in which `*` is any run of characters, `/` included, and `?` is one. */
export function globMatcher(pattern: string): (text: string) => boolean {
  if (!/[*?]/.test(pattern)) return (text) => text === pattern
  return (text) => matchesGlob(pattern, text)
}

/** Linear in practice and never worse than quadratic: on a mismatch only the last star is tried again. */
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
