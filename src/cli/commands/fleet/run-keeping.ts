import { EXIT } from '../../../core/gate.ts'
import { type Departure, leave } from '../../../fleet/nats/leaving.ts'
import type { Invocation } from '../../command.ts'
import { usageError } from '../../errors.ts'
import type { Io } from '../../output/io.ts'
import type { LeaveFlags } from './keeping-options.ts'
import { whoAmI } from './who-am-i.ts'

const FLEET = 'fleet'

/** Ends the key of a host. Throws `OperatorError`s, as the others do. */
export async function runLeave(
  how: Departure,
  { operands: [host = ''], options }: Invocation<LeaveFlags>,
  io: Io,
): Promise<number> {
  const { fleet = FLEET, reason = '', author = whoAmI() } = options
  if (reason.trim() === '')
    throw usageError('say why, for the record: --reason TEXT', how === 'revoked' ? 'fleet revoke' : 'fleet retire')
  const reload = leave(fleet, host, how, { author, reason })
  const done = `${host} is ${how}`
  if (reload.kind === 'reloaded') {
    io.say(`driftgate: ${done}; the server on this machine has let go of its key\n`)
    return EXIT.ok
  }
  const why = reload.kind === 'refused' ? ` (the server on this machine cannot be reloaded: ${reload.reason})` : ''
  io.say(`driftgate: ${done} in the roster, and the server lets its key in until it reads hosts.conf again${why}:
driftgate: copy ${fleet}/server/hosts.conf to the server and reload it ("systemctl reload driftgate-nats", or SIGHUP)\n`)
  return EXIT.ok
}
