import { constants } from 'node:fs'
import { ArchiveError, refuseEntry } from '../archive/archive-error.ts'
import { IMAGE_LIMITS } from './limits.ts'
import { MAX_LINKS } from '../walk.ts'
import { type Content, type ImageNode, impliedDirectory, kindOfType, nodeOf } from './tree.ts'
import type { TarEntry } from './tar-reader.ts'

/** The merged tree of the layers that were applied so far. */
export interface LayeredTree {
  readonly root: ImageNode
  /**
   * Takes an entry of a layer, and where its content is. Layers are numbered from 0 and come one
   * after the other. Throws an `ArchiveError` for what no runtime takes, and for what runtimes make different things of.
   */
  readonly take: (entry: TarEntry, layer: number, content: Content) => void
}

const MAX_DEPTH = 256
const MAX_NAME_BYTES = 255
const MAX_PATH_BYTES = 4096

const WHITEOUT = '.wh.'
const OPAQUE = '.wh..wh..opq'
/** What aufs keeps for itself, in the root directory. */
const OF_AUFS = '.wh..wh.'

/** Attributes by which overlayfs hides or moves what is below: a runtime that keeps them shows something else than others. */
const OF_OVERLAYFS = /^(?:trusted|user)\.overlay\.(?:opaque|redirect|metacopy|whiteouts?)$/

/** Starts with nothing. @see https://github.com/opencontainers/image-spec/blob/main/layer.md */
export function createLayeredTree(maxEntries = IMAGE_LIMITS.maxEntries): LayeredTree {
  let count = 0
  const nextInode = (): number => {
    if (++count > maxEntries) throw new ArchiveError(`the image has more than ${maxEntries} entries`)
    return count
  }
  const root = impliedDirectory(nextInode())
  /** The names that the layer at hand gives to things of lower ones. */
  const links = { layer: -1, names: new Set<string>() }

  function take(entry: TarEntry, layer: number, content: Content): void {
    if (entry.type === 'g') return
    if (links.layer !== layer) {
      links.layer = layer
      links.names.clear()
    }
    const names = namesIn(entry.name, entry.name)
    const name = names.pop()
    if (name === undefined) {
      if (entry.type !== '5') throw refuseEntry(entry.name, 'stands for the root, which is a directory')
      describe(root, entry, layer)
      return
    }
    const first = names[0] ?? name
    if (first.startsWith(OF_AUFS) && first !== OPAQUE) return
    if (names.some((each) => each.startsWith(WHITEOUT))) throw refuseEntry(entry.name, 'lies below a whiteout')
    const parent = directoryAt(names, layer, entry.name)
    if (name === OPAQUE) hideBelow(parent, layer, isOfLayer)
    else if (name.startsWith(WHITEOUT)) hide(parent, name.slice(WHITEOUT.length), entry.name, isOfLayer)
    else put(parent, name, { entry, layer, content })
  }

  /** Whether the layer at hand has an entry for a name, or for something below. */
  function isOfLayer(parent: ImageNode, name: string): boolean {
    return parent.entries?.get(name)?.touched === links.layer || links.names.has(`${parent.inode}/${name}`)
  }

  /** The directory at a path of the image, links on the way followed inside; made where nothing is there. */
  function directoryAt(names: readonly string[], layer: number, entryName: string): ImageNode {
    const way = [root]
    const ahead = names.toReversed()
    let followed = 0
    /** How many of the names ahead were written in a link. */
    let linked = 0
    for (let name = ahead.pop(); name !== undefined; name = ahead.pop()) {
      const at = way.at(-1) ?? root
      const isLinked = linked-- > 0
      linked = Math.max(linked, 0)
      if (name === '..') {
        if (way.length > 1) way.pop()
        continue
      }
      const next = at.entries?.get(name)
      if (next === undefined) {
        if (isLinked) throw refuseEntry(entryName, 'lies below a link that leads nowhere')
        const made = impliedDirectory(nextInode())
        at.entries?.set(name, made)
        way.push(made)
      } else if (next.entries !== undefined) way.push(next)
      else {
        if (next.link === '') throw refuseEntry(entryName, 'lies below something that is no directory')
        // Some runtimes unpack a layer without those below it, so that a directory hides the link.
        if (next.layer !== layer)
          throw refuseEntry(entryName, `lies below a link of a lower layer, which not every runtime follows`)
        if (++followed > MAX_LINKS) throw refuseEntry(entryName, 'lies below links that lead in a circle')
        if (next.link.startsWith('/')) way.length = 1
        const target = namesIn(next.link, entryName, 'links')
        linked += target.length
        ahead.push(...target.toReversed())
      }
      if (way.length > MAX_DEPTH) throw refuseEntry(entryName, `lies more than ${MAX_DEPTH} directories deep`)
    }
    for (const node of way) node.touched = layer
    return way.at(-1) ?? root
  }

  function put(parent: ImageNode, name: string, { entry, layer, content }: Taking): void {
    const existing = parent.entries?.get(name)
    if (entry.type === '1') {
      const target = linked(entry)
      links.names.add(`${parent.inode}/${name}`)
      if (target === existing) return
      target.names++
      replace(parent, name, target)
      return
    }
    const kind = kindOfType(entry.type)
    if (kind === undefined) throw refuseEntry(entry.name, `is of a type that is not supported (${entry.type})`)
    refuseDisputed(entry, kind)
    if (kind === constants.S_IFDIR && existing?.entries !== undefined) {
      describe(existing, entry, layer)
      return
    }
    const node = nodeOf(entry, kind, content, nextInode())
    touch(node, layer)
    replace(parent, name, node)
  }

  /** What a hard link is another name of. */
  function linked({ name, link }: TarEntry): ImageNode {
    const names = namesIn(link, name, 'a hard link')
    let at: ImageNode | undefined = root
    for (const each of names) at = at?.entries?.get(each)
    if (at === undefined) throw refuseEntry(name, `is a hard link to ${JSON.stringify(link)}, which is not there`)
    if (at.entries !== undefined) throw refuseEntry(name, 'is a hard link to a directory')
    return at
  }

  return { root, take }
}

