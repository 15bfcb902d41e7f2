import { errorCode } from './live/system-error.ts'

/** What `read` returns; undefined if its file or directory does not exist. */
export function ifThere<Value>(read: () => Value): Value | undefined {
  try {
    return read()
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}
