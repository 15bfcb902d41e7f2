import { defined } from '../model/defined.ts'
import { acquireFixLock, type FixLock, type LockHolder } from '../host/live/fix-lock.ts'
import type { Machine } from '../host/live/machine.ts'
import { stateNameOf } from '../host/root/identity.ts'
import { ROOTS } from '../host/live/state-directory.ts'
import { writeFailure } from '../host/live/system-error.ts'
import { settleInterrupted } from './undo/interrupted.ts'
import { journalsIn } from './undo/journal.ts'

/** Long enough for a small fix to finish, short enough for an interactive user. */
const PATIENCE_MS = 3_000

/** Outcome of work under the fix lock. */
export type LockedOutcome<T> =
  { readonly kind: 'done'; readonly value: T } | { readonly kind: 'refused'; readonly message: string }

export interface LockingOptions {
  /** Time to wait for another fix, in milliseconds; default: some seconds. */
  readonly waitMs?: number | undefined
  /** State directory of fixes; default: that of the current user. */
  readonly stateDirectory?: string | undefined
}

/** Runs work under the fix lock of a machine. Refuses if another fix does not finish in time. */
export async function withFixLock<T>(
  { root, below }: Machine,
  work: (lock: FixLock) => Promise<T>,
  { waitMs = PATIENCE_MS, stateDirectory }: LockingOptions = {},
): Promise<LockedOutcome<T>> {
  const acquired = await acquireFixLock({
    waitMs,
    root,
    ...defined({ directory: stateDirectory }),
    ...(below && { within: `${ROOTS}/${stateNameOf(below)}` }),
  })
  if (acquired.kind === 'failed') return { kind: 'refused', message: acquired.message }
  if (acquired.kind === 'busy') return { kind: 'refused', message: describeHolder(acquired.holder, below?.path) }
  try {
    const trouble = settleJournals(journalsIn(acquired.lock.directory), root)
    if (trouble !== undefined) return { kind: 'refused', message: trouble }
    return { kind: 'done', value: await work(acquired.lock) }
  } finally {
    acquired.lock.release()
  }
}

/** Reason why the journals of interrupted fixes cannot be completed. */
function settleJournals(directory: string, root: Machine['root']): string | undefined {
  try {
    settleInterrupted(directory, root)
    return undefined
  } catch (error) {
    return writeFailure(error, `cannot close the journals of interrupted fixes in ${directory}`).message
  }
}

function describeHolder(holder: LockHolder | undefined, below: string | undefined): string {
  const where = below === undefined ? 'on this machine' : `below ${below}`
  return `another fix is running ${where}: ${nameOf(holder)}; try again after it ends`
}

function nameOf(holder: LockHolder | undefined): string {
  if (holder === undefined) return 'it has just started'
  const { pid, isNear, startedAt } = holder
  return `process ${pid}${isNear ? '' : ' of another PID namespace, such as a container'} since ${startedAt}`
}
