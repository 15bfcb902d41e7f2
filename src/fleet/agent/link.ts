import { OperatorError } from '../../model/operator-error.ts'
import type { Line } from '../../host/nats/line.ts'
import { type ConnectTrouble, troubleOf } from '../../host/nats/trouble.ts'
import { waitUntil } from '../../runs/watch/rhythm.ts'
import type { Bell } from './bell.ts'
import { reconnectMs } from './reconnect.ts'

/** What ties a host to the server of its fleet. */
export interface Link {
  /** Connects. Throws an `OperatorError`. */
  readonly enter: () => Promise<Line>
  readonly notices: readonly Notice[]
  /** Asks for what is meant for this host and sends what the server does not have, or a part of it. Throws an `OperatorError`. */
  readonly exchange: (line: Line) => Promise<Exchanged>
  /** Rings when there is something to send. */
  readonly bell: Bell
  readonly say: (text: string) => void
  readonly signal: AbortSignal
}

/** A subject at which a message means that there may be something to ask for. */
export interface Notice {
  readonly subject: string
  /** The longest that it waits, in milliseconds: the server may give it to all hosts at once. */
  readonly splayMs: number
}

/** Whether the server has all there is now. */
export type Exchanged = 'all' | 'more'

/** How long a host that has more to send leaves the server to others, in milliseconds. */
const PAUSE_MS = 1000

/** How it stands between host and server. */
type State = 'connected' | 'not-taken' | ConnectTrouble

/** Says how it stands, once for each change. */
type Tell = (state: State, text: string) => void

const MEANWHILE = 'what was verified last stays in force, and what is found is kept until it can be sent'

const ADVICE: Readonly<Record<ConnectTrouble, string>> = {
  away: MEANWHILE,
  denied: `the key of this host was revoked, or "driftgate fleet accept" and a reload of the server are still to come; ${MEANWHILE}`,
  certificate: `nothing is sent to an unverified server: it needs a certificate for this name, signed by the CA in ca.pem; ${MEANWHILE}`,
}

/** Keeps the host connected until the signal is aborted, for any behaviour of the server, and says once what has changed. */
export async function keepLinked(link: Link): Promise<void> {
  const { signal } = link
  const tell = onChange(link.say)
  let failures = 0
  while (!signal.aborted) {
    const opened = await open(link.enter, tell)
    if ('line' in opened) failures = (await use(opened.line, link, tell)) ? 0 : failures + 1
    else failures += 1
    const trouble = 'line' in opened ? 'away' : opened.trouble
    await waitUntil(performance.now() + reconnectMs(failures, trouble, Math.random()), () => performance.now(), signal)
  }
}

function onChange(say: (text: string) => void): Tell {
  let last: State | undefined
  return (state, text) => {
    if (state !== last) say(text)
    last = state
  }
}

/** Connects, or tells why that cannot be. */
export async function open(
  enter: Link['enter'],
  tell: Tell,
): Promise<{ readonly line: Line } | { readonly trouble: ConnectTrouble }> {
  try {
    return { line: await enter() }
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    const trouble = troubleOf(error)
    tell(trouble, `${error.message}; ${ADVICE[trouble]}`)
    return { trouble }
  }
}

/** Works on an open line until it is closed. Gives whether the server has ever taken all there was. */
async function use(line: Line, link: Link, tell: Tell): Promise<boolean> {
  const { notices, exchange, bell, signal } = link
  const over = new AbortController()
  void line.closed.then(() => over.abort())
  const close = (): void => void line.close()
  signal.addEventListener('abort', close, { once: true })
  if (signal.aborted) close()
  const later = new Map<number, NodeJS.Timeout>()
  const soon = (splayMs: number): void => {
    if (later.has(splayMs)) return
    const ring = (): void => {
      later.delete(splayMs)
      bell.ring()
    }
    later.set(splayMs, setTimeout(ring, Math.random() * splayMs))
  }
  for (const { subject, splayMs } of notices) line.hear(subject, () => soon(splayMs))
  let hasWorked = false
  for (let failures = 0; !line.isClosed();) {
    const exchanged = await attempt(exchange(line))
    if (line.isClosed()) break
    if (typeof exchanged === 'object') {
      failures += 1
      tell('not-taken', `connected to the server, but ${exchanged.trouble}; ${MEANWHILE}`)
      await bell.wait(performance.now() + reconnectMs(failures, 'away', Math.random()), over.signal)
      continue
    }
    failures = 0
    hasWorked = true
    tell('connected', 'connected to the server')
    await bell.wait(exchanged === 'more' ? performance.now() + PAUSE_MS : Infinity, over.signal)
  }
  for (const timer of later.values()) clearTimeout(timer)
  signal.removeEventListener('abort', close)
  if (!signal.aborted) tell('away', `the connection to the server was lost; ${MEANWHILE}`)
  return hasWorked
}

/** What came of the work, or why nothing did. */
export async function attempt<Value>(work: Promise<Value>): Promise<Value | { readonly trouble: string }> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    return { trouble: error.message }
  }
}
