import { lstatSync } from 'node:fs'
import { dirname } from 'node:path'
import { absent, type Observation, present, type Reading, unknown } from '../../../model/observation.ts'
import type { FileTrees, TreeFinding, TreeQuery } from '../../file-trees.ts'
import { systemPath } from '../file-name.ts'
import type { SystemStats } from '../machine-files.ts'
import { provesAbsence, unreadable } from '../system-error.ts'
import { readRealPath } from '../tree-reader.ts'
import { type AttributeTable, createAttributeTable } from './attributes.ts'
import { type FileSystemMap, openFileSystems } from './file-systems.ts'
import {
  type DirectoryNode,
  directoryNode,
  type Listing,
  type OpenDirectory,
  openLocalDirectory,
  readListing,
  staysIn,
} from './listing.ts'
import { createPace, type Pace } from './pace.ts'
import { walkTree } from './walk.ts'

/** Maximum number of cached entries, about 40 bytes each. Directories beyond it are read again. */
const MOST_KEPT = 4_000_000

/** The machine whose trees are read. */
export interface TreeGround {
  readonly realPath: (path: string) => Reading<string | null>
  /** Throws the error of the system. */
  readonly lstat: (path: string) => SystemStats
  readonly open: OpenDirectory
  readonly fileSystems: () => FileSystemMap
}

export const THIS_MACHINE: TreeGround = {
  realPath: readRealPath,
  lstat: (path) => lstatSync(systemPath(path)),
  open: openLocalDirectory,
  fileSystems: () => openFileSystems(),
}

/** The cache since the last change. */
interface TreeCache {
  readonly table: AttributeTable
  readonly fileSystems: FileSystemMap
  /** Roots of traversals, by real path. */
  readonly roots: Map<string, DirectoryNode>
  entries: number
}

/** Trees with a cache that can be dropped. */
export interface OpenTrees extends FileTrees {
  /** Drops the cache; if only attributes of these paths changed, only the listings of their parent directories. */
  readonly forget: (touched?: readonly string[]) => void
}

/** Opens the trees of a machine, by default this one. */
export function openFileTrees({ ground = THIS_MACHINE, mostKept = MOST_KEPT } = {}): OpenTrees {
  let kept: TreeCache | undefined
  return {
    async find(query) {
      kept ??= { table: createAttributeTable(), fileSystems: ground.fileSystems(), roots: new Map(), entries: 0 }
      return find(query, kept, { ground, mostKept })
    },
    forget(touched) {
      const trees = kept
      if (trees === undefined || touched?.every((path) => forgetAt(path, trees, ground)) !== true) kept = undefined
    },
  }
}

interface Setting {
  readonly ground: TreeGround
  readonly mostKept: number
}

async function find(
  query: TreeQuery,
  kept: TreeCache,
  { ground, mostKept }: Setting,
): Promise<Observation<TreeFinding>> {
  const real = ground.realPath(query.directory)
  if (real.kind === 'unknown') return real
  if (real.value === null) return absent()
  const root = rootAt(real.value, kept, ground)
  if (root.kind !== 'present') return root
  const { table, fileSystems } = kept
  const tools = { table, fileSystems, open: ground.open }
  const list = async (path: string, node: DirectoryNode, pace: Pace): Promise<Listing | undefined> => {
    const listing = await readListing(path, node, tools, pace)
    if (listing !== undefined) takeOver(node, listing)
    if (listing === undefined || kept.entries + listing.attributes.length > mostKept) return listing
    kept.entries += listing.attributes.length
    node.listing = listing
    return listing
  }
  const source = { root: root.state, path: real.value, table, fileSystems, list }
  return present(await walkTree(source, query, createPace(query.signal, query.timeoutMs)))
}

/** Drops the listing of the directory that contains a path; false if the path may have other names. */
function forgetAt(path: string, { roots, fileSystems }: TreeCache, ground: TreeGround): boolean {
  const parent = ground.realPath(dirname(path))
  if (fileSystems.hasTwins || roots.has(path) || parent.kind === 'unknown' || parent.value === null) return false
  for (const [start, root] of roots) {
    const node = descend(root, start, parent.value, (at) => at.listing ?? at.earlier)
    if (node?.listing === undefined) continue
    node.earlier = node.listing
    node.listing = undefined
  }
  return true
}

/** Reuses the listings below directories that still exist. */
function takeOver(node: DirectoryNode, { directories }: Listing): void {
  if (node.earlier === undefined) return
  const before = new Map(node.earlier.directories.map((child) => [child.name, child]))
  delete node.earlier
  for (const child of directories) {
    const known = before.get(child.name)
    if (known?.inode !== child.inode || known.device !== child.device) continue
    child.listing = known.listing
    if (known.earlier !== undefined) child.earlier = known.earlier
  }
}

/** The cached directory at a path, or a new root. */
function rootAt(path: string, { roots, table }: TreeCache, ground: TreeGround): Observation<DirectoryNode> {
  for (const [start, root] of roots) {
    const found = descend(root, start, path, ({ listing }) => listing)
    if (found !== undefined) return present(found)
  }
  try {
    const stats = ground.lstat(path)
    if (!stats.isDirectory()) return unknown('invalid', `${path} is not a directory`)
    const root = directoryNode('', table.intern(stats), stats, isFixedAt(path, ground))
    roots.set(path, root)
    return present(root)
  } catch (error) {
    return provesAbsence(error) ? absent() : unreadable(error, path)
  }
}

function isFixedAt(path: string, ground: TreeGround): boolean {
  if (path === '/') return true
  const parent = dirname(path)
  return staysIn(ground.lstat(parent), ground.lstat(path).uid) && isFixedAt(parent, ground)
}

/** Descends through cached listings; undefined if the path is not cached. */
function descend(
  root: DirectoryNode,
  start: string,
  path: string,
  listingOf: (node: DirectoryNode) => Listing | undefined,
): DirectoryNode | undefined {
  if (path === start) return root
  const prefix = start === '/' ? start : `${start}/`
  if (!path.startsWith(prefix)) return undefined
  let node: DirectoryNode | undefined = root
  for (const name of path.slice(prefix.length).split('/')) {
    node = node && listingOf(node)?.directories.find((child) => child.name === name)
  }
  return node
}
