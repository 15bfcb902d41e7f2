import { type Layer, layersOf, mergeLayers, valueAt } from '../../../policy/data/merge.ts'
import type { GoValue } from '../../../templates/govalue/index.ts'
import { positionAt, type SourceText } from '../../../policy/document/lines.ts'
import { entriesOf, member, type TreeMember, type TreeNode } from '../../../policy/document/tree.ts'
import type { Link, Located } from './find.ts'
import type { InputOrigin } from './model.ts'

/** A policy, and the apply resources through which it was reached. */
export type ReachedPolicy = Pick<Located, 'document' | 'above'>

/** A layer that holds a value, and how it is written there if that is known. */
export interface Source {
  readonly origin: InputOrigin
  readonly written?: { readonly node: TreeNode; readonly place: ReachedPolicy; readonly by: 'data' | 'resource' }
}

/** The layers of a value. */
export interface Sources {
  /** Those it is made of, the deciding one last. */
  readonly from: readonly Source[]
  /** Those that another one replaced. */
  readonly over: readonly Source[]
}

/** Where a value of layers comes from that lie nowhere in the policy. */
export function sourcesIn(layers: readonly Layer[], path: readonly string[]): Sources {
  return sort(layers, path, ({ origin }) => [{ origin: { name: origin } }])
}

/** Where a value of the data comes from, through apply resources to the policy that sets it. */
export function dataSources(place: ReachedPolicy, path: readonly string[]): Sources {
  const { layers = [] } = place.document.evaluation ?? {}
  return sort(layers, path, (layer) => sourcesOfLayer(layer, place, path))
}

/** Whether a value of the data is a secret, or a part of it is. */
export function secrecyInData({ document }: ReachedPolicy, path: readonly string[]): 'whole' | 'part' | 'none' {
  const { secretPaths = [] } = document.evaluation ?? {}
  if (secretPaths.some((secret) => startsWith(path, secret))) return 'whole'
  return secretPaths.some((secret) => startsWith(secret, path)) ? 'part' : 'none'
}

function startsWith(path: readonly string[], start: readonly string[]): boolean {
  return start.every((key, at) => path[at] === key)
}

function sort(
  layers: readonly Layer[],
  path: readonly string[],
  sourcesOf: (layer: Layer) => readonly Source[],
): Sources {
  const value: GoValue | undefined = valueAt(mergeLayers(layers), path)
  if (value === undefined) return { from: [], over: [] }
  const from = layersOf(path, value, layers)
  const over = layers.filter((layer) => !from.includes(layer) && valueAt(layer.data, path) !== undefined)
  return { from: from.flatMap(sourcesOf), over: over.flatMap(sourcesOf) }
}

/** The origin of a layer of the policy's own data says in which of its keys it stands. */
function sourcesOfLayer({ origin }: Layer, place: ReachedPolicy, path: readonly string[]): readonly Source[] {
  const { document } = place
  const parent = parentOf(place)
  if (origin === 'apply' && parent !== undefined) return inherited(parent, path)
  const level = origin.startsWith('overrides.') ? origin.slice('overrides.'.length) : undefined
  const holder =
    origin === 'data' ? document.root : level === undefined ? undefined : member(document.root, 'overrides')
  const entry = entriesOf(holder).get(level ?? origin)
  const found = entry === undefined ? undefined : entryAt(entry, path)
  if (found === undefined) return [{ origin: { name: origin } }]
  return [sourceAt(origin, found, { source: document.source, place, by: 'data' })]
}

interface Parent {
  readonly link: Link
  readonly place: ReachedPolicy
}

function parentOf({ above }: ReachedPolicy): Parent | undefined {
  const link = above.at(-1)
  return link === undefined ? undefined : { link, place: { document: link.document, above: above.slice(0, -1) } }
}

/** The data that an apply resource hands down in place of all of its policy's. */
function ownData({ document, declaration }: Link): TreeMember | undefined {
  return document.written.get(declaration.id)?.body.get('data')
}

/** What an apply resource handed down: its own data, or what its policy knew. */
function inherited({ link, place }: Parent, path: readonly string[]): readonly Source[] {
  const own = ownData(link)
  if (own === undefined) {
    const { ownLayers = [] } = link.document.evaluation ?? {}
    return sort(ownLayers, path, (layer) => sourcesOfLayer(layer, place, path)).from
  }
  const name = link.declaration.id
  const found = entryAt(own, path)
  if (found === undefined) return [{ origin: { name } }]
  return [sourceAt(name, found, { source: link.document.writtenIn, place, by: 'resource' })]
}

function sourceAt(
  name: string,
  { keyOffset, value: node }: TreeMember,
  {
    source,
    place,
    by,
  }: { readonly source: SourceText; readonly place: ReachedPolicy; readonly by: 'data' | 'resource' },
): Source {
  return { origin: { name, position: positionAt(source, keyOffset) }, written: { node, place, by } }
}

function entryAt(start: TreeMember, path: readonly string[]): TreeMember | undefined {
  return path.reduce<TreeMember | undefined>(
    (entry, key) => (entry === undefined ? undefined : entriesOf(entry.value).get(key)),
    start,
  )
}
