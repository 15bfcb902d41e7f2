import { EXIT } from '../../../model/gate.ts'
import { isAccountName, makeToken } from '../../../fleet/web/server/tokens.ts'
import { usageError } from '../../errors.ts'
import type { Io } from '../../output/io.ts'
import type { FleetFlags } from './options.ts'

/**
 * Creates a token. The secret token goes to standard error and the line for the token file to standard output, so that
 * `>> tokens` stores the one and shows the other.
 */
export async function runToken({ name, role }: FleetFlags, io: Io): Promise<number> {
  if (name === undefined) throw usageError('missing --name NAME: the owner of the token', 'fleet')
  if (!isAccountName(name)) {
    throw usageError('--name must be at most 64 letters, digits and . _ @ -, starting with a letter or digit', 'fleet')
  }
  const { token, line } = makeToken(name, role)
  io.say(`driftgate: token of ${name}, shown only once: ${token}\n`)
  await io.print(`${line}\n`)
  return EXIT.ok
}