type IsOfLayer = (parent: ImageNode, name: string) => boolean

interface Taking {
  readonly entry: TarEntry
  readonly layer: number
  readonly content: Content
}

function describe(directory: ImageNode, entry: TarEntry, layer: number): void {
  directory.mode = constants.S_IFDIR | entry.mode
  directory.uid = entry.uid
  directory.gid = entry.gid
  directory.modifiedMs = entry.modifiedMs
  directory.attributes = entry.attributes
  touch(directory, layer)
}

function touch(node: ImageNode, layer: number): void {
  node.layer = layer
  node.touched = layer
}

function replace(parent: ImageNode, name: string, node: ImageNode): void {
  remove(parent, name)
  parent.entries?.set(name, node)
}

/** Takes a name away. What has other names, below it too, keeps them. */
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

/** A whiteout. It says nothing of what the same layer has, but runtimes that go by the order of entries think so. */
function hide(parent: ImageNode, name: string, entryName: string, isOfLayer: IsOfLayer): void {
  if (name === '' || name === '.' || name === '..') throw refuseEntry(entryName, 'is a whiteout of no name')
  const existing = parent.entries?.get(name)
  if (existing === undefined) return
  if (isOfLayer(parent, name)) {
    throw refuseEntry(
      entryName,
      'is a whiteout of something that the same layer has, which every runtime takes another way',
    )
  }
  remove(parent, name)
}

/** Takes away all of a directory that lower layers have, also where this one has something below that. */
function hideBelow(directory: ImageNode, layer: number, isOfLayer: IsOfLayer): void {
  const pending = [directory]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    for (const [name, node] of next.entries ?? []) {
      if (!isOfLayer(next, name)) remove(next, name)
      else if (node.entries !== undefined) {
        if (node.layer !== layer) forgetAttributes(node)
        pending.push(node)
      }
    }
  }
}

function forgetAttributes(directory: ImageNode): void {
  const { mode, uid, gid, modifiedMs, attributes, layer } = impliedDirectory(directory.inode)
  Object.assign(directory, { mode, uid, gid, modifiedMs, attributes, layer })
}

function refuseDisputed({ name, device: [major, minor], attributes }: TarEntry, kind: number): void {
  if (kind === constants.S_IFCHR && major === 0 && minor === 0) {
    throw refuseEntry(name, 'is the device 0:0, which overlayfs takes for a whiteout')
  }
  for (const attribute of attributes.keys()) {
    if (OF_OVERLAYFS.test(attribute))
      throw refuseEntry(name, `has the attribute ${attribute}, by which overlayfs hides files`)
  }
}

/** The names of a path of the image. Only a symbolic link may go up: those of entries are taken as they are written. */
function namesIn(path: string, entryName: string, of: 'a name' | 'a hard link' | 'links' = 'a name'): string[] {
  const names = path.split('/').filter((name) => name !== '' && name !== '.')
  if (of !== 'links' && names.includes('..'))
    throw refuseEntry(entryName, `has ".." in ${of === 'a name' ? 'its name' : 'the name that it links to'}`)
  if (path.includes('\0')) throw refuseEntry(entryName, 'has a NUL character in a name')
  if (Buffer.byteLength(path) > MAX_PATH_BYTES || names.some((name) => Buffer.byteLength(name) > MAX_NAME_BYTES)) {
    throw refuseEntry(entryName, 'has a name that is longer than any can be')
  }
  return names
}
