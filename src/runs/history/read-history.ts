import { lstatSync, readdirSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'
import { defined } from '../../model/defined.ts'
import { answeringPath } from '../../host/live/hanging.ts'
import { attempt, OperatorError } from '../../model/operator-error.ts'
import { systemReason } from '../../model/system-reason.ts'
import { readReport } from '../../report/stored/read-report.ts'
import { whyNotToWrite } from './directory.ts'
import {
  type DamagedFile,
  entryOf,
  type HistoryEntry,
  type IndexLine,
  isDamaged,
  newestFirst,
  versionOf,
} from './entry.ts'
import { timeInName } from './file-name.ts'
import { readIndex, rewriteIndex } from './index-file.ts'

/** Stored runs of a directory. */
export interface History {
  readonly directory: string
  /** Newest first. */
  readonly runs: readonly HistoryEntry[]
  /** Unusable files by name, with reasons. */
  readonly unusable: readonly UnusableFile[]
  /** Reason why the index could not be updated; it only makes reading slow. */
  readonly indexTrouble?: string
}

/** A file with the name of a stored run but without a valid run. */
export type UnusableFile = Pick<DamagedFile, 'file' | 'reason'>

/** A file that cannot be read now, but may be valid. */
interface DeniedFile extends UnusableFile {
  readonly kind: 'denied'
}

export function emptyHistory(directory: string): History {
  return { directory, runs: [], unusable: [] }
}

/**
 * Reads the stored runs of a directory. Opens files that the index does not know in their current state, and updates
 * the index; calls `onUnknown` first with their number. Throws an `OperatorError` only if the directory cannot be read.
 */
export async function readHistory(directory: string, onUnknown?: (count: number) => void): Promise<History> {
  const names = storedNames(directory)
  const { lines, isSound } = readIndex(directory)
  const known: IndexLine[] = []
  const unknown: [name: string, stats: Stats][] = []
  // The index may know files that were added after the directory was read.
  for (const name of new Set([...names, ...lines.keys()])) {
    const stats = timeInName(name) === undefined ? undefined : lookAt(directory, name)
    if (stats === undefined) continue
    const line = lines.get(name)
    if (line !== undefined && line.sizeBytes === stats.size && line.mtimeMs === stats.mtimeMs) known.push(line)
    else unknown.push([name, stats])
  }
  if (unknown.length > 0) onUnknown?.(unknown.length)
  const denied: UnusableFile[] = []
  for (const [name, stats] of unknown) {
    const found = await examine(directory, name, stats)
    if (found === undefined) continue
    if ('kind' in found) denied.push({ file: found.file, reason: found.reason })
    else known.push(found)
  }
  known.sort((left, right) => (left.file < right.file ? -1 : 1))
  const isStale = !isSound || known.length !== lines.size || unknown.length > denied.length
  const trouble = isStale && known.length + lines.size > 0 ? repair(directory, known) : undefined
  const unusable = [...known.filter(isDamaged).map(({ file, reason }) => ({ file, reason })), ...denied]
  return {
    directory,
    runs: newestFirst(known.flatMap((line) => (isDamaged(line) ? [] : line))),
    unusable: unusable.toSorted((left, right) => (left.file < right.file ? -1 : 1)),
    ...defined({ indexTrouble: trouble }),
  }
}

function storedNames(directory: string): readonly string[] {
  return attempt(`cannot read the history ${directory}`, () =>
    readdirSync(answeringPath(directory), 'utf8').filter((name) => timeInName(name) !== undefined),
  )
}

/** Undefined if the file is gone: another run may be removing old files. */
function lookAt(directory: string, name: string): Stats | undefined {
  return attempt(`cannot read the history ${directory}`, () =>
    lstatSync(join(directory, name), { throwIfNoEntry: false }),
  )
}

async function examine(directory: string, name: string, stats: Stats): Promise<IndexLine | DeniedFile | undefined> {
  const version = versionOf(name, stats)
  if (!stats.isFile()) return { ...version, reason: 'it is not a regular file' }
  try {
    return entryOf(await readReport(join(directory, name)), version)
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    const code = systemCode(error.cause)
    if (code === 'ENOENT') return undefined
    const reason = reasonOf(error, join(directory, name))
    return code === undefined ? { ...version, reason } : { kind: 'denied', file: name, reason }
  }
}

/** Code of a system error, which says nothing about the content. */
function systemCode(cause: unknown): string | undefined {
  return cause instanceof Error && 'syscall' in cause && 'code' in cause ? String(cause.code) : undefined
}

/** Removes the file name, which is shown next to the reason. */
function reasonOf({ message, problems }: OperatorError, path: string): string {
  const [problem] = problems
  const text = problem?.message ?? message
  const behind = text.indexOf(`${path}: `)
  return behind < 0 ? text : text.slice(behind + path.length + 2)
}

function repair(directory: string, lines: readonly IndexLine[]): string | undefined {
  try {
    const reason = whyNotToWrite(directory, statSync(directory))
    if (reason !== undefined) return reason
    rewriteIndex(directory, lines)
    return undefined
  } catch (error) {
    return systemReason(error)
  }
}
