import { checkKeys, type Reading, addProblem } from '../document/form.ts'
import { positionAt } from '../document/lines.ts'
import { entriesOf, itemsOf, member, textOf, textsOf, type TreeMember, type TreeNode } from '../document/tree.ts'

/** The key of a policy that selects controls from a catalogue. */
export const CATALOGUE = 'catalogue'

export interface ControlList {
  readonly offset: number
  /** Directories or files beside the policy, or the catalogue that ships. */
  readonly from: readonly Word[]
  /** The variant of resources to select; by default the id of the policy. */
  readonly variant: Word | undefined
  /** Whether references contain only the number of the control in this list. */
  readonly refersToItself: boolean
  readonly parameters: ReadonlyMap<string, TreeMember>
  readonly applies: Conditions
  readonly entries: readonly Entry[]
}

/** Conditions by prefix of the `type#name` of resources. */
export type Conditions = readonly (readonly [start: string, condition: string])[]

interface Word {
  readonly text: string
  readonly offset: number
}

export interface Entry {
  readonly id: string
  readonly offset: number
  /** The number of the control in the policy; by default its id in the catalogue. */
  readonly number: string | undefined
  readonly level: string | undefined
}

const KEYS = ['from', 'variant', 'references', 'parameters', 'applies', 'controls'] as const
const REFERENCES = ['all', 'own'] as const
const ENTRY = /^(?:(?<number>(?!L\d+ )\S+) +)?(?:L(?<level>\d+) +)?(?<id>[\w.-]+)$/

/** Reads the selection of a policy; undefined if there is no `catalogue` key. */
export function readControlList(root: TreeNode, reading: Reading): ControlList | undefined {
  const given = entriesOf(root).get(CATALOGUE)
  if (given === undefined) return undefined
  const { value: list, keyOffset: offset } = given
  if (list.kind !== 'map') addProblem(reading, list, 'catalogue must be a map with the keys "from" and "controls"')
  checkKeys(list, KEYS, reading)
  const references = textOf(member(list, 'references')) ?? 'all'
  if (!REFERENCES.some((word) => word === references))
    addProblem(reading, member(list, 'references') ?? list, `references must be one of ${REFERENCES.join(', ')}`)
  return {
    offset,
    from: readFrom(list, reading),
    variant: wordOf(member(list, 'variant')),
    refersToItself: references === 'own',
    parameters: entriesOf(mapIn(list, 'parameters', reading)),
    applies: readConditions(list, reading),
    entries: readEntries(member(list, 'controls') ?? list, reading),
  }
}

/** Reads the key `applies` of a policy or a catalogue. */
export function readConditions(holder: TreeNode, reading: Reading): Conditions {
  return [...entriesOf(mapIn(holder, 'applies', reading))].map(([start, { value }]) => {
    const condition = textOf(value)
    if (condition === undefined) addProblem(reading, value, 'a condition must be a string')
    return [start, condition ?? '']
  })
}

function readFrom(list: TreeNode, reading: Reading): readonly Word[] {
  const from = member(list, 'from')
  const one = wordOf(from)
  const words = one === undefined ? textsOf(from) : [one]
  if (words.length === 0)
    addProblem(reading, from ?? list, 'from must name a catalogue: @catalogue, or a directory next to the policy')
  return words
}

function wordOf(node: TreeNode | undefined): Word | undefined {
  const text = textOf(node)
  return node === undefined || text === undefined ? undefined : { text, offset: node.offset }
}

function mapIn(list: TreeNode, key: string, reading: Reading): TreeNode | undefined {
  const node = member(list, key)
  if (node !== undefined && node.kind !== 'map') addProblem(reading, node, `${key} must be a map`)
  return node
}

function readEntries(node: TreeNode, reading: Reading): readonly Entry[] {
  if (itemsOf(node).length === 0) addProblem(reading, node, 'controls must be a list of controls')
  const entries = new Map<string, Entry>()
  for (const item of itemsOf(node)) {
    const entry = entryOf(item)
    if (entry === undefined) {
      addProblem(reading, item, 'a control must be ID, NUMBER ID or NUMBER L1 ID, such as "5.1.20 L1 ssh-root-login"')
      continue
    }
    const earlier = entries.get(entry.id)
    if (earlier === undefined) entries.set(entry.id, entry)
    else
      addProblem(
        reading,
        item,
        `control "${entry.id}" is already listed on line ${positionAt(reading.source, earlier.offset).line}`,
      )
  }
  return [...entries.values()]
}

function entryOf(item: TreeNode): Entry | undefined {
  const groups = ENTRY.exec(textOf(item) ?? '')?.groups
  if (groups === undefined) return undefined
  return { id: groups['id'] ?? '', offset: item.offset, number: groups['number'], level: groups['level'] }
}
