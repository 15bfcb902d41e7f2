import { createHash, randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { type Account, accountOf } from './tokens.ts'

/** Result of an authentication: an account, unknown, or a wait in seconds. */
export type Admission =
  | { readonly kind: 'admitted'; readonly account: Account }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'wait'; readonly seconds: number }

/** Authenticates requests by token or session. */
export interface Entrance {
  readonly whoIs: (request: IncomingMessage) => Admission
  readonly withToken: (token: string, request: IncomingMessage) => Admission
  /** Starts a session and returns the Set-Cookie header. */
  readonly begin: (account: Account) => string
  /** Ends the session of a request and returns the header that clears its cookie. */
  readonly end: (request: IncomingMessage) => string
}

/** `accounts` is called each time, so that removed users lose access at once. */
export function openEntrance(accounts: () => readonly Account[]): Entrance {
  const sessions = openSessions()
  const attempts = countAttempts()

  function withToken(token: string, { socket }: IncomingMessage): Admission {
    const address = socket.remoteAddress ?? ''
    const nowMs = Date.now()
    const seconds = attempts.waitOf(address, nowMs)
    if (seconds !== undefined) return { kind: 'wait', seconds }
    const account = accountOf(token, accounts())
    if (account !== undefined) return { kind: 'admitted', account }
    attempts.failed(address, nowMs)
    return { kind: 'unknown' }
  }

  return {
    withToken,
    whoIs: (request) => {
      const { cookie, authorization = '' } = request.headers
      const account = sessions.accountOf(cookie, accounts(), Date.now())
      if (account !== undefined) return { kind: 'admitted', account }
      const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1]
      return token === undefined ? { kind: 'unknown' } : withToken(token, request)
    },
    begin: (account) => sessions.begin(account, Date.now()),
    end: ({ headers }) => sessions.end(headers.cookie),
  }
}

/** Session cookie. With this prefix, browsers reject cookies from other hosts or without TLS. */
const COOKIE = '__Host-driftgate'

const LIFE_MS = 12 * 3_600_000
const MOST_SESSIONS = 1_000

/** Login sessions in memory. */
interface Sessions {
  /** Starts a session and returns the Set-Cookie header. */
  readonly begin: (account: Account, nowMs: number) => string
  /** Account of the session cookie, while its token is still valid. */
  readonly accountOf: (cookies: string | undefined, accounts: readonly Account[], nowMs: number) => Account | undefined
  /** Ends a session and returns the header that clears its cookie. */
  readonly end: (cookies: string | undefined) => string
}

function openSessions(): Sessions {
  const sessions = new Map<string, { readonly sha256: Buffer; readonly untilMs: number }>()
  return {
    begin: ({ sha256 }, nowMs) => {
      const id = randomBytes(32).toString('base64url')
      for (const [key, { untilMs }] of sessions) if (untilMs <= nowMs) sessions.delete(key)
      const [oldest] = sessions.keys()
      if (sessions.size >= MOST_SESSIONS && oldest !== undefined) sessions.delete(oldest)
      sessions.set(keyOf(id), { sha256, untilMs: nowMs + LIFE_MS })
      return cookie(id, LIFE_MS / 1_000)
    },
    accountOf: (cookies, accounts, nowMs) => {
      const session = sessions.get(keyOf(idIn(cookies)))
      if (session === undefined || session.untilMs <= nowMs) return undefined
      return accounts.find(({ sha256 }) => sha256.equals(session.sha256))
    },
    end: (cookies) => {
      sessions.delete(keyOf(idIn(cookies)))
      return cookie('', 0)
    },
  }
}

/** Sessions are looked up by digest, so that timing reveals nothing about valid ids. */
function keyOf(id: string): string {
  return createHash('sha256').update(id).digest('hex')
}

function idIn(cookies = ''): string {
  const pairs = cookies.split(';').map((pair) => pair.trim())
  return pairs.find((pair) => pair.startsWith(`${COOKIE}=`))?.slice(COOKIE.length + 1) ?? ''
}

function cookie(value: string, seconds: number): string {
  return `${COOKIE}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; Secure; SameSite=Strict`
}

/** Failures allowed per address and time window. */
const MOST_FAILURES = 10
const WINDOW_MS = 60_000

/** Number of addresses tracked; further ones must wait for the next window. */
const MOST_ADDRESSES = 10_000

/** Counts failed authentications. */
interface Attempts {
  /** Seconds that an address must wait; undefined if it need not. */
  readonly waitOf: (address: string, nowMs: number) => number | undefined
  readonly failed: (address: string, nowMs: number) => void
}

function countAttempts(): Attempts {
  const failures = new Map<string, { count: number; untilMs: number }>()

  function forget(nowMs: number): void {
    for (const [address, { untilMs }] of failures) if (untilMs <= nowMs) failures.delete(address)
  }

  return {
    waitOf: (address, nowMs) => {
      const known = failures.get(networkOf(address))
      const isFull = known === undefined && failures.size >= MOST_ADDRESSES
      if (isFull) {
        forget(nowMs)
        return failures.size >= MOST_ADDRESSES ? WINDOW_MS / 1_000 : undefined
      }
      if (known === undefined || known.untilMs <= nowMs || known.count < MOST_FAILURES) return undefined
      return Math.ceil((known.untilMs - nowMs) / 1_000)
    },
    failed: (address, nowMs) => {
      const network = networkOf(address)
      const known = failures.get(network)
      if (known === undefined || known.untilMs <= nowMs) failures.set(network, { count: 1, untilMs: nowMs + WINDOW_MS })
      else known.count++
    },
  }
}

/** Groups IPv6 addresses by /64 network, since a client usually has all of one. */
function networkOf(address: string): string {
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1]
  if (mapped !== undefined || !address.includes(':')) return mapped ?? address
  const [head = '', tail] = address.split('::')
  const groups = head.split(':')
  const missing = tail === undefined ? 0 : 8 - groups.length - tail.split(':').length
  return [...groups, ...Array.from({ length: Math.max(0, missing) }, () => '0')].slice(0, 4).join(':')
}
