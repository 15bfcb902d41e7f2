import { closeSync, constants, ftruncateSync, openSync, readlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type FileJournal, openJournal, readJournal } from './file-journal.ts'
import type { Journal } from './journal.ts'
import { lockDescriptor, type LockOutcome } from './lock-descriptor.ts'
import { openRoot, type Place } from './place.ts'
import { recoverTemporary } from './recover.ts'
import type { OpenRoot } from './site.ts'
import { prepareStateDirectory } from './state-directory.ts'
import { sweepTemporaries } from './sweep.ts'
import { errorCode, writeFailure } from './system-error.ts'
import { appendWhole } from './write-whole.ts'

/** Never removed: otherwise one process could lock the old file and another one a new file. */
const FILE_NAME = 'fix.lock'

const FLAGS = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** Pause between attempts to lock, in milliseconds. */
const RETRY_MS = 50

/** The process that holds the lock. `startedAt` is ISO 8601 in UTC. */
export interface LockHolder {
  readonly pid: number
  /** Whether its pid is valid here: it runs in the same PID namespace. */
  readonly isNear: boolean
  readonly startedAt: string
}

/** The exclusive right to change this machine. */
export interface FixLock {
  /** The state directory with the lock file. */
  readonly directory: string
  /** Records the writes of the run until they are done. */
  readonly journal: Journal
  /** Temporary paths of a killed run that were removed; during a fix, unrecorded ones are added. */
  readonly recovered: readonly string[]
  /** Leftovers of a killed run that could not be removed, as sentences. */
  readonly notRecovered: readonly string[]
  /** Releases the lock. Call it once. */
  readonly release: () => void
}

export type FixLockResult =
  | { readonly kind: 'held'; readonly lock: FixLock }
  /** The holder is unknown between locking the file and writing to it. */
  | { readonly kind: 'busy'; readonly holder: LockHolder | undefined }
  | { readonly kind: 'failed'; readonly message: string }

export interface FixLockOptions {
  /** Maximum time to wait for the lock; 0 by default. */
  readonly waitMs?: number
  /** The state directory; by default that of the running user. */
  readonly directory?: string
  /** Subdirectory of the lock file, for targets other than this machine. */
  readonly within?: string
  /** Root of the paths in the journal; the root of this machine by default. */
  readonly root?: OpenRoot
}

/**
 * Acquires the lock for changes to this machine: one process per user at a time, in any container or PID namespace that
 * shares the directory. The kernel releases the lock when the process ends, for any reason. Leftovers that the previous
 * process recorded in the file are removed.
 */
export async function acquireFixLock(options: FixLockOptions = {}): Promise<FixLockResult> {
  const { waitMs = 0, root = openRoot } = options
  const prepared = prepareDirectory(options)
  if (prepared.kind === 'failed') return prepared
  const path = join(prepared.path, FILE_NAME)
  try {
    const fd = openSync(path, FLAGS, 0o600)
    let isHeld = false
    try {
      const outcome = await lockWithin(waitMs, fd)
      if (outcome.kind === 'failed') return { ...outcome, message: `cannot lock ${path}: ${outcome.message}` }
      if (outcome.kind === 'taken') return { kind: 'busy', holder: parseHeader(readJournal(path).header) }
      const lock = await openFixLock(path, fd, root)
      isHeld = true
      return { kind: 'held', lock }
    } finally {
      if (!isHeld) closeSync(fd)
    }
  } catch (error) {
    return writeFailure(error, `cannot lock this machine for a fix in ${prepared.path}`)
  }
}

function prepareDirectory({ directory, within }: FixLockOptions): ReturnType<typeof prepareStateDirectory> {
  const prepared = prepareStateDirectory(directory)
  if (prepared.kind === 'failed' || within === undefined) return prepared
  return prepareStateDirectory(join(prepared.path, within))
}

async function lockWithin(waitMs: number, fd: number): Promise<LockOutcome> {
  const begin = performance.now()
  for (;;) {
    const outcome = await lockDescriptor(fd)
    const restMs = begin + waitMs - performance.now()
    if (outcome.kind !== 'taken' || restMs <= 0) return outcome
    await pause(Math.min(restMs, RETRY_MS))
  }
}

/** Removes leftovers of an ended process and starts a new record; leftovers that could not be removed stay in it. */
async function openFixLock(path: string, fd: number, root: OpenRoot): Promise<FixLock> {
  const recovered: string[] = []
  const kept: string[] = []
  const notRecovered: string[] = []
  for (const temporary of readJournal(path).paths) {
    const outcome = await recoverTemporary(temporary, root)
    if (outcome.kind === 'removed') recovered.push(temporary)
    if (outcome.kind !== 'failed') continue
    kept.push(temporary)
    notRecovered.push(outcome.message)
  }
  const header = `${JSON.stringify({ pid: process.pid, namespace: ownNamespace(), startedAt: new Date().toISOString() })}\n`
  ftruncateSync(fd)
  const journal = openJournal(fd, appendWhole(fd, header, 0))
  for (const temporary of kept) journal.record(temporary)
  const swept = new Set<string>()
  const beforeStaging = async (place: Place, directory: string): Promise<void> => {
    if (swept.has(directory)) return
    swept.add(directory)
    recovered.push(...(await sweepTemporaries(place, directory, { root, recorded: journal.outstanding() })))
  }
  return {
    directory: dirname(path),
    journal: { ...journal, beforeStaging },
    recovered,
    notRecovered,
    release: () => release(fd, journal),
  }
}

/** Records of leftovers that could not be removed stay for the next run. */
function release(fd: number, journal: FileJournal): void {
  if (journal.outstanding().length === 0) ftruncateSync(fd)
  closeSync(fd)
}

function parseHeader(line: string | undefined): LockHolder | undefined {
  try {
    const header: unknown = JSON.parse(line ?? '')
    if (typeof header !== 'object' || header === null) return undefined
    const { pid, namespace, startedAt }: { pid?: unknown; namespace?: unknown; startedAt?: unknown } = header
    if (typeof pid !== 'number' || typeof startedAt !== 'string') return undefined
    return { pid, isNear: namespace === ownNamespace(), startedAt }
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** Identifies the PID namespace; a constant on systems without namespaces. */
function ownNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return 'one'
  }
}
