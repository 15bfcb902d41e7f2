import {
  type Authenticator,
  connect,
  credsAuthenticator,
  type NatsConnection,
  nkeyAuthenticator,
} from '@nats-io/transport-node'
import { defined } from '../../model/defined.ts'
import { readAuthorities } from '../http/authorities.ts'
import type { Environment, NatsContext } from './context.ts'
import { isAboutCertificate } from './trouble.ts'

const CONNECT_MS = 5000

type Tls = NonNullable<Parameters<typeof connect>[0]>['tls']

/** Connects to the first server that answers. Throws an `Error` that lists the servers. */
export async function connectTo(context: NatsContext, env: Environment): Promise<NatsConnection> {
  const { tls, servers, name } = context
  const secure = (): Tls => ({
    ...(tls.isFirst ? { handshakeFirst: true } : {}),
    ...defined({ cert: tls.cert, key: tls.key, ca: tls.ca ?? readAuthorities(env)?.join('\n') }),
  })
  try {
    if (tls.isRequired) return await start(context, secure())
    // Only the server knows whether it uses TLS, and it rejects TLS if it does not.
    return await start(context, undefined).catch((error: unknown) => {
      // Node has its own list of CA certificates; retry with those of the system.
      if (isAboutCertificate(error)) return start(context, secure())
      throw error
    })
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`nats connection error: context "${name}": ${servers.join(', ')}: ${reason.toLowerCase()}`, {
      cause: error,
    })
  }
}

function start(context: NatsContext, tls: Tls): Promise<NatsConnection> {
  const { servers, user, password, token, inboxPrefix } = context
  const authenticator = authenticatorOf(context)
  return connect({
    servers: [...servers],
    name: 'driftgate',
    noRandomize: true,
    reconnect: false,
    timeout: CONNECT_MS,
    ...defined({ user, pass: password, token, inboxPrefix, tls, authenticator }),
  })
}

function authenticatorOf({ creds, nkey }: NatsContext): Authenticator | undefined {
  if (creds !== undefined) return credsAuthenticator(creds)
  return nkey === undefined ? undefined : nkeyAuthenticator(nkey)
}
