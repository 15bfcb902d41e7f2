import { constants } from 'node:fs'
import { ArchiveError, refuseEntry } from '../archive/archive-error.ts'
import { IMAGE_LIMITS } from './limits.ts'
import { MAX_LINKS } from '../live/walk.ts'
import { type Content, type ImageNode, impliedDirectory, kindOfType, nodeOf } from './tree.ts'
import type { TarEntry } from './tar-reader.ts'

/** The merged tree of the layers applied so far. */
export interface LayeredTree {
  readonly root: ImageNode
  /**
   * Applies an entry of a layer with its content. Layers are numbered from 0 and applied in order. Throws an
   * `ArchiveError` for entries that runtimes reject or interpret differently.
   */
  readonly take: (entry: TarEntry, layer: number, content: Content) => void
}

const MAX_DEPTH = 256
const MAX_NAME_BYTES = 255
const MAX_PATH_BYTES = 4096

const WHITEOUT = '.wh.'
const OPAQUE = '.wh..wh..opq'
/** Metadata files of aufs in the root directory. */
const OF_AUFS = '.wh..wh.'

/** Attributes that make overlayfs hide or redirect entries: a runtime that keeps them shows other content than others. */
const OF_OVERLAYFS = /^(?:trusted|user)\.overlay\.(?:opaque|redirect|metacopy|whiteouts?)$/

interface Merging {
  readonly root: ImageNode
  readonly nextInode: () => number
  layer: number
  /** Its hard links to files of lower layers, by inode of their directory and name. */
  readonly links: Set<string>
  /** The directories of lower layers that it has whiteouts for, by inode of the parent directory and name. */
  readonly hidden: Set<string>
}

/** Makes an empty tree. @see https://github.com/opencontainers/image-spec/blob/main/layer.md */
export function createLayeredTree(maxEntries = IMAGE_LIMITS.maxEntries): LayeredTree {
  let count = 0
  const nextInode = (): number => {
    if (++count > maxEntries) throw new ArchiveError(`the image has more than ${maxEntries} entries`)
    return count
  }
  const merging: Merging = {
    root: impliedDirectory(nextInode()),
    nextInode,
    layer: -1,
    links: new Set(),
    hidden: new Set(),
  }
  return {
    root: merging.root,
    take(entry, layer, content) {
      if (merging.layer !== layer) {
        merging.links.clear()
        merging.hidden.clear()
      }
      merging.layer = layer
      merge(merging, entry, content)
    },
  }
}

function merge(merging: Merging, entry: TarEntry, content: Content): void {
  const names = namesIn(entry.name, entry.name)
  const name = names.pop()
  if (name === undefined) {
    if (entry.type !== '5') throw refuseEntry(entry.name, 'replaces the root, which is a directory')
    describe(merging.root, entry, merging.layer)
    return
  }
  const first = names[0] ?? name
  if (first.startsWith(OF_AUFS) && first !== OPAQUE) return
  if (names.some((each) => each.startsWith(WHITEOUT))) throw refuseEntry(entry.name, 'is below a whiteout')
  const parent = directoryAt(merging, names, entry.name)
  if (name === OPAQUE) hideBelow(merging, parent)
  else if (name.startsWith(WHITEOUT)) applyWhiteout(merging, parent, name.slice(WHITEOUT.length), entry.name)
  else putEntry(merging, parent, name, { entry, content })
}

/** Whether the current layer has an entry for a name, or below it. */
function isOfLayer({ layer, links }: Merging, parent: ImageNode, name: string): boolean {
  return parent.entries?.get(name)?.touched === layer || links.has(`${parent.inode}/${name}`)
}

