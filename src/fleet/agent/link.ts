import { OperatorError } from '../../model/operator-error.ts'
import type { Line } from '../../host/nats/line.ts'
import { type ConnectTrouble, troubleOf } from '../../host/nats/trouble.ts'
import { waitUntil } from '../../runs/watch/rhythm.ts'
import type { Bell } from './bell.ts'

const SHORTEST_MS = 1000
const LONGEST_MS = 60_000

/** A server that refuses a host keeps refusing it until an operator acts. */
const LONGEST_REFUSED_MS = 600_000

/** Connection of a host to its fleet server. */
export interface Link {
  /** Connects. Throws an `OperatorError`. */
  readonly enter: () => Promise<Line>
  readonly notices: readonly Notice[]
  /** Fetches messages for this host and sends all or some of the queued runs. Throws an `OperatorError`. */
  readonly exchange: (line: Line) => Promise<Exchanged>
  /** Signals new data to send. */
  readonly bell: Bell
  readonly say: (text: string) => void
  readonly signal: AbortSignal
}

/** A subject whose messages announce new data for the host. */
export interface Notice {
  readonly subject: string
  /** Maximum random delay in milliseconds: the server may notify all hosts at once. */
  readonly splayMs: number
}

/** Whether the queue is empty. */
export type Exchanged = 'all' | 'more'

/** Pause between batches in milliseconds, which leaves the server to other hosts. */
const PAUSE_MS = 1000

type State = 'connected' | 'not-taken' | ConnectTrouble

/** Reports the state, once per change. */
type Tell = (state: State, text: string) => void

const MEANWHILE = 'the last verified assignment stays in force, and results are kept until they can be sent'

const ADVICE: Readonly<Record<ConnectTrouble, string>> = {
  away: MEANWHILE,
  denied: `the key of this host was revoked, or "driftgate fleet accept" and a reload of the server are pending; ${MEANWHILE}`,
  certificate: `the server is not verified: it needs a certificate for this name, signed by the CA in ca.pem; ${MEANWHILE}`,
}

/** Keeps the host connected until the signal is aborted, despite any server errors; reports each change once. */
export async function keepLinked(link: Link): Promise<void> {
  const { signal } = link
  const tell = onChange(link.say)
  let failures = 0
  while (!signal.aborted) {
    const opened = await open(link.enter, tell)
    if ('line' in opened) failures = (await serveConnection(opened.line, link, tell)) ? 0 : failures + 1
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

/** Connects, or reports the reason of a failure. */
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

/** Uses an open connection until it is closed. Returns whether the queue was ever empty. */
async function serveConnection(line: Line, link: Link, tell: Tell): Promise<boolean> {
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

/** Result of the work, or the reason of its failure. */
export async function attempt<Value>(work: Promise<Value>): Promise<Value | { readonly trouble: string }> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    return { trouble: error.message }
  }
}

/**
 * Delay before the next connection attempt, in milliseconds, with exponential backoff and jitter, so that hosts do not
 * reconnect at the same time. `random` is from 0 to 1.
 */
export function reconnectMs(failures: number, trouble: ConnectTrouble, random: number): number {
  const most = Math.min(trouble === 'away' ? LONGEST_MS : LONGEST_REFUSED_MS, SHORTEST_MS * 2 ** (failures + 1))
  return SHORTEST_MS + random * (most - SHORTEST_MS)
}
