import process from 'node:process'

/** The event loop is empty, but the awaited promise has not settled. */
export class IdleError extends Error {}

const pending = new Set<() => void>()

/**
 * Waits for a promise and rejects with an `IdleError` once the event loop is empty: nothing could settle the promise
 * any more, and the process would end in the middle of its work. `subject` starts the message.
 */
export async function rejectWhenIdle<T>(promise: Promise<T>, subject: string): Promise<T> {
  let reject = (): void => undefined
  const idle = new Promise<never>((_resolve, refuse) => {
    reject = () => refuse(new IdleError(`${subject} returned a promise that never settles`))
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

/** The immediate keeps the event loop alive: `beforeExit` fires again only after another turn. */
function rejectPending(): void {
  setImmediate(() => pending.forEach((reject) => reject()))
}
