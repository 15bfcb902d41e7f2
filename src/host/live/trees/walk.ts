import { mayEnd, type PatternState, type PatternStep, stepInto } from '../../../model/path-patterns.ts'
import { type Unknown, unknown } from '../../../model/observation.ts'
import type { EntryJudgement, LeftOut, ListedEntry, TreeFinding, TreeQuery } from '../../file-trees.ts'
import { containersBelow } from './file-systems.ts'
import { type DirectoryNode, type Listing, type ListingTools, NOTHING } from './listing.ts'
import type { Pace } from './pace.ts'

/** The source of a traversal. */
export interface TreeSource extends ListingTools {
  /** The start directory; `path` is its real path. */
  readonly root: DirectoryNode
  readonly path: string
  /** Reads a directory; undefined if the work must end. */
  readonly list: (path: string, node: DirectoryNode, pace: Pace) => Promise<Listing | undefined>
}

/** A directory that is still to be entered. */
interface Pending {
  readonly node: DirectoryNode
  /** Relative to the root, with a trailing slash; empty for the root itself. */
  readonly prefix: string
  readonly depth: number
  readonly include: PatternState | undefined
  readonly exclude: PatternState
  readonly containers: PatternState
}

/** The state of a traversal. */
interface Walk {
  readonly source: TreeSource
  readonly query: TreeQuery
  /** By index of attributes. */
  readonly judgements: (EntryJudgement | undefined)[]
  /** Inodes of visited directories, by device: a file system that is mounted twice is traversed once. */
  readonly visited: Map<number, Set<number>>
  readonly pending: Pending[]
  readonly entries: ListedEntry[]
  readonly leftOut: LeftOut[]
  readonly unread: Unknown[]
  count: number
}

/** Traverses a tree, yielding to the event loop. */
export async function walkTree(source: TreeSource, query: TreeQuery, pace: Pace): Promise<TreeFinding> {
  const { include, exclude } = query
  const containers = containersBelow(source.path)
  const root: Pending = { node: source.root, prefix: '', depth: 0, include, exclude, containers }
  const walk: Walk = {
    source,
    query,
    judgements: [],
    visited: new Map(),
    pending: [root],
    entries: [],
    leftOut: [],
    unread: [],
    count: 0,
  }
  if (include === undefined) {
    const { attributes } = source.root
    await judge(attributes, walk)
    take(attributes, '.', walk)
  }
  for (let next = walk.pending.pop(); next !== undefined; next = walk.pending.pop()) {
    if (pace.isDue()) await pace.rest()
    // Awaits only if necessary: most directories are cached or judged already.
    const listing = pace.isOver() ? undefined : (cachedListing(next, walk) ?? (await list(next, walk, pace)))
    if (listing === undefined) {
      walk.unread.push(givenUp(walk))
      break
    }
    for (const number of listing.counts.keys()) {
      if (walk.judgements[number] === undefined) await judge(number, walk)
    }
    for (const trouble of listing.unread) walk.unread.push(trouble)
    takeListing(next, listing, walk)
  }
  const { count, leftOut, unread } = walk
  const entries = walk.entries.toSorted(byPath)
  return { entries, count, leftOut: leftOut.toSorted(byPath), unread }
}

function byPath({ path: left }: { readonly path: string }, { path: right }: { readonly path: string }): number {
  return left < right ? -1 : 1
}

/** Judges attributes that are new. */
async function judge(number: number, { judgements, query, source }: Walk): Promise<void> {
  judgements[number] = await query.judge(source.table.at(number))
}

/** The content of a directory if it is cached or irrelevant. */
function cachedListing({ node, depth }: Pending, walk: Walk): Listing | undefined {
  if (depth >= walk.query.depth || (walk.source.fileSystems.hasTwins && isVisited(node, walk))) return NOTHING
  return node.listing
}

function list({ node, prefix }: Pending, walk: Walk, pace: Pace): Promise<Listing | undefined> {
  return walk.source.list(absolutePath(walk, prefix), node, pace)
}

