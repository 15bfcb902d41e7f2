import { rejectWhenIdle } from '../../host/live/reject-when-idle.ts'

const LIMIT_MS = 600_000

/**
 * Waits for the output of a format, which may be plugin code; rejects after ten minutes, or at once if it can never
 * settle.
 */
export async function renderWithin<T>(made: T | Promise<T>): Promise<T> {
  if (!(made instanceof Promise)) return made
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`not done within ${LIMIT_MS / 1000} s`)), LIMIT_MS).unref()
  })
  try {
    return await Promise.race([rejectWhenIdle(made, 'it'), limit])
  } finally {
    clearTimeout(timer)
  }
}
