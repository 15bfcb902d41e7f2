import { closeSync, constants, type Dirent, lstatSync, openSync, readdirSync, readSync, type Stats } from 'node:fs'
import { basename, join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { gunzipSync, constants as zlib } from 'node:zlib'
import { OperatorError } from '../model/operator-error.ts'
import { systemReason } from '../model/system-reason.ts'
import { timeInName } from '../runs/history/file-name.ts'
import { answeringPath } from '../host/live/hanging.ts'
import { type Candidate, readAhead } from './read-candidate.ts'
import type { Listener, Source, UnusablePlace } from './source.ts'
import { watchDirectories } from './watch-directories.ts'
import { errorCode } from '../host/live/system-error.ts'

/** The target of a report is near its beginning. */
const HEAD_BYTES = 64 * 1024

const TARGET = /"target"\s*:\s*\{\s*"kind"\s*:\s*"(?!merged")[a-z]+"\s*,\s*"hostname"\s*:\s*("(?:[^"\\]|\\.)+")/

/** Directory depth of a report: one level for the host and one for the artefact that a CI server unpacks in it. */
const DEEPEST = 2

/** Number of entries after which the scan yields. */
const AT_ONCE = 1_000

/** State of a file at its last read. */
interface Seen {
  readonly version: string
  readonly storedAtMs: number
  readonly reason?: string
}

/** State of a directory. */
interface Folder {
  /** Directory names from the source to it. */
  readonly names: readonly string[]
  readonly files: Map<string, Seen>
  folders: ReadonlySet<string>
  /** Reason why it cannot be listed. */
  closed?: string
}

/** A directory to read. */
type Place = readonly [path: string, names: readonly string[]]

/**
 * Reads JSON reports, compressed or not, in a directory tree: histories on a share, copies of them, pipeline artefacts.
 * A top-level directory with the name of a listed host belongs to that host. Users with write access are not trusted:
 * links are not followed, and other files are reported and skipped.
 */
export function directorySource(directory: string, hosts: ReadonlySet<string>): Source {
  const folders = new Map<string, Folder>()
  /** Hosts with reports below each top-level directory. */
  const speakers = new Map<string, Set<string>>()
  const watched = watchDirectories()

  async function readNews(
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
    const fresh = await collectCandidates(folders, places, { isWhole, listener })
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

  /** Host of a directory: by its name, or the only host with reports in it. */
  function hostsOf(topmost: string): readonly string[] {
    if (hosts.has(topmost)) return [topmost]
    const heard = topmost === '' ? undefined : speakers.get(topmost)
    return heard?.size === 1 ? [...heard] : []
  }

  return { name: directory, news: readNews, watch: watched.watch, close: () => Promise.resolve() }
}

interface Looking {
  /** Read known directories as well. */
  readonly isWhole: boolean
  readonly listener: Listener
}

/** New files in these directories, oldest first. Yields regularly. */
async function collectCandidates(
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

/** Reads one directory and returns its subdirectories. */
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

/** The source itself must be readable; an unreadable host directory only affects that host. */
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

/** The file name of a stored run contains its start time; for other files only the mtime is known. */
function orderOf({ path, stats }: Candidate): number {
  const time = timeInName(basename(path))
  return time === undefined ? stats.mtimeMs : Math.min(Date.parse(time), stats.mtimeMs)
}

/** Host named at the beginning of a truncated report; empty if not found. */
function claimedHosts(path: string): readonly string[] {
  const [, hostname] = TARGET.exec(readHead(path)) ?? []
  if (hostname === undefined) return []
  try {
    return [String(JSON.parse(hostname))]
  } catch {
    return []
  }
}

function readHead(path: string): string {
  const head = Buffer.alloc(HEAD_BYTES)
  try {
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
    try {
      const bytes = head.subarray(0, readSync(fd, head, 0, HEAD_BYTES, 0))
      const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b
      return String(isPacked ? gunzipSync(bytes, { finishFlush: zlib.Z_SYNC_FLUSH }) : bytes)
    } finally {
      closeSync(fd)
    }
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return ''
  }
}
