import { OperatorError } from '../../../model/operator-error.ts'
import { sourceWith } from '../../../policy/fetch/files.ts'
import type { Io } from '../../output/io.ts'

/** An operand, or the contents of standard input for `-`. Throws an `OperatorError` if it cannot be read. */
export async function wordOf(operand: string, { stdin }: Pick<Io, 'stdin'>): Promise<string> {
  if (operand !== '-') return operand
  const read = await sourceWith(stdin).readStdin()
  if ('message' in read) throw new OperatorError(read.message)
  return Buffer.from(read.bytes).toString('utf8').trim()
}
