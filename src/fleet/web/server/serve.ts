import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https'
import { isIPv6 } from 'node:net'
import { createSecureContext } from 'node:tls'
import { fileVersion } from '../../file-version.ts'
import { attempt, OperatorError } from '../../../model/operator-error.ts'
import { systemReason } from '../../../model/system-reason.ts'
import type { Resident } from '../../resident.ts'
import { openEntrance } from './entrance.ts'
import { openEvents } from './events.ts'
import { createHandler, type Handle } from './handle.ts'
import { type Account, readTokens } from './tokens.ts'

/** Settings of the web server. */
export interface ServeSettings {
  readonly address: string
  readonly port: number
  /** Certificate and key files; without them the server only accepts local requests. */
  readonly tls?: { readonly certificate: string; readonly key: string }
  /** File of access tokens. */
  readonly tokens?: string
  /** Tells the operator about problems. */
  readonly say: (message: string) => void
}

/** Interval for checking replaceable files, in milliseconds. */
const RELOAD_MS = 5_000

/** Grace period for open requests at shutdown. */
const FAREWELL_MS = 2_000

/** Limits against slow and excessive connections. */
const LIMITS = {
  headersTimeout: 5_000,
  requestTimeout: 10_000,
  keepAliveTimeout: 10_000,
  connectionsCheckingInterval: 1_000,
  maxHeaderSize: 8_192,
} as const
const MOST_CONNECTIONS = 1_000
const LONGEST_SILENCE_MS = 60_000

/**
 * Serves the fleet view until the signal; passes its address to `listening`. Throws an `OperatorError` if it cannot
 * listen, a file is invalid, or the first read of the reports fails.
 */
export async function serveFleet(
  resident: Resident,
  settings: ServeSettings,
  { signal, listening }: { readonly signal: AbortSignal; readonly listening: (address: string) => void },
): Promise<void> {
  const accounts = settings.tokens === undefined ? undefined : keptAccounts(settings.tokens, settings.say)
  const events = openEvents(resident)
  const handle = createHandler({
    resident,
    events,
    entrance: accounts === undefined ? undefined : openEntrance(accounts.get),
    isLoopback: settings.tls === undefined,
  })
  const server = serverWith(handle, settings)
  const renew = createCertificateReloader(settings)
  const reloading = setInterval(() => {
    accounts?.reload()
    renew(server)
  }, RELOAD_MS)
  try {
    await listen(server, settings)
    listening(addressOf(server, settings))
    await resident.run(signal)
  } finally {
    clearInterval(reloading)
    events.end()
    await close(server)
  }
}

function serverWith(handle: Handle, { tls }: ServeSettings): Server | SecureServer {
  const server =
    tls === undefined
      ? createServer(LIMITS, handle)
      : createSecureServer({ ...LIMITS, ...pairOf(tls), minVersion: 'TLSv1.2' }, handle)
  server.maxConnections = MOST_CONNECTIONS
  server.setTimeout(LONGEST_SILENCE_MS)
  return server
}

function pairOf({ certificate, key }: NonNullable<ServeSettings['tls']>): {
  readonly cert: Buffer
  readonly key: Buffer
} {
  return attempt(`cannot use the certificate ${certificate} with the key ${key}`, () => {
    const pair = { cert: readFileSync(certificate), key: readFileSync(key) }
    createSecureContext(pair)
    return pair
  })
}

/** Reloads a renewed certificate. An inconsistent pair, such as a half-written one, is retried. */
function createCertificateReloader({ tls, say }: ServeSettings): (server: Server | SecureServer) => void {
  let known = tls === undefined ? '' : versionsOf(tls)
  let said = ''
  return (server) => {
    if (tls === undefined || !('setSecureContext' in server)) return
    const now = versionsOf(tls)
    if (now === known) return
    try {
      server.setSecureContext({ ...pairOf(tls), minVersion: 'TLSv1.2' })
      known = now
      say('a new certificate is in use')
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error
      if (said !== now) say(`${error.message}; the previous one stays in use`)
      said = now
    }
  }
}

function versionsOf({ certificate, key }: NonNullable<ServeSettings['tls']>): string {
  return `${fileVersion(certificate)} ${fileVersion(key)}`
}

/** Accounts in a file, reloaded on change. Removed accounts are refused; if the file is invalid, all are. */
function keptAccounts(
  path: string,
  say: ServeSettings['say'],
): { readonly get: () => readonly Account[]; readonly reload: () => void } {
  let version = fileVersion(path)
  let accounts = readTokens(path)
  return {
    get: () => accounts,
    reload: () => {
      const now = fileVersion(path)
      if (now === version) return
      version = now
      try {
        accounts = readTokens(path)
      } catch (error) {
        if (!(error instanceof OperatorError)) throw error
        accounts = []
        say(`${error.message}; no access until it is corrected`)
      }
    },
  }
}

async function listen(server: Server | SecureServer, { address, port }: ServeSettings): Promise<void> {
  server.listen({ host: address, port })
  try {
    await once(server, 'listening')
  } catch (error) {
    throw new OperatorError(`cannot listen on ${address} port ${port}: ${systemReason(error)}`, { cause: error })
  }
}

function addressOf(server: Server | SecureServer, { address, tls }: ServeSettings): string {
  const bound = server.address()
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0
  return `${tls === undefined ? 'http' : 'https'}://${isIPv6(address) ? `[${address}]` : address}:${port}/`
}

/** Shuts down after the grace period for open requests. */
async function close(server: Server | SecureServer): Promise<void> {
  if (!server.listening) return
  const closed = once(server, 'close')
  server.close()
  server.closeIdleConnections()
  const farewell = setTimeout(() => server.closeAllConnections(), FAREWELL_MS)
  await closed
  clearTimeout(farewell)
}
