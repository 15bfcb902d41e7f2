import { OperatorError } from '../../../core/operator-error.ts'
import { localSource } from '../../../fetch/files.ts'

/** A word of the command line, or what standard input has where that is `-`. Throws an `OperatorError` where it cannot be read. */
export async function wordOf(operand: string): Promise<string> {
  if (operand !== '-') return operand
  const read = await localSource.readStdin()
  if ('message' in read) throw new OperatorError(read.message)
  return Buffer.from(read.bytes).toString('utf8').trim()
}
