import { OperatorError } from '../../model/operator-error.ts'
import { LARGEST_HEARD_BYTES } from '../read-candidate.ts'
import { HEADERS, readSubject } from '../nats/message.ts'
import type { MessageKind } from '../nats/names.ts'
import type { StoredMessage } from '../nats/stored-messages.ts'
import { parseStored } from '../../report/stored/read-report.ts'

/** Schema of message bundles. */
export const MESSAGE_BUNDLE = 'driftgate.evidence.messages/v1'

/** Evidence for a third party: the original messages of a host. */
export interface MessageBundle {
  readonly schema: typeof MESSAGE_BUNDLE
  readonly host: string
  readonly messages: readonly BundledMessage[]
}

/** A message. Its headers contain the signature; the body is in base64. */
export interface BundledMessage {
  readonly kind: MessageKind
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Selects messages about runs that started in a period: milliseconds since 1970, inclusive. */
export interface DesiredMessages {
  readonly host: string
  readonly sinceMs: number
  readonly untilMs: number
}

/**
 * Collects the messages of a host in order: from the first to the last in the period, and earlier messages that they
 * build on. Unreadable messages are included unchanged, so that they stay visible. Throws an `OperatorError` if there
 * are no messages.
 */
export async function messageBundle(
  all: readonly StoredMessage[],
  { host, sinceMs, untilMs }: DesiredMessages,
): Promise<MessageBundle> {
  const stored = onceEach(all)
  if (stored.length === 0) throw new OperatorError(`the server has no message of ${host}`)
  const glances = await glancesAt(stored)
  const isWanted = ({ startedAtMs }: Glance): boolean => startedAtMs >= sinceMs && startedAtMs <= untilMs
  const last = glances.findLastIndex(isWanted)
  if (last === -1) throw new OperatorError(`the server has no message of ${host} about a run in this time`)
  let first = glances.findIndex(isWanted)
  for (let at = last; at >= first; at--) first = Math.min(first, glances[at]?.buildsOn ?? first)
  const messages = stored.slice(first, last + 1).map(({ subject, headers, body }) => ({
    kind: readSubject(subject)?.kind ?? 'full',
    headers: Object.fromEntries(Object.entries(HEADERS).map(([name, header]) => [header, headers[name as Name]])),
    body: body.toString('base64'),
  }))
  return { schema: MESSAGE_BUNDLE, host, messages }
}

/** Messages resent to a restored server are identical. */
function onceEach(stored: readonly StoredMessage[]): readonly StoredMessage[] {
  const known = new Map<string, Buffer>()
  return stored.filter(({ subject, headers, body }) => {
    const name = `${subject}\n${headers.signature}`
    const isAgain = known.get(name)?.equals(body) === true
    known.set(name, body)
    return !isAgain
  })
}

type Name = keyof typeof HEADERS

/** Unverified data of a message. */
interface Glance {
  readonly startedAtMs: number
  /** Index of the message that this one builds on; absent without one. */
  readonly buildsOn?: number | undefined
}

async function glancesAt(stored: readonly StoredMessage[]): Promise<readonly Glance[]> {
  const glances: Glance[] = []
  const fullRuns = new Map<string, number>()
  const states = new Map<string, number>()
  for (const [at, message] of stored.entries()) {
    const { startedAtMs, base } = await glanceAt(message)
    const { run, sha256 } = message.headers
    const kind = readSubject(message.subject)?.kind
    const buildsOn = kind === 'beat' ? states.get(sha256) : base === undefined ? undefined : fullRuns.get(base)
    glances.push({ startedAtMs, buildsOn })
    if (kind === 'full') fullRuns.set(run, at)
    if (kind !== 'beat') states.set(sha256, at)
  }
  return glances
}

/** Without a valid time, the time of storage counts. */
async function glanceAt({ body, place, storedAtMs }: StoredMessage): Promise<{
  readonly startedAtMs: number
  readonly base?: string
}> {
  try {
    const value = await parseStored(body, place, LARGEST_HEARD_BYTES)
    const { run, base }: { readonly run?: { readonly startedAt?: unknown } | null; readonly base?: unknown } =
      value ?? {}
    const startedAtMs = Date.parse(String(run?.startedAt))
    return {
      startedAtMs: Number.isNaN(startedAtMs) ? storedAtMs : startedAtMs,
      ...(typeof base === 'string' && { base }),
    }
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    return { startedAtMs: storedAtMs }
  }
}
