import { OperatorError } from '../../model/operator-error.ts'
import { rosterIn } from '../load-roster.ts'
import { fleetHome } from './home.ts'
import { type Reload, reloadServer } from './local-server.ts'
import { changeMember, writeHosts } from './members.ts'
import { noteForLater } from './operator.ts'
import { SERVER_FILES } from './server-config.ts'

/**
 * Departure of a host: `revoked` ends its key, but it is still expected; `retired` means that it is no longer expected.
 */
export type Departure = 'revoked' | 'retired'

export interface Decision {
  readonly author: string
  readonly reason: string
}

const ACTS: Readonly<Record<Departure, { readonly act: string; readonly text: string }>> = {
  revoked: { act: 'revoke', text: 'ended its key' },
  retired: { act: 'retire', text: 'retired it' },
}

/**
 * Records the departure of a host in the roster, removes it from the server configuration, and reloads a local server.
 * Its messages stay. Throws an `OperatorError`.
 */
export function leave(directory: string, host: string, how: Departure, { author, reason }: Decision): Reload {
  const home = fleetHome(directory)
  const member = rosterIn(home.roster).hosts.get(host)
  if (member === undefined) throw new OperatorError(`the roster ${home.roster} has no host ${host}`)
  const since = member[how]
  if (since !== undefined) throw new OperatorError(`${host} is ${how} since ${since}`)
  const { act, text } = ACTS[how]
  noteForLater(directory, { act, author, about: host, text: `${text}; ${reason}` })
  changeMember(home.roster, host, { [how]: new Date().toISOString().slice(0, 10), reason })
  writeHosts(directory)
  return reloadServer(home.server(SERVER_FILES.config))
}
