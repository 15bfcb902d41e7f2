import type { Observation, Seen } from '../../model/observation.ts'
import type { ListSpec, Rule } from '../../model/property.ts'

type GroupKind = 'one_of' | 'exactly_one_of' | 'none_of'

/** Group of a policy: one of the lists. */
export type GroupDesired = { readonly [Kind in GroupKind]?: readonly string[] | undefined }

/** Group with its names; never empty. */
export interface Group {
  readonly kind: GroupKind
  readonly names: readonly string[]
}

export interface GroupObserved<State, Context> {
  readonly group: Group
  readonly members: readonly GroupMember<State, Context>[]
}

/** Observation of one member, as if it were a resource of its own. */
export interface GroupMember<State, Context> {
  readonly name: string
  readonly seen: Observation<State, Context>
}

const WORDS: Readonly<Record<GroupKind, string>> = {
  one_of: 'at least one of',
  exactly_one_of: 'exactly one of',
  none_of: 'none of',
}

/** Properties that list the names of a group. */
export const GROUP_KINDS: readonly GroupKind[] = ['one_of', 'exactly_one_of', 'none_of']

/** Definition of a group property. */
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

/** Group of a policy; undefined without a group. */
export function groupOf(wanted: GroupDesired): Group | undefined {
  for (const kind of GROUP_KINDS) {
    const names = wanted[kind]
    if (names !== undefined) return { kind, names }
  }
  return undefined
}

/** Text form of a group, for messages. */
export function describeGroup({ kind, names }: Group): string {
  return `${WORDS[kind]} ${names.join(', ')}`
}

/** The observed group; undefined if the observation is not a group. */
export function groupIn<State extends object, Context>(
  observed: Seen<State | GroupObserved<State, Context>, Context>,
): GroupObserved<State, Context> | undefined {
  return observed.kind === 'present' && 'members' in observed.state ? observed.state : undefined
}

/** Rules for the names of each list: valid resource names without duplicates. */
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