/** The directory at a path of the image, with links resolved inside the image; created if missing. */
function directoryAt(merging: Merging, names: readonly string[], entryName: string): ImageNode {
  const { root, layer } = merging
  const way = [root]
  const ahead = names.toReversed()
  let followed = 0
  /** Number of names left that come from a link. */
  let linked = 0
  for (let name = ahead.pop(); name !== undefined; name = ahead.pop()) {
    const isLinked = linked > 0
    if (isLinked) linked--
    const at = way.at(-1) ?? root
    const next = name === '..' ? (way.at(-2) ?? root) : at.entries?.get(name)
    if (next === undefined) {
      refuseHidden(merging, at, name, entryName)
      way.push(createImpliedDirectory(merging, at, name, isLinked ? entryName : undefined))
    } else if (name === '..') way.splice(Math.max(way.length - 1, 1))
    else if (next.entries !== undefined) way.push(next)
    else {
      refuseLink(next, layer, entryName)
      if (++followed > MAX_LINKS) throw refuseEntry(entryName, 'is below a loop of links')
      if (next.link.startsWith('/')) way.length = 1
      const target = namesIn(next.link, entryName, 'links')
      linked += target.length
      ahead.push(...target.toReversed())
    }
    if (way.length > MAX_DEPTH) throw refuseEntry(entryName, `is more than ${MAX_DEPTH} directories deep`)
  }
  for (const node of way) {
    node.touched = layer
    // Runtimes agree on mode and owner of the root.
    if (node !== root && node.layer !== layer && isUnlikeImplied(node)) node.isDisputed = true
  }
  return way.at(-1) ?? root
}

/** Whether a directory differs from the one that a runtime creates for a layer without an entry for it. */
function isUnlikeImplied({ mode, uid, gid, attributes }: ImageNode): boolean {
  return mode !== (constants.S_IFDIR | 0o755) || uid !== 0 || gid !== 0 || attributes.size > 0
}

/** Creates a directory that has no entry of its own; `linkedFrom` is the entry whose path was redirected by a link. */
function createImpliedDirectory(
  { nextInode }: Merging,
  at: ImageNode,
  name: string,
  linkedFrom: string | undefined,
): ImageNode {
  if (linkedFrom !== undefined) throw refuseEntry(linkedFrom, 'is below a dangling link')
  const made = impliedDirectory(nextInode())
  at.entries?.set(name, made)
  return made
}

function refuseLink(node: ImageNode, layer: number, entryName: string): void {
  if (node.link === '') throw refuseEntry(entryName, 'is below a path that is not a directory')
  // Some runtimes unpack a layer without those below it, so that a directory hides the link.
  if (node.layer !== layer) {
    throw refuseEntry(entryName, 'is below a link of a lower layer, which some runtimes do not follow')
  }
}

function putEntry(merging: Merging, parent: ImageNode, name: string, { entry, content }: Taking): void {
  const existing = parent.entries?.get(name)
  if (entry.type === '1') {
    const target = linkedBy(merging, entry)
    merging.links.add(`${parent.inode}/${name}`)
    if (target === existing) return
    target.names++
    replace(parent, name, target)
    return
  }
  const kind = kindOfType(entry.type)
  if (kind === undefined) throw refuseEntry(entry.name, `has an unsupported type (${entry.type})`)
  refuseDisputed(entry, kind)
  if (kind === constants.S_IFDIR && existing?.entries !== undefined) {
    describe(existing, entry, merging.layer)
    return
  }
  if (kind === constants.S_IFDIR) refuseHidden(merging, parent, name, entry.name)
  const node = nodeOf(entry, kind, content, merging.nextInode())
  markTouched(node, merging.layer)
  replace(parent, name, node)
}

/** The target of a hard link. */
function linkedBy({ root }: Merging, { name, link }: TarEntry): ImageNode {
  let at: ImageNode | undefined = root
  for (const each of namesIn(link, name, 'a hard link')) at = at?.entries?.get(each)
  if (at === undefined) throw refuseEntry(name, `is a hard link to ${JSON.stringify(link)}, which does not exist`)
  if (at.entries !== undefined) throw refuseEntry(name, 'is a hard link to a directory')
  return at
}

interface Taking {
  readonly entry: TarEntry
  readonly content: Content
}

