import { entriesOf, itemsOf, member, textOf, type TreeMap, type TreeNode } from '../document/tree.ts'
import { type NamedResource, namedResource } from './catalogue.ts'
import type { Conditions, Entry } from './control-list.ts'
import { list, map, text, textOfNode, withMember } from './nodes.ts'

export interface Taken {
  readonly entry: Entry
  readonly theme: string
  readonly applies: Conditions
  readonly control: TreeMap
  readonly resources: TreeNode | undefined
}

/** The number of the control that checks the operating system itself. */
const SYSTEM = '0'

export function numberOf({ id, number = id }: Entry): string {
  return number
}

interface SharedResource extends NamedResource {
  readonly offset: number
  readonly controls: Taken[]
}

interface Referenced extends SharedResource {
  readonly alias: string | undefined
  readonly reference: string
}

/**
 * The resources of all controls, and the references of each control. Equal resources are merged; different ones with
 * the same name get the number of their control as alias.
 */
export function gatherResources(
  taken: readonly Taken[],
  applies: Conditions,
): { readonly resources: readonly TreeNode[]; readonly referencesOf: ReadonlyMap<Taken, readonly string[]> } {
  const byThing = new Map<string, Map<string, SharedResource>>()
  for (const each of taken) {
    for (const item of itemsOf(each.resources)) {
      const named = namedResource(item)
      if (named === undefined) continue
      const resource = { ...named, properties: withConditions(named, [each.applies, applies]) }
      const alike = getOrCompute(byThing, `${resource.type}#${resource.name}`, () => new Map<string, SharedResource>())
      const key = textOfNode(resource.properties)
      getOrCompute(alike, key, (): SharedResource => ({
        ...resource,
        offset: item.offset,
        controls: [],
      })).controls.push(each)
    }
  }
  const referenced = [...byThing.values()].flatMap(withReferences)
  const referencesOf = new Map(taken.map((each): [Taken, string[]] => [each, []]))
  for (const { controls, reference } of referenced)
    for (const each of new Set(controls)) referencesOf.get(each)?.push(reference)
  return { resources: inOrder(referenced), referencesOf }
}

function withReferences(alike: ReadonlyMap<string, SharedResource>): readonly Referenced[] {
  const counts = new Map<string, number>()
  return [...alike.values()].map((asked) => {
    const { type, name, properties, controls } = asked
    const number = controls[0] === undefined ? '' : numberOf(controls[0].entry)
    const count = (counts.get(number) ?? 0) + 1
    counts.set(number, count)
    const alias = alike.size === 1 ? undefined : `${name} (${number}${count === 1 ? '' : `, ${count}`})`
    const own = textOf(member(properties, 'alias'))
    return { ...asked, alias, reference: `${type}#${alias ?? own ?? name}` }
  })
}

/**
 * Sorts the system check first, so that a fix changes nothing on another system, and installed packages before their
 * configuration and services.
 */
function inOrder(all: readonly Referenced[]): readonly TreeNode[] {
  const isSystem = ({ controls }: SharedResource): boolean => controls.some(({ entry }) => numberOf(entry) === SYSTEM)
  const isInstalled = ({ type, properties }: SharedResource): boolean =>
    type === 'package' && textOf(member(properties, 'ensure')) === 'present'
  const system = all.filter(isSystem)
  const others = all.filter((each) => !isSystem(each))
  const references = system.map(({ reference }) => reference)
  return [
    ...system.map((each) => resourceNode(each, [])),
    ...others.filter(isInstalled).map((each) => resourceNode(each, references)),
    ...others.filter((each) => !isInstalled(each)).map((each) => resourceNode(each, references)),
  ]
}

function resourceNode({ type, name, properties, alias, offset }: Referenced, required: readonly string[]): TreeNode {
  let body = alias === undefined ? properties : withMember(properties, 'alias', text(alias, offset))
  const require = [...required.map((reference) => text(reference, offset)), ...itemsOf(member(properties, 'require'))]
  if (require.length > 0) body = withMember(body, 'require', list(require, offset))
  return map({ [type]: list([map({ [name]: body }, offset)], offset) }, offset)
}

/** The properties of a resource; its condition includes those that apply to its name, or to the program that names its files. */
function withConditions({ type, name, properties }: NamedResource, applied: readonly Conditions[]): TreeMap {
  const control = member(properties, 'control')
  const own = textOf(member(control, 'if'))
  const names = [name, textOf(member(properties, 'named_by')) ?? name].map((each) => `${type}#${each}`)
  const found = applied.flatMap(
    (conditions) => conditions.find(([start]) => names.some((each) => each.startsWith(start)))?.[1] ?? [],
  )
  if (found.length === 0) return properties
  const [first = '', ...others] = new Set(own === undefined ? found : [...found, own])
  const all = others.reduce((joined, each) => `${joined} && (${each})`, others.length === 0 ? first : `(${first})`)
  const { offset } = properties
  return withMember(
    properties,
    'control',
    withMember({ kind: 'map', offset, entries: entriesOf(control) }, 'if', text(all, offset)),
  )
}

function getOrCompute<Key, Value>(all: Map<Key, Value>, key: Key, make: () => Value): Value {
  const value = all.get(key) ?? make()
  all.set(key, value)
  return value
}
