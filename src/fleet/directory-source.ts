import { type Dirent, lstatSync, readdirSync, type Stats } from 'node:fs'
import { basename, join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { OperatorError } from '../model/operator-error.ts'
import { systemReason } from '../model/system-reason.ts'
import { timeInName } from '../runs/history/file-name.ts'
import { answeringPath } from '../host/live/hanging.ts'
import { claimedHosts } from './claimed-hosts.ts'
import { type Candidate, readAhead } from './read-candidate.ts'
import type { Listener, Source, UnusablePlace } from './source.ts'
import { watchDirectories } from './watch-directories.ts'

/** How many directories lead to a report: one for each host, and one for what a CI server unpacks in it. */
const DEEPEST = 2

/** After how many files and directories all others have a turn. */
const AT_ONCE = 1_000

/** What is known of a file as it was when it was looked at. */
interface Seen {
  readonly version: string
  readonly storedAtMs: number
  readonly reason?: string
}

/** What is known of a directory. */
interface Folder {
  /** The names of the directories that lead from the source to it. */
  readonly names: readonly string[]
  readonly files: Map<string, Seen>
  folders: ReadonlySet<string>
  /** Why it cannot be listed. */
  closed?: string
}

/** A directory that is to be looked at. */
type Place = readonly [path: string, names: readonly string[]]

/**
 * The JSON reports, compressed or not, in a directory and those below it: histories on a share, copies of them, artefacts of
 * pipelines. The first directory below it that has the name of one of these hosts is that host's own. A user who can
 * write there is not trusted: links are not followed, and what is no report is told and passed over.
 */
export function directorySource(directory: string, hosts: ReadonlySet<string>): Source {
  const folders = new Map<string, Folder>()
  /** Whose reports lie below each of the first directories. */
  const speakers = new Map<string, Set<string>>()
  const watched = watchDirectories()

  async function news(
    listener: Listener,
    where: 'everywhere' | 'hinted',
    signal?: AbortSignal,
  ): Promise<readonly UnusablePlace[]> {
    const hinted = watched.hints()
    const isWhole = where === 'everywhere' || !folders.has(directory)
    const places: readonly Place[] = isWhole
      ? [[directory, []]]
      : hinted.flatMap((path): readonly Place[] => {
          const folder = folders.get(path)
          return folder === undefined ? [] : [[path, folder.names]]
        })
    const fresh = await look(folders, places, { isWhole, listener })
    watched.keep(folders.keys())
    for await (const [candidate, read] of readAhead(fresh, hosts)) {
      if (signal?.aborted === true) break
      const { path, folder, topmost, stats } = candidate
      const seen = { version: versionOf(stats), storedAtMs: stats.mtimeMs }
      folders.get(folder)?.files.set(path, 'runs' in read ? seen : { ...seen, reason: read.reason })
      if ('reason' in read) {
        listener.gone(path)
        continue
      }
      const speaking = speakers.get(topmost) ?? new Set()
      for (const { host } of read.runs) speaking.add(host)
      speakers.set(topmost, speaking)
      for (const run of read.runs) listener.add(run)
    }
    return [...folders].flatMap(([path, folder]) => unusableIn(path, folder, hostsOf(folder.names[0] ?? '')))
  }

  /** The host that a directory belongs to by its name, or else by whose reports alone lie there. */
  function hostsOf(topmost: string): readonly string[] {
    if (hosts.has(topmost)) return [topmost]
    const heard = topmost === '' ? undefined : speakers.get(topmost)
    return heard?.size === 1 ? [...heard] : []
  }

  return { name: directory, news, watch: watched.watch, close: () => Promise.resolve() }
}

interface Looking {
  /** Whether directories that are known already are looked at, too. */
  readonly isWhole: boolean
  readonly listener: Listener
}

/** What lies in these directories and is not known yet, the oldest first. Others have a turn meanwhile. */
async function look(
  folders: Map<string, Folder>,
  places: readonly Place[],
  { isWhole, listener }: Looking,
): Promise<readonly Candidate[]> {
  const fresh: Candidate[] = []
  const waiting = [...places]
  let seen = 0
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    const known = folders.get(place[0])?.folders
    const below = lookAt(folders, place, { fresh, listener })
    waiting.push(...(isWhole ? below : below.filter(([path]) => known?.has(path) !== true)))
    seen += 1 + (folders.get(place[0])?.files.size ?? 0)
    if (seen < AT_ONCE) continue
    seen = 0
    await nextTurn()
  }
  return fresh.toSorted((left, right) => orderOf(left) - orderOf(right))
}

