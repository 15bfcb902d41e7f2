import { createHash } from 'node:crypto'
import type { ContentDigest } from '../../model/drift.ts'
import { known, type Reading, unknown } from '../../model/observation.ts'
import type { FileKind, FileStat, TargetFiles, TreeEntry } from '../target.ts'
import { systemPath } from '../live/file-name.ts'
import { describeStats } from '../live/file-stat.ts'
import type { DirectoryEntry } from '../live/list-directory.ts'
import { RefusedFile, unreadable } from '../live/system-error.ts'
import type { RootedFooting, RootedSource } from '../root/files.ts'
import { NotRunning, VOLATILE } from '../root/root-place.ts'
import { withoutUnmounted } from '../root/unmounted.ts'
import { readTree } from '../live/tree-reader.ts'
import { type Content, type ImageNode, statsOf } from './tree.ts'

/** A file in an image. It holds no descriptor, since an image does not change. */
export interface ImagePlace extends RootedFooting<ImagePlace> {
  readonly node: ImageNode
}

export function imageSource(root: ImageNode): RootedSource<ImagePlace> {
  return withoutUnmounted<ImagePlace>({
    root: () => placeAt(root, []),
    names: ({ node }) => [...entriesOf(node).keys()],
    entries: ({ node }) => listEntries(node),
    whole: ({ node }, maxBytes) => {
      if (node.sizeBytes > maxBytes && node.content !== undefined)
        throw new RefusedFile(`it is larger than ${maxBytes} bytes`)
      return readContent(node, node.sizeBytes)
    },
    head: ({ node, path }, maxBytes) =>
      node.content === undefined
        ? unknown('not-observable', `${path}: not a regular file`)
        : known(Uint8Array.from(readContent(node, maxBytes))),
    shown: ({ node }, maxBytes) => Uint8Array.from(readContent(node, maxBytes)),
    digest: digestOf,
    isEmpty: ({ node }) => known(entriesOf(node).size === 0),
    tree: ({ node, path }) => treeBelow(node, path),
    mounts: () => known([]),
    named: (reading) => reading,
  })
}

interface Ancestor {
  readonly name: string
  readonly above: ImageNode
}

function placeAt(node: ImageNode, way: readonly Ancestor[]): ImagePlace {
  const place: ImagePlace = {
    node,
    path: `/${way.map(({ name }) => name).join('/')}`,
    stats: statsOf(node),
    lstat: (name) => place.child(name).stats,
    child(name) {
      if (node.entries === undefined) throw systemError('ENOTDIR', 20)
      if (name === '..') return placeAt(way.at(-1)?.above ?? node, way.slice(0, -1))
      if (way.length === 0 && VOLATILE.has(name)) throw new NotRunning(`/${name}`)
      const child = node.entries.get(name)
      if (child === undefined) throw systemError('ENOENT', 2)
      return placeAt(child, [...way, { name, above: node }])
    },
    linkTarget(name) {
      const child = entriesOf(node).get(name)
      if (child === undefined) throw systemError('ENOENT', 2)
      if (!statsOf(child).isSymbolicLink()) throw systemError('EINVAL', 22)
      return child.link
    },
    close: () => undefined,
  }
  return place
}

function entriesOf(node: ImageNode): ReadonlyMap<string, ImageNode> {
  if (node.entries === undefined) throw systemError('ENOTDIR', 20)
  return node.entries
}

function listEntries(node: ImageNode): readonly DirectoryEntry[] {
  return [...entriesOf(node)]
    .map(([name, child]) => ({ name, kind: kindOf(child), bytes: Buffer.from(systemPath(name)) }))
    .toSorted((left, right) => Buffer.compare(left.bytes, right.bytes))
    .map(({ name, kind }) => ({ name, kind }))
}

function kindOf(node: ImageNode): FileKind {
  return node.entries === undefined ? describeStats(statsOf(node)).kind : 'directory'
}

function treeBelow(root: ImageNode, path: string): Reading<readonly TreeEntry[]> {
  return readTree(path, (at) => {
    let node: ImageNode | undefined = root
    for (const name of at.slice(path.length).split('/')) {
      if (name !== '') node = node && entriesOf(node).get(name)
    }
    if (node === undefined) throw systemError('ENOENT', 2)
    return listEntries(node)
  })
}

function readContent(node: ImageNode, maxBytes: number): Buffer {
  const { file, at } = contentOf(node)
  return file.read(at, Math.min(node.sizeBytes, maxBytes))
}

function contentOf({ content, entries }: ImageNode): Content {
  if (content !== undefined) return content
  throw new RefusedFile(entries === undefined ? 'it is not a regular file' : 'it is a directory')
}

// Files up to this size are read at once, larger ones in chunks of it.
const PIECE_BYTES = 1024 ** 2

function digestOf(
  { node, path }: ImagePlace,
  _stat: FileStat,
  signal?: AbortSignal,
): ReturnType<TargetFiles['digest']> {
  if (node.sizeBytes > PIECE_BYTES) return digestLarge(node, path, signal)
  try {
    const bytes = readContent(node, node.sizeBytes)
    return known({ sha256: createHash('sha256').update(bytes).digest('hex'), sizeBytes: bytes.length })
  } catch (error) {
    return unreadable(error, path)
  }
}

async function digestLarge(
  node: ImageNode,
  path: string,
  signal: AbortSignal | undefined,
): Promise<Reading<ContentDigest>> {
  try {
    const { file, at } = contentOf(node)
    const digest = createHash('sha256')
    for await (const piece of file.pieces(at, node.sizeBytes)) {
      if (signal?.aborted === true)
        return unknown('not-observable', `${path}: the run was interrupted while reading it`)
      digest.update(piece)
    }
    return known({ sha256: digest.digest('hex'), sizeBytes: node.sizeBytes })
  } catch (error) {
    return unreadable(error, path)
  }
}

/** The error of the equivalent system call. */
function systemError(code: 'ENOENT' | 'ENOTDIR' | 'EINVAL', number: number): Error {
  return Object.assign(new Error(code), { code, errno: -number })
}
