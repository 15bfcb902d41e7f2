import { createHash, randomBytes } from 'node:crypto'
import { type Account } from './tokens.ts'

/** Session cookie. With this prefix, browsers reject cookies from other hosts or without TLS. */
const COOKIE = '__Host-driftgate'

const LIFE_MS = 12 * 3_600_000
const MOST_SESSIONS = 1_000

/** Login sessions in memory. */
export interface Sessions {
  /** Starts a session and returns the Set-Cookie header. */
  readonly begin: (account: Account, nowMs: number) => string
  /** Account of the session cookie, while its token is still valid. */
  readonly accountOf: (cookies: string | undefined, accounts: readonly Account[], nowMs: number) => Account | undefined
  /** Ends a session and returns the header that clears its cookie. */
  readonly end: (cookies: string | undefined) => string
}

export function openSessions(): Sessions {
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
