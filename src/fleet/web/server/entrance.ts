import type { IncomingMessage } from 'node:http'
import { countAttempts } from './attempts.ts'
import { openSessions } from './sessions.ts'
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
