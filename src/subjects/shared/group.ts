import type { Observation, Seen } from '../../model/observation.ts'
import type { ListSpec, Rule } from '../../model/property.ts'

/** How many of a group have to be there. */
type GroupKind = 'one_of' | 'exactly_one_of' | 'none_of'

/** What a policy says of a group: one of the lists. */
export type GroupDesired = { readonly [Kind in GroupKind]?: readonly string[] | undefined }

/** A group and the names in it; never empty. */
export interface Group {
  readonly kind: GroupKind
  readonly names: readonly string[]
}

/** What was seen of everything that a group names. */
export interface GroupObserved<State, Context> {
  readonly group: Group
  readonly members: readonly GroupMember<State, Context>[]
}

/** One of a group, looked at as a resource of its own. */
export interface GroupMember<State, Context> {
  readonly name: string
  readonly seen: Observation<State, Context>
}

const WORDS: Readonly<Record<GroupKind, string>> = {
  one_of: 'at least one of',
  exactly_one_of: 'exactly one of',
  none_of: 'none of',
}

/** The properties that hold the names of a group. */
export const GROUP_KINDS: readonly GroupKind[] = ['one_of', 'exactly_one_of', 'none_of']

/** The definition of such a property. */
export function groupSpec<const Summary extends string>(
  summary: Summary,
): ListSpec & { readonly kind: 'list'; readonly items: { readonly kind: 'text'; readonly summary: 'A name.' } } {
  return {
    kind: 'list',
    nonEmpty: true,
    items: { kind: 'text', nonEmpty: true, summary: 'A name.' },
    phase: 'early',
    summary,
  }
}

/** The group that a policy means, where it means one. */
export function groupOf(wanted: GroupDesired): Group | undefined {
  for (const kind of GROUP_KINDS) {
    const names = wanted[kind]
    if (names !== undefined) return { kind, names }
  }
  return undefined
}

/** A group in words. */
export function describeGroup({ kind, names }: Group): string {
  return `${WORDS[kind]} ${names.join(', ')}`
}

/** What was seen, where that is a group. */
export function groupIn<State extends object, Context>(
  observed: Seen<State | GroupObserved<State, Context>, Context>,
): GroupObserved<State, Context> | undefined {
  return observed.kind === 'present' && 'members' in observed.state ? observed.state : undefined
}

/** The rules for the names in each of the lists: names that a resource could have, each once. */
export function groupRules(problemOf: (name: string) => string | undefined): readonly Rule<GroupDesired>[] {
  return GROUP_KINDS.map((kind) => ({
    reads: [kind],
    at: kind,
    check({ [kind]: names = [] }) {
      const twice = names.find((name, index) => names.indexOf(name) < index)
      if (twice !== undefined) return `${kind} names ${JSON.stringify(twice)} twice`
      return names.flatMap((name) => problemOf(name) ?? [])[0]
    },
  }))
}