/**
 * Marks a directory as visited. Inode numbers beyond safe integers are ambiguous: such a directory is rather visited
 * twice than skipped.
 */
function isVisited({ device, inode }: DirectoryNode, { visited }: Walk): boolean {
  if (!Number.isSafeInteger(inode)) return false
  const inodes = visited.get(device) ?? new Set()
  if (inodes.has(inode)) return true
  visited.set(device, inodes.add(inode))
  return false
}

function givenUp({ count, query, source }: Walk): Unknown {
  if (query.signal.aborted) return unknown('timeout', `${source.path}: interrupted`)
  const sofar = `timed out after ${query.timeoutMs / 1000} s and ${count} entries`
  return unknown('timeout', `${source.path}: ${sofar}; exclude directories with "exclude", or raise "timeout"`)
}

/** Processes the entries of a directory, and queues its subdirectories. */
function takeListing(pending: Pending, listing: Listing, walk: Walk): void {
  const { prefix, include, exclude } = pending
  for (const [name, why] of listing.silent) {
    if (!stepInto(exclude, name).isMatch) walk.leftOut.push({ path: prefix + name, why })
  }
  const { judgements } = walk
  if (include === undefined && !mayEnd(exclude) && !hasListed(listing, walk)) {
    // Only the number of entries matters.
    for (const [number, count] of listing.counts) if (judgements[number] === 'fine') walk.count += count
    for (const child of listing.directories) {
      enter(pending, child, { below: stepInto(exclude, child.name).below, include }, walk)
    }
    return
  }
  const names = listing.names.split('/')
  let directory = 0
  for (const [index, number] of listing.attributes.entries()) {
    const name = names[index] ?? ''
    const child = listing.directories[directory]?.name === name ? listing.directories[directory++] : undefined
    if (judgements[number] === 'other' && child === undefined) continue
    const excluded = stepInto(exclude, name)
    if (excluded.isMatch) continue
    const included = include === undefined ? undefined : stepInto(include, name)
    if (included?.isMatch !== false) take(number, prefix + name, walk)
    if (child !== undefined) enter(pending, child, { below: excluded.below, include: included?.below }, walk)
  }
}

function hasListed({ counts }: Listing, { judgements }: Walk): boolean {
  for (const number of counts.keys()) if (judgements[number] === 'listed') return true
  return false
}

/** Counts an entry of a requested kind, and lists it if so judged. */
function take(number: number, path: string, walk: Walk): void {
  const judgement = walk.judgements[number]
  if (judgement === 'other') return
  walk.count++
  if (judgement !== 'listed') return
  const { kind, mode, uid, gid } = walk.source.table.at(number)
  walk.entries.push({ path, kind, mode, uid, gid })
}

function enter(
  { node, prefix, depth, containers }: Pending,
  child: DirectoryNode,
  { below, include }: Pick<PatternStep, 'below'> & Pick<Pending, 'include'>,
  walk: Walk,
): void {
  const { query, pending, leftOut } = walk
  if (depth + 1 >= query.depth || include?.length === 0) return
  const path = prefix + child.name
  const kept = stepInto(containers, child.name)
  const why = kept.isMatch ? 'container files' : describeForeignFileSystem(node, child, path, walk)
  if (why !== undefined) leftOut.push({ path, why })
  else {
    pending.push({ node: child, prefix: `${path}/`, depth: depth + 1, include, exclude: below, containers: kept.below })
  }
}

/** Why a file system mounted at a directory is not entered; undefined if it is. */
function describeForeignFileSystem(
  parent: DirectoryNode,
  child: DirectoryNode,
  path: string,
  walk: Walk,
): string | undefined {
  if (child.device === parent.device) return undefined
  const { query, source } = walk
  const at = absolutePath(walk, `${path}/`)
  if (query.fileSystems === 'all_local') return source.fileSystems.foreignAt(at)
  return source.fileSystems.typeAt(at) ?? 'another file system'
}

function absolutePath({ source }: Walk, prefix: string): string {
  const root = source.path === '/' ? '' : source.path
  return prefix === '' ? source.path : `${root}/${prefix.slice(0, -1)}`
}