function describe(directory: ImageNode, entry: TarEntry, layer: number): void {
  directory.mode = constants.S_IFDIR | entry.mode
  directory.uid = entry.uid
  directory.gid = entry.gid
  directory.modifiedMs = entry.modifiedMs
  directory.attributes = entry.attributes
  directory.isDisputed = false
  markTouched(directory, layer)
}

function markTouched(node: ImageNode, layer: number): void {
  node.layer = layer
  node.touched = layer
}

function replace(parent: ImageNode, name: string, node: ImageNode): void {
  remove(parent, name)
  parent.entries?.set(name, node)
}

/** Removes a name and everything below it. Other hard links stay valid. */
function remove(parent: ImageNode, name: string): void {
  const pending: (readonly [ImageNode, string])[] = [[parent, name]]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [holder, each] = next
    const node = holder.entries?.get(each)
    if (node === undefined) continue
    holder.entries?.delete(each)
    node.names--
    for (const below of node.entries?.keys() ?? []) pending.push([node, below])
  }
}

/** Applies a whiteout. By the specification it does not affect its own layer, but some runtimes go by the order of entries. */
function applyWhiteout(merging: Merging, parent: ImageNode, name: string, entryName: string): void {
  if (name === '' || name === '.' || name === '..') throw refuseEntry(entryName, 'is a whiteout without a name')
  if (isOfLayer(merging, parent, name)) {
    throw refuseEntry(entryName, 'is a whiteout of an entry in the same layer, which runtimes interpret differently')
  }
  if (parent.entries?.get(name)?.entries !== undefined) merging.hidden.add(`${parent.inode}/${name}`)
  remove(parent, name)
}

/** Refuses a directory that replaces one hidden by the same layer: with overlayfs the hidden entries show again. */
function refuseHidden({ hidden }: Merging, parent: ImageNode, name: string, entryName: string): void {
  if (!hidden.has(`${parent.inode}/${name}`)) return
  const why = 'is a directory with a whiteout in the same layer, which runtimes interpret differently'
  throw refuseEntry(entryName, why)
}

/** Removes all entries of lower layers from a directory, at every depth. */
function hideBelow(merging: Merging, directory: ImageNode): void {
  const pending = [directory]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const [name, node] of next.entries ?? []) {
      if (!isOfLayer(merging, next, name)) remove(next, name)
      else if (node.entries !== undefined) {
        forgetLower(merging, node)
        pending.push(node)
      }
    }
  }
}

/** Resets the attributes of a directory that the current layer has no entry for, only entries below it. */
function forgetLower(merging: Merging, directory: ImageNode): void {
  if (directory.layer === merging.layer) return
  const { mode, uid, gid, modifiedMs, attributes, layer } = impliedDirectory(directory.inode)
  Object.assign(directory, { mode, uid, gid, modifiedMs, attributes, layer, isDisputed: false })
}

function refuseDisputed({ name, device: [major, minor], attributes }: TarEntry, kind: number): void {
  if (kind === constants.S_IFCHR && major === 0 && minor === 0) {
    throw refuseEntry(name, 'is the device 0:0, which overlayfs treats as a whiteout')
  }
  for (const attribute of attributes.keys()) {
    if (OF_OVERLAYFS.test(attribute))
      throw refuseEntry(name, `has the attribute ${attribute}, with which overlayfs hides files`)
  }
}

/** Splits a path of the image. Only a symbolic link may contain `..`; names of entries are taken literally. */
function namesIn(path: string, entryName: string, of: 'a name' | 'a hard link' | 'links' = 'a name'): string[] {
  const names = path.split('/').filter((name) => name !== '' && name !== '.')
  if (of !== 'links' && names.includes('..'))
    throw refuseEntry(entryName, `has ".." in ${of === 'a name' ? 'its name' : 'its link target'}`)
  if (path.includes('\0')) throw refuseEntry(entryName, 'has a NUL character in a name')
  if (Buffer.byteLength(path) > MAX_PATH_BYTES || names.some((name) => Buffer.byteLength(name) > MAX_NAME_BYTES)) {
    throw refuseEntry(entryName, 'has a name that is too long')
  }
  return names
}
