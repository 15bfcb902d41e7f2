import { randomBytes } from 'node:crypto'
import { closeSync, constants, openSync, readdirSync, renameSync, unlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type FileJournal, openJournal, readJournal } from './file-journal.ts'
import type { Journal } from './journal.ts'
import { commandOf, isRunning, ownIdentity, type ProcessIdentity } from './process-identity.ts'
import { recoverTemporary } from './recover.ts'
import { prepareStateDirectory } from './state-directory.ts'
import { errorCode, writeFailure } from './system-error.ts'

const FILE_NAME = /^fix-(\d+)-([0-9a-z-]+)\.lock$/

// Two that start together see each other and both step back; each tries again after its own random time. Someone who
// has not won after this long is waited for no longer.
const CONTEST_MS = 2_000

const RETRY_MS = { least: 5, most: 60 } as const

/** The process that is fixing this machine. `startedAt` is ISO 8601 in UTC. */
export interface LockHolder {
  readonly pid: number
  readonly command: string
  readonly startedAt: string
}

/** The right to change this machine. */
export interface FixLock {
  /** Where the writes of the run are recorded until they are done. */
  readonly journal: Journal
  /** Temporary paths that a killed run had left, and that were removed. */
  readonly recovered: readonly string[]
  /** What a killed run has left and could not be removed, as sentences. */
  readonly notRecovered: readonly string[]
  /** Gives the right back. Once is enough. */
  readonly release: () => void
}

export type FixLockResult =
  | { readonly kind: 'held'; readonly lock: FixLock }
  | { readonly kind: 'busy'; readonly holder: LockHolder }
  | { readonly kind: 'failed'; readonly message: string }

export interface FixLockOptions {
  /** How long to wait for a process that holds the lock; 0 where absent. */
  readonly waitMs?: number
  /** Where the lock files are; by default the state directory of the running user. */
  readonly directory?: string
}

/**
 * Takes the right to change this machine, at most one process of a user at a time. Each process has a file of its own,
 * named for its number and start time, and steps back if it sees the file of another that runs. Files of processes that
 * are gone are taken away, together with the temporary files recorded in them.
 */
export async function acquireFixLock({ waitMs = 0, directory }: FixLockOptions = {}): Promise<FixLockResult> {
  const prepared = prepareStateDirectory(directory === undefined ? undefined : [directory])
  if (prepared.kind === 'failed') return prepared
  const begin = performance.now()
  try {
    for (;;) {
      const attempt = await tryOnce(prepared.path)
      if (attempt.kind === 'held') return attempt
      const patienceMs = attempt.isEstablished ? waitMs : Math.max(waitMs, CONTEST_MS)
      const restMs = begin + patienceMs - performance.now()
      if (restMs <= 0) return { kind: 'busy', holder: attempt.holder }
      await pause(Math.min(restMs, RETRY_MS.least + Math.random() * (RETRY_MS.most - RETRY_MS.least)))
    }
  } catch (error) {
    return writeFailure(error, `cannot lock this machine for a fix in ${prepared.path}`)
  }
}

type Attempt =
  | Extract<FixLockResult, { kind: 'held' }>
  | { readonly kind: 'other'; readonly holder: LockHolder; readonly isEstablished: boolean }

async function tryOnce(directory: string): Promise<Attempt> {
  const own = ownIdentity()
  const path = join(directory, `fix-${own.pid}-${own.start}.lock`)
  const fd = openOwn(path)
  if (fd === undefined) return describeOther(path, own)
  const others = list(directory).filter((file) => file.path !== path)
  const rival = others.find(({ identity }) => isRunning(identity))
  if (rival !== undefined) {
    closeSync(fd)
    unlinkSync(path)
    return describeOther(rival.path, rival.identity)
  }
  return { kind: 'held', lock: await hold({ path, fd }, others) }
}

/** Undefined if this very process holds the lock already. */
function openOwn(path: string): number | undefined {
  try {
    return openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_APPEND, 0o600)
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return undefined
    throw error
  }
}

interface LockFile {
  readonly path: string
  readonly identity: ProcessIdentity
}

function list(directory: string): LockFile[] {
  return readdirSync(directory).flatMap((name) => {
    const [, pid, start] = FILE_NAME.exec(name) ?? []
    if (pid === undefined || start === undefined) return []
    return [{ path: join(directory, name), identity: { pid: Number(pid), start } }]
  })
}

/** A file without a first line belongs to somebody who has not won yet. */
function describeOther(path: string, { pid }: ProcessIdentity): Attempt {
  const { header } = readJournal(path)
  const holder = { pid, command: commandOf(pid) ?? 'unknown', startedAt: header ?? new Date().toISOString() }
  return { kind: 'other', isEstablished: header !== undefined, holder }
}

interface OpenLockFile {
  readonly path: string
  readonly fd: number
}

async function hold({ path, fd }: OpenLockFile, stale: readonly LockFile[]): Promise<FixLock> {
  const header = `${new Date().toISOString()}\n`
  writeSync(fd, header)
  const journal = openJournal(fd, header.length)
  const recoveries: Recoveries[] = []
  for (const file of stale) recoveries.push(await recover(file.path))
  return {
    journal,
    recovered: recoveries.flatMap(({ recovered }) => recovered),
    notRecovered: recoveries.flatMap(({ failures }) => failures),
    release: () => release({ path, fd }, journal),
  }
}

interface Recoveries {
  readonly recovered: readonly string[]
  readonly failures: readonly string[]
}

/** Removes what a process that is gone has left, then its file; what cannot be removed stays recorded. */
async function recover(path: string): Promise<Recoveries> {
  const recovered: string[] = []
  const failures: string[] = []
  for (const temporary of readJournal(path).paths) {
    const outcome = await recoverTemporary(temporary)
    if (outcome.kind === 'removed') recovered.push(temporary)
    if (outcome.kind === 'failed') failures.push(outcome.message)
  }
  if (failures.length === 0) unlinkSync(path)
  return { recovered, failures }
}

function release({ path, fd }: OpenLockFile, journal: FileJournal): void {
  closeSync(fd)
  // What could not be removed yet is left to the next run, under a number that no process has.
  if (journal.outstanding().length === 0) unlinkSync(path)
  else renameSync(path, join(path, '..', `fix-0-${randomBytes(8).toString('hex')}.lock`))
}
