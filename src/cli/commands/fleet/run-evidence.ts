import { escapeForTerminal } from '../../../core/escape.ts'
import { EXIT } from '../../../core/gate.ts'
import { makeBundle } from '../../../evidence/bundle.ts'
import { usageError } from '../../errors.ts'
import type { Io } from '../../output/io.ts'
import type { EvidenceInvocation } from './evidence-options.ts'

const DAY_MS = 86_400_000

/** Prints the bundle of a host. Throws an `OperatorError` where there is nothing of it. */
export async function runEvidence({ options }: EvidenceInvocation, io: Io): Promise<number> {
  const { from, host, since, until } = options
  if (from === undefined) throw usageError('say where the histories are: --from DIR', 'fleet evidence')
  if (host === undefined) throw usageError('say of which host: --host NAME', 'fleet evidence')
  const { bundle, trouble } = await makeBundle({
    directory: from,
    host,
    sinceMs: since === undefined ? -Infinity : Date.parse(since),
    untilMs: until === undefined ? Infinity : Date.parse(until) + DAY_MS - 1,
  })
  for (const each of trouble) io.say(`driftgate: passing over ${escapeForTerminal(each)}\n`)
  if (bundle.unsigned.length > 0) io.say(`driftgate: ${bundle.unsigned.length} of these runs were never signed\n`)
  await io.print(`${JSON.stringify(bundle)}\n`)
  return EXIT.ok
}
