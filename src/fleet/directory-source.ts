import { closeSync, constants, type Dirent, lstatSync, readdirSync, type Stats } from 'node:fs'
import { basename, join } from 'node:path'
import { defined } from '../core/defined.ts'
import { OperatorError } from '../core/operator-error.ts'
import { systemReason } from '../core/system-reason.ts'
import { timeInName } from '../history/file-name.ts'
import { LARGEST_REPORT_BYTES, parseReport } from '../stored/read-report.ts'
import { answeringPath } from '../target/local/hanging.ts'
import { openRegularFile, readDescriptor } from '../target/local/read-whole.ts'
import { heardRun } from './heard-run.ts'
import type { HeardRun, Source, UnusablePlace } from './source.ts'

/** How many directories lead to a report: one for each host, and one for what a CI server unpacks in it. */
const DEEPEST = 2

/** How many files are read and unpacked ahead of the one whose turn it is. */
const AHEAD = 4

/** A file that may be a report. */
interface Candidate {
  readonly path: string
  /** The first directory below the source that leads to it; empty where it lies in the source itself. */
  readonly topmost: string
  readonly stats: Stats
}

/** What is known of a file as it was when it was looked at. */
interface Seen {
  readonly version: string
  readonly reason?: string
}

/**
 * The JSON reports, compressed or not, in a directory and those below it: histories on a share, copies of them, artefacts of
 * pipelines. The first directory below it that has the name of one of these hosts is that host's own. Whoever can
 * write there is not trusted: links are not followed, and what is no report is told and passed over.
 */
export function directorySource(directory: string, hosts: ReadonlySet<string>): Source {
  let seen = new Map<string, Seen>()

  async function news(take: (run: HeardRun) => void): Promise<readonly UnusablePlace[]> {
    const closed: UnusablePlace[] = []
    const now = new Map<string, Seen>()
    const fresh: Candidate[] = []
    for (const candidate of walk(directory, [], closed)) {
      const known = seen.get(candidate.path)
      if (known?.version === versionOf(candidate.stats)) now.set(candidate.path, known)
      else fresh.push(candidate)
    }
    fresh.sort((left, right) => orderOf(left) - orderOf(right))
    for await (const [candidate, read] of readAhead(fresh, hosts)) {
      const version = versionOf(candidate.stats)
      if ('run' in read) take(read.run)
      now.set(candidate.path, 'run' in read ? { version } : { version, reason: read.reason })
    }
    seen = now
    return [...closed, ...[...now].flatMap(([place, { reason }]) => (reason === undefined ? [] : { place, reason }))]
  }

  return { name: directory, news }
}

/** The files below a directory; `names` are those of the directories that lead there. What cannot be listed is `closed`. */
function* walk(path: string, names: readonly string[], closed: UnusablePlace[]): Generator<Candidate> {
  for (const entry of entriesOf(path, names, closed)) {
    const child = join(path, entry.name)
    if (entry.name.startsWith('.')) continue
    if (entry.isDirectory() && names.length < DEEPEST) yield* walk(child, [...names, entry.name], closed)
    if (!entry.isFile() || !/\.json(\.gz)?$/.test(entry.name)) continue
    const stats = lstatSync(child, { throwIfNoEntry: false })
    if (stats !== undefined) yield { path: child, topmost: names[0] ?? '', stats }
  }
}

/** The source itself must be there; a directory of one host that cannot be read is that host's trouble. */
function entriesOf(path: string, names: readonly string[], closed: UnusablePlace[]): readonly Dirent[] {
  try {
    return readdirSync(answeringPath(path), { withFileTypes: true })
  } catch (error) {
    const reason = systemReason(error)
    if (names.length === 0) throw new OperatorError(`cannot read the reports in ${path}: ${reason}`, { cause: error })
    closed.push({ place: path, reason })
    return []
  }
}

function versionOf({ ino, size, mtimeMs }: Stats): string {
  return `${ino} ${size} ${mtimeMs}`
}

/** Names of stored runs say when they started; of other files only the storage knows the time. */
function orderOf({ path, stats }: Candidate): number {
  const time = timeInName(basename(path))
  return time === undefined ? stats.mtimeMs : Math.min(Date.parse(time), stats.mtimeMs)
}

type Read = { readonly run: HeardRun } | { readonly reason: string }

/** Reads some files at the same time and gives them in their order. */
async function* readAhead(
  candidates: readonly Candidate[],
  hosts: ReadonlySet<string>,
): AsyncGenerator<readonly [Candidate, Read]> {
  const pending: (readonly [Candidate, Promise<Read>])[] = []
  for (const candidate of candidates) {
    pending.push([candidate, readCandidate(candidate, hosts)])
    if (pending.length > AHEAD) yield* next(pending)
  }
  while (pending.length > 0) yield* next(pending)
}

async function* next(pending: (readonly [Candidate, Promise<Read>])[]): AsyncGenerator<readonly [Candidate, Read]> {
  const first = pending.shift()
  if (first !== undefined) yield [first[0], await first[1]]
}

async function readCandidate({ path, topmost, stats }: Candidate, hosts: ReadonlySet<string>): Promise<Read> {
  try {
    const run = await parseReport(readBytes(path), path)
    const place = {
      place: path,
      storedAtMs: stats.mtimeMs,
      ...defined({ owner: hosts.has(topmost) ? topmost : undefined }),
    }
    return { run: heardRun(run, place) }
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    return { reason: error.message }
  }
}

function readBytes(path: string): Uint8Array {
  let descriptor: number | undefined
  try {
    descriptor = openRegularFile(path, constants.O_NOFOLLOW)
    return readDescriptor(descriptor, LARGEST_REPORT_BYTES)
  } catch (error) {
    throw new OperatorError(`cannot read the report ${path}: ${systemReason(error)}`, { cause: error })
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}
