import { buffer } from 'node:stream/consumers'
import { OperatorError } from '../../model/operator-error.ts'
import { systemReason } from '../../model/system-reason.ts'
import { readWhole } from '../../host/live/read-whole.ts'

/** What fits into a string. */
const LARGEST_BUNDLE_BYTES = 500 * 1024 * 1024

/** The value in the file of a bundle; `-` is standard input. Throws an `OperatorError` for what is no JSON. */
export async function readBundle(path: string, stdin: AsyncIterable<unknown>): Promise<unknown> {
  let text: string
  try {
    const bytes = path === '-' ? await buffer(stdin) : readWhole(path, LARGEST_BUNDLE_BYTES)
    // Other bytes than UTF-8 would become the same sign, from any bytes.
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
