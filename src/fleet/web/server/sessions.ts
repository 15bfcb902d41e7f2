import { createHash, randomBytes } from 'node:crypto'
import { type Account } from './tokens.ts'

/** The cookie of a session. Its prefix makes browsers refuse one that another host or a connection without TLS has set. */
const COOKIE = '__Host-driftgate'

const LIFE_MS = 12 * 3_600_000
const MOST_SESSIONS = 1_000

/** Who has logged in with a form, as long as this process lives. */
export interface Sessions {
  /** Begins a session and gives the header that hands it over. */
  readonly begin: (account: Account, nowMs: number) => string
  /** Whose session the cookie is, as long as their token is still among the accounts. */
  readonly accountOf: (cookies: string | undefined, accounts: readonly Account[], nowMs: number) => Account | undefined
  /** Ends a session and gives the header that takes its cookie back. */
  readonly end: (cookies: string | undefined) => string
}

/** Starts without sessions. */
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

/** Sessions are looked up by a digest, so that how long that takes tells nothing of the ids there are. */
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
