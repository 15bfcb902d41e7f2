import { type Layer, layersOf, mergeLayers, valueAt } from '../../../policy/data/merge.ts'
import type { GoValue } from '../../../templates/govalue/index.ts'
import { positionAt, type SourceText } from '../../../policy/document/lines.ts'
import { entriesOf, member, type TreeMember, type TreeNode } from '../../../policy/document/tree.ts'
import type { Link, Located } from './find.ts'
import type { InputOrigin } from './model.ts'

/** A policy and the apply resources above it. */
export type ReachedPolicy = Pick<Located, 'document' | 'above'>

/** A layer of a value, and how the value is written there, if known. */
export interface Source {
  readonly origin: InputOrigin
  readonly written?: { readonly node: TreeNode; readonly place: ReachedPolicy; readonly by: 'data' | 'resource' }
}

/** The layers of a value. */
export interface Sources {
  /** Layers that form the value, the one with the highest precedence last. */
  readonly from: readonly Source[]
  /** Overridden layers. */
  readonly over: readonly Source[]
}

/** Origin of a value from layers outside the policy. */
export function sourcesIn(layers: readonly Layer[], path: readonly string[]): Sources {
  return sort(layers, path, ({ origin }) => [{ origin: { name: origin } }])
}

/** Origin of a data value, followed through apply resources to the policy that sets it. */
export function dataSources(place: ReachedPolicy, path: readonly string[]): Sources {
  const { layers = [] } = place.document.evaluation ?? {}
  return sort(layers, path, (layer) => sourcesOfLayer(layer, place, path))
}

/** Whether a data value, or a part of it, is secret. */
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

/** The layer's origin names the key of the policy's own data. */
function sourcesOfLayer({ origin }: Layer, place: ReachedPolicy, path: readonly string[]): readonly Source[] {
  const { document } = place
  const parent = parentOf(place)
  if (origin === 'apply' && parent !== undefined) return inheritedSources(parent, path)
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

/** Data that an apply resource passes on instead of its policy's data. */
function ownData({ document, declaration }: Link): TreeMember | undefined {
  return document.written.get(declaration.id)?.body.get('data')
}

/** Data passed on by an apply resource: its own, or that of its policy. */
function inheritedSources({ link, place }: Parent, path: readonly string[]): readonly Source[] {
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