/** Looks at one directory, and gives those in it. */
function lookAt(
  folders: Map<string, Folder>,
  [path, names]: Place,
  { fresh, listener }: { readonly fresh: Candidate[]; readonly listener: Listener },
): readonly Place[] {
  const folder: Folder = folders.get(path) ?? { names, files: new Map(), folders: new Set() }
  const entries = entriesOf(path, folder)
  folders.set(path, folder)
  if (entries === undefined) return []
  const below: Place[] = []
  const files = new Set<string>()
  for (const entry of entries) {
    const child = join(path, entry.name)
    if (entry.name.startsWith('.')) continue
    if (entry.isDirectory() && names.length < DEEPEST) below.push([child, [...names, entry.name]])
    if (!entry.isFile() || !/\.json(\.gz)?$/.test(entry.name)) continue
    const stats = lstatSync(child, { throwIfNoEntry: false })
    if (stats === undefined) continue
    files.add(child)
    if (folder.files.get(child)?.version === versionOf(stats)) continue
    fresh.push({ path: child, folder: path, topmost: names[0] ?? '', stats })
  }
  for (const file of folder.files.keys()) if (!files.has(file)) forgetFile(folder, file, listener)
  const before = folder.folders
  folder.folders = new Set(below.map(([child]) => child))
  for (const each of before) if (!folder.folders.has(each)) forgetFolder(folders, each, listener)
  return below
}

function forgetFile({ files }: Folder, file: string, { gone }: Listener): void {
  files.delete(file)
  gone(file)
}

function forgetFolder(folders: Map<string, Folder>, path: string, listener: Listener): void {
  const folder = folders.get(path)
  if (folder === undefined) return
  for (const file of folder.files.keys()) forgetFile(folder, file, listener)
  for (const each of folder.folders) forgetFolder(folders, each, listener)
  folders.delete(path)
}

/** The source itself must be there; a directory of one host that cannot be read is that host's trouble. */
function entriesOf(path: string, folder: Folder): readonly Dirent[] | undefined {
  try {
    const entries = readdirSync(answeringPath(path), { withFileTypes: true })
    delete folder.closed
    return entries
  } catch (error) {
    const reason = systemReason(error)
    if (folder.names.length === 0) {
      throw new OperatorError(`cannot read the reports in ${path}: ${reason}`, { cause: error })
    }
    folder.closed = reason
    return undefined
  }
}

function unusableIn(path: string, { closed, files }: Folder, hosts: readonly string[]): readonly UnusablePlace[] {
  const broken = [...files].flatMap(([place, { reason, storedAtMs }]) =>
    reason === undefined ? [] : [{ place, reason, storedAtMs, hosts: hosts.length > 0 ? hosts : claimedHosts(place) }],
  )
  return closed === undefined ? broken : [{ place: path, reason: closed, hosts }, ...broken]
}

function versionOf({ ino, size, mtimeMs }: Stats): string {
  return `${ino} ${size} ${mtimeMs}`
}

/** Names of stored runs say when they started; of other files only the storage knows the time. */
function orderOf({ path, stats }: Candidate): number {
  const time = timeInName(basename(path))
  return time === undefined ? stats.mtimeMs : Math.min(Date.parse(time), stats.mtimeMs)
}
