import process from 'node:process'

/** The event loop is empty, and what was waited for is not settled. */
export class IdleError extends Error {}

const pending = new Set<() => void>()

/**
 * Waits for a promise and rejects with an `IdleError` once the event loop is empty: nothing is left that could settle the promise then, and the
 * process would end in the middle of its work. `subject` begins the message.
 */
export async function rejectWhenIdle<T>(promise: Promise<T>, subject: string): Promise<T> {
  let reject = (): void => undefined
  const idle = new Promise<never>((_resolve, refuse) => {
    reject = () => refuse(new IdleError(`${subject} waits for something that never happens`))
  })
  if (pending.size === 0) process.on('beforeExit', rejectPending)
  pending.add(reject)
  try {
    return await Promise.race([promise, idle])
  } finally {
    pending.delete(reject)
    if (pending.size === 0) process.off('beforeExit', rejectPending)
  }
}

/** The immediate keeps the loop alive: `beforeExit` comes again only after a turn of it. */
function rejectPending(): void {
  setImmediate(() => pending.forEach((reject) => reject()))
}
