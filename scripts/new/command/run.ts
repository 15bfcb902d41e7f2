import { escapeForTerminal } from '../../../model/escape.ts'
import { EXIT } from '../../../model/gate.ts'
import { toSafeJson } from '../../../model/safe-json.ts'
import type { Io } from '../../output/io.ts'
import type { __Name__Invocation } from './index.ts'

/** Prints words and returns the exit code. Throws an `OperatorError` for what the operator can correct. */
export async function run__Name__({ operands, options }: __Name__Invocation, io: Io): Promise<number> {
  const text = options.json ? toSafeJson(operands, 2) : operands.map(escapeForTerminal).join('\n')
  await io.print(`${text}\n`)
  return EXIT.ok
}
