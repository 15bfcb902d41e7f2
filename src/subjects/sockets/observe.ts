import { SOCKETS } from './subject.ts'
import { absent, type Observation, present, unknown } from '../../model/observation.ts'
import type { Target } from '../../host/target.ts'
import { acceptsAddresses } from './addresses.ts'
import type { PortState, PortDesired, ObservedSocket } from './decide.ts'
import { isMeant, parsePortName, protocolsOf } from './name.ts'

type Machine = Pick<Target, 'open' | 'names'>

/** Observes the matching sockets and their owners. */
export async function observePort(
  { open, names: { userName } }: Machine,
  { name, where_address: where }: Pick<PortDesired, 'name' | 'where_address'>,
): Promise<Observation<PortState>> {
  const parsed = parsePortName(name)
  if (parsed === undefined) return unknown('invalid', `${name} is not a port`)
  const sockets = open(SOCKETS)
  const listening = sockets.listening(protocolsOf(parsed))
  if (listening.kind === 'unknown') return listening
  // For all ports, loopback sockets are excluded by default.
  const filter = where ?? (parsed.port === undefined ? { not: 'loopback' } : undefined)
  const meant: ObservedSocket[] = []
  const users = new Map<number, string>()
  let undecided: PortState['undecided']
  for (const socket of listening.value) {
    const answer = isMeant(socket, parsed)
    if (answer === 'no' || (filter !== undefined && !acceptsAddresses(filter, socket, 'some'))) continue
    if (answer === 'unknown') {
      const which = `${socket.protocol} [::]:${socket.port}`
      undecided ??= unknown(
        'not-observable',
        `it is unknown whether ${which} also accepts IPv4: name the port without an IP version`,
      )
      continue
    }
    const owner = await sockets.owner(socket)
    meant.push({ ...socket, owner })
    for (const { effectiveUid } of owner.kind === 'known' ? owner.value.processes : []) {
      const user = userName(effectiveUid)
      if (user !== undefined) users.set(effectiveUid, user)
    }
  }
  if (meant.length === 0) return undecided ?? absent()
  return present(undecided === undefined ? { sockets: meant, users } : { sockets: meant, users, undecided })
}
