import { connect, headers, type MsgHdrs, type NatsConnection, nkeyAuthenticator } from '@nats-io/transport-node'
import { defined } from '../../core/defined.ts'
import type { Login } from './connect.ts'

const CONNECT_MS = 10_000

/** A connection, and what its library makes. */
export interface Client {
  readonly connection: NatsConnection
  readonly newHeaders: () => MsgHdrs
}

/** Connects once. Throws what the library does. The only module of fleets that loads it. */
export async function openClient({ url, seed, authority, inboxPrefix }: Login): Promise<Client> {
  const connection = await connect({
    servers: url,
    name: 'driftgate',
    reconnect: false,
    timeout: CONNECT_MS,
    tls: { ca: authority },
    authenticator: nkeyAuthenticator(Buffer.from(seed)),
    ...defined({ inboxPrefix }),
  })
  return { connection, newHeaders: () => headers() }
}
