import { defined } from '../model/defined.ts'
import { acquireFixLock, type FixLock, type LockHolder } from '../host/live/fix-lock.ts'
import type { Machine } from '../host/live/machine.ts'
import { stateNameOf } from '../host/root/identity.ts'
import { ROOTS } from '../host/live/state-directory.ts'
import { writeFailure } from '../host/live/system-error.ts'
import { settleInterrupted } from './undo/interrupted.ts'
import { journalsIn } from './undo/journal.ts'

/** Long enough for a fix of a few files to finish, short enough for a person to wait. */
const PATIENCE_MS = 3_000

/** What came of work that needs the fix lock. */
export type LockedOutcome<T> =
  { readonly kind: 'done'; readonly value: T } | { readonly kind: 'refused'; readonly message: string }

/** How the lock is taken. */
export interface LockingOptions {
  /** How long to wait for another fix to end, in milliseconds; some seconds where it is absent. */
  readonly waitMs?: number | undefined
  /** Where the state of fixes lies; in the regular directory of the running user where it is absent. */
  readonly stateDirectory?: string | undefined
}

/** Does work while no other process may change a machine. Refuses if another one does not finish within seconds. */
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
    const trouble = settled(journalsIn(acquired.lock.directory), root)
    if (trouble !== undefined) return { kind: 'refused', message: trouble }
    return { kind: 'done', value: await work(acquired.lock) }
  } finally {
    acquired.lock.release()
  }
}

/** Why an interrupted fix could not be put in order, if so. */
function settled(directory: string, root: Machine['root']): string | undefined {
  try {
    settleInterrupted(directory, root)
    return undefined
  } catch (error) {
    return writeFailure(error, `cannot put the journals of interrupted fixes in ${directory} in order`).message
  }
}

function describeHolder(holder: LockHolder | undefined, below: string | undefined): string {
  const where = below === undefined ? 'on this machine' : `below ${below}`
  return `another fix is running ${where}: ${nameOf(holder)}; try again when it is done`
}

function nameOf(holder: LockHolder | undefined): string {
  if (holder === undefined) return 'it has only just begun'
  const { pid, isNear, startedAt } = holder
  return `process ${pid}${isNear ? '' : ' of another PID namespace, such as a container'} since ${startedAt}`
}
