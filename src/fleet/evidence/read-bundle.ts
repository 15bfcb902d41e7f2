import { buffer } from 'node:stream/consumers'
import { OperatorError } from '../../model/operator-error.ts'
import { systemReason } from '../../model/system-reason.ts'
import { readWhole } from '../../host/live/read-whole.ts'

/** Limit of a string. */
const LARGEST_BUNDLE_BYTES = 500 * 1024 * 1024

/** Reads a bundle file; `-` is standard input. Throws an `OperatorError` if it is not JSON. */
export async function readBundle(path: string, stdin: AsyncIterable<unknown>): Promise<unknown> {
  let text: string
  try {
    const bytes = path === '-' ? await buffer(stdin) : readWhole(path, LARGEST_BUNDLE_BYTES)
    // Reject invalid UTF-8: different bytes would decode to the same character.
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (error) {
    throw new OperatorError(`cannot read the bundle ${path}: ${systemReason(error)}`, { cause: error })
  }
  try {
    return JSON.parse(text)
  } catch (error) {
    const reason = error instanceof Error ? error.message : ''
    throw new OperatorError(`cannot use the bundle ${path}: it is not JSON: ${reason}`, { cause: error })
  }
}
