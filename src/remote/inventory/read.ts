import { TemplateError } from '../../templates/errors.ts'
import { fromPlain } from '../../templates/govalue/index.ts'
import type { Result } from '../../model/problem.ts'
import { didYouMean } from '../../model/suggest.ts'
import type { Layer } from '../../policy/data/merge.ts'
import { checkKeys, labelsOf, readForm, type Reading as FormReading, addProblem } from '../../policy/document/form.ts'
import { positionAt } from '../../policy/document/lines.ts'
import {
  asMap,
  entriesOf,
  toPlainValue,
  textOf,
  type TreeMap,
  type TreeMember,
  type TreeNode,
} from '../../policy/document/tree.ts'
import { type Inventory, type InventoryGroup, type InventoryTarget, isTargetName, NAME_RULE } from './inventory.ts'

/** Keys that `--set` supports, by which data is sent to remote targets. */
export const DATA_KEY: RegExp = /^[^=\\]+$/

const INVENTORY_KEYS = ['targets', 'groups'] as const
const TARGET_KEYS = ['name', 'target', 'labels', 'data'] as const
const GROUP_KEYS = ['targets', 'labels', 'data'] as const

/**
 * Reads an inventory in YAML or JSON. Reports all errors with their positions. `complain` describes why a target text
 * is invalid, as the end of a sentence.
 */
export function readInventory(
  file: string,
  text: string,
  complain: (spec: string) => string | undefined,
): Result<Inventory> {
  return readForm({ file, text, what: 'inventory' }, (root, reading) => inventoryOf(root, { ...reading, complain }))
}

interface Reading extends FormReading {
  readonly complain: (spec: string) => string | undefined
}

function inventoryOf(root: TreeNode, reading: Reading): Inventory {
  if (root.kind !== 'map') {
    addProblem(reading, root, 'an inventory must be a map with the key "targets"')
    return { targets: [], groups: new Map() }
  }
  checkKeys(root, INVENTORY_KEYS, reading)
  const own = targetsOf(root, reading)
  const groups = groupsOf(root.entries.get('groups'), own, reading)
  const targets = [...own.values()].map((target): InventoryTarget => {
    const around = [...groups.values()].filter((group) => group.targets.has(target.name))
    return {
      ...target,
      labels: Object.fromEntries([...around, target].flatMap(({ labels }) => Object.entries(labels))),
      data: [...around, target].flatMap(({ data }) => data),
    }
  })
  return { targets, groups }
}

function targetsOf(root: TreeMap, reading: Reading): ReadonlyMap<string, InventoryTarget> {
  const targets = new Map<string, InventoryTarget>()
  const list = root.entries.get('targets')?.value
  if (list?.kind !== 'list' || list.items.length === 0) {
    addProblem(reading, list ?? root, 'targets must be a non-empty list')
    return targets
  }
  for (const node of list.items) {
    const target = targetOf(node, reading)
    if (target === undefined) continue
    if (targets.has(target.name)) addProblem(reading, node, `target "${target.name}" is already in the inventory`)
    targets.set(target.name, target)
  }
  return targets
}

function targetOf(node: TreeNode, reading: Reading): InventoryTarget | undefined {
  const name = textOf(asMap(node)?.entries.get('name')?.value)
  const place = asMap(node)?.entries.get('target')?.value
  const spec = textOf(place)
  if (node.kind !== 'map' || name === undefined || place === undefined || spec === undefined) {
    addProblem(
      reading,
      node,
      'a target must be a map with "name" and "target", such as { name: web01, target: ssh:web01 }',
    )
    return undefined
  }
  checkKeys(node, TARGET_KEYS, reading)
  if (!isTargetName(name)) addProblem(reading, node, `"${name}" is not a valid name: ${NAME_RULE}`)
  const complaint = reading.complain(spec)
  if (complaint !== undefined) addProblem(reading, place, `target ${complaint}`)
  const position = positionAt(reading.source, node.offset)
  return {
    name,
    spec,
    position,
    way: {},
    refused: [],
    passedOver: [],
    labels: labelsOf(node.entries.get('labels'), reading),
    data: dataOf(node, `target ${name}`, reading),
  }
}

interface GroupWithData extends InventoryGroup, Pick<InventoryTarget, 'labels' | 'data'> {}

function groupsOf(
  member: TreeMember | undefined,
  targets: ReadonlyMap<string, InventoryTarget>,
  reading: Reading,
): ReadonlyMap<string, GroupWithData> {
  const groups = new Map<string, GroupWithData>()
  if (member !== undefined && member.value.kind !== 'map')
    addProblem(reading, member.value, 'groups must be a map from their names')
  for (const [name, { value, keyOffset }] of entriesOf(member?.value)) {
    const key = { offset: keyOffset }
    if (!isTargetName(name)) addProblem(reading, key, `"${name}" is not a valid name: ${NAME_RULE}`)
    if (targets.has(name)) addProblem(reading, key, `"${name}" is already a target: rename the group`)
    if (value.kind !== 'map') {
      addProblem(reading, value, 'a group must be a map with "targets"')
      continue
    }
    checkKeys(value, GROUP_KEYS, reading)
    const members = membersOf(value, targets, reading)
    groups.set(name, {
      targets: members,
      labels: labelsOf(value.entries.get('labels'), reading),
      data: dataOf(value, `group ${name}`, reading),
    })
  }
  return groups
}

function membersOf(
  group: TreeMap,
  targets: ReadonlyMap<string, InventoryTarget>,
  reading: Reading,
): ReadonlySet<string> {
  const list = group.entries.get('targets')?.value
  if (list?.kind !== 'list') addProblem(reading, list ?? group, 'targets of a group must be a list of names')
  const names = new Set<string>()
  for (const item of list?.kind === 'list' ? list.items : []) {
    const name = textOf(item) ?? ''
    if (!targets.has(name)) addProblem(reading, item, `no target "${name}"${didYouMean(name, targets.keys())}`)
    names.add(name)
  }
  return names
}

function dataOf({ entries }: TreeMap, whose: string, reading: Reading): readonly Layer[] {
  const node = entries.get('data')?.value
  if (node === undefined) return []
  if (node.kind !== 'map') {
    addProblem(reading, node, 'data must be a map')
    return []
  }
  try {
    for (const [key, { keyOffset }] of node.entries) {
      if (!DATA_KEY.test(key))
        addProblem(reading, { offset: keyOffset }, `"${key}" cannot be a key of data: remove = and \\`)
    }
    const data = fromPlain(toPlainValue(node))
    return data instanceof Map ? [{ origin: `${reading.source.file}: ${whose}`, data, merge: 'deep' }] : []
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    addProblem(reading, node, `data ${error.message}`)
    return []
  }
}
