import type { IncomingMessage } from 'node:http'
import { countAttempts } from './attempts.ts'
import { openSessions } from './sessions.ts'
import { type Account, accountOf } from './tokens.ts'

/** Whether a client is let in: with their account, or not, or not before so many seconds have passed. */
export type Admission =
  | { readonly kind: 'admitted'; readonly account: Account }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'wait'; readonly seconds: number }

/** Tells who asks, by a token or by the session it began. */
export interface Entrance {
  readonly whoIs: (request: IncomingMessage) => Admission
  readonly withToken: (token: string, request: IncomingMessage) => Admission
  /** Begins a session and gives the header that hands it over. */
  readonly begin: (account: Account) => string
  /** Ends the session of a request and gives the header that takes it back. */
  readonly end: (request: IncomingMessage) => string
}

/** `accounts` is asked each time, since a user who is taken out of the file has to stay outside. */
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
