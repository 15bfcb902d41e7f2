import { COMMAND_LINE } from '../../../report/words/fix-command.ts'
import { loadExtensions } from '../../options/extension.ts'
import type { Io } from '../../output/io.ts'
import { performOn } from '../../scan/perform-on.ts'
import { scanRequestOf } from '../../scan/request.ts'
import type { EnsureInvocation } from './options.ts'
import { resourceText } from './resource-text.ts'

/**
 * Scans one resource given on the command line and returns the exit code. Throws an `OperatorError` for invalid words.
 */
export async function runEnsure(
  { operands: [type = '', name = '', ...properties], options }: EnsureInvocation,
  io: Io,
): Promise<number> {
  const { types } = await loadExtensions(options, io)
  const text = resourceText(types, { type, name, properties })
  const flags = { ...options, only: [], skip: [], checksum: [] }
  const request = await scanRequestOf({ operands: [COMMAND_LINE], options: flags }, 'ensure')
  return performOn({ ...request, texts: new Map([[COMMAND_LINE, text]]) }, io)
}
