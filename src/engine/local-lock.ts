import { acquireFixLock, type FixLock, type LockHolder } from '../target/local/fix-lock.ts'
import type { Machine } from '../target/local/machine.ts'
import { stateNameOf } from '../target/local/rooted/identity.ts'
import { ROOTS } from '../target/local/state-directory.ts'
import { settleInterrupted } from '../undo/interrupted.ts'
import { journalsIn } from '../undo/journal.ts'

/** Long enough for a fix of a few files to finish, short enough for a person to wait. */
const PATIENCE_MS = 3_000

/** What came of work that needs the fix lock. */
export type LockedOutcome<T> =
  { readonly kind: 'done'; readonly value: T } | { readonly kind: 'refused'; readonly message: string }

/** Does work while no other process may change a machine. Refuses if another one does not finish within seconds. */
export async function withFixLock<T>(
  { root, below }: Machine,
  work: (lock: FixLock) => Promise<T>,
  waitMs: number = PATIENCE_MS,
): Promise<LockedOutcome<T>> {
  const acquired = await acquireFixLock({
    waitMs,
    root,
    ...(below && { within: `${ROOTS}/${stateNameOf(below)}` }),
  })
  if (acquired.kind === 'failed') return { kind: 'refused', message: acquired.message }
  if (acquired.kind === 'busy') return { kind: 'refused', message: describeHolder(acquired.holder, below?.path) }
  try {
    settleInterrupted(journalsIn(acquired.lock.directory), root)
    return { kind: 'done', value: await work(acquired.lock) }
  } finally {
    acquired.lock.release()
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
