import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https'
import { isIPv6 } from 'node:net'
import { createSecureContext } from 'node:tls'
import { fileVersion } from '../../file-version.ts'
import { OperatorError } from '../../../model/operator-error.ts'
import { systemReason } from '../../../model/system-reason.ts'
import type { Resident } from '../../resident.ts'
import { openEntrance } from './entrance.ts'
import { openEvents } from './events.ts'
import { createHandler, type Handle } from './handle.ts'
import { type Account, readTokens } from './tokens.ts'

/** Where and to whom the view is shown. */
export interface ServeSettings {
  readonly address: string
  readonly port: number
  /** The files of a certificate and its key; without them only this machine may ask. */
  readonly tls?: { readonly certificate: string; readonly key: string }
  /** The file with the tokens of those who may look. */
  readonly tokens?: string
  /** Says what the operator should know. */
  readonly say: (message: string) => void
}

/** How often files that may be replaced are looked at. */
const RELOAD_MS = 5_000

/** What is under way has so long to end. */
const FAREWELL_MS = 2_000

/** Who connects and says nothing is not waited for, and there are only so many at a time. */
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
 * Shows the fleet until the signal; `listening` is told the address. Throws an `OperatorError` where it cannot listen, a file
 * cannot be used, or the reports cannot be read at first.
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
  const renew = renewing(settings)
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
  try {
    const pair = { cert: readFileSync(certificate), key: readFileSync(key) }
    createSecureContext(pair)
    return pair
  } catch (error) {
    throw new OperatorError(`cannot use the certificate ${certificate} with the key ${key}: ${systemReason(error)}`, {
      cause: error,
    })
  }
}

/** Uses a certificate that was renewed. One that cannot be used yet, half of it being there, is tried again. */
function renewing({ tls, say }: ServeSettings): (server: Server | SecureServer) => void {
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
      if (said !== now) say(`${error.message}; the one before stays in use`)
      said = now
    }
  }
}

function versionsOf({ certificate, key }: NonNullable<ServeSettings['tls']>): string {
  return `${fileVersion(certificate)} ${fileVersion(key)}`
}

/** The accounts in a file. An account that cannot be read any more is refused: all are, where the file cannot be used. */
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

/** Lets what is under way end, and then ends it. */
async function close(server: Server | SecureServer): Promise<void> {
  if (!server.listening) return
  const closed = once(server, 'close')
  server.close()
  server.closeIdleConnections()
  const farewell = setTimeout(() => server.closeAllConnections(), FAREWELL_MS)
  await closed
  clearTimeout(farewell)
}
