import type { KeyObject } from 'node:crypto'
import type { NatsConnection } from '@nats-io/transport-node'
import { OperatorError } from '../../core/operator-error.ts'
import { parseReport } from '../../stored/read-report.ts'
import { heardRun } from '../heard-run.ts'
import type { HeardRun, Listener, Source, UnusablePlace } from '../source.ts'
import { enter, type Login } from './connect.ts'
import { HEADERS, isSigned, readSubject } from './message.ts'
import { messageSubject } from './names.ts'

const STREAM = 'DG_FULL'
const ANSWER_MS = 30_000

/**
 * The reports that hosts have sent to a server. Only what the key of its host has signed counts; whatever else is there is told, since
 * somebody has put it there. Connects when it is asked first, and again after the server was away.
 */
export function natsSource(login: Login, keys: ReadonlyMap<string, KeyObject>): Source {
  const heard = new Set<string>()
  const unusable: UnusablePlace[] = []
  let next = 1
  let open: NatsConnection | undefined
  let hint: (() => void) | undefined

  async function connected(): Promise<NatsConnection> {
    if (open !== undefined && !open.isClosed()) return open
    const { connection } = await enter(login)
    open = connection
    connection.subscribe(messageSubject('full', '*'), { callback: () => hint?.() })
    return connection
  }

  async function news({ add }: Listener, _where: unknown, signal?: AbortSignal): Promise<readonly UnusablePlace[]> {
    const connection = await connected()
    const { first, last } = await sequences(connection)
    next = Math.max(next, first)
    for await (const stored of storedMessages(connection, { from: next, to: last })) {
      if (signal?.aborted === true) break
      const place = `${STREAM} ${stored.sequence}: ${stored.subject}`
      const read = await readMessage(stored, place)
      if ('reason' in read) {
        const host = readSubject(stored.subject)?.host
        const hosts = host === undefined ? [] : [host]
        unusable.push({ place, reason: read.reason, storedAtMs: stored.storedAtMs, hosts })
      } else if (!heard.has(read.run.runId)) {
        // A message whose acknowledgement was lost was sent again.
        heard.add(read.run.runId)
        add(read.run)
      }
      next = stored.sequence + 1
    }
    return [...unusable]
  }

  async function readMessage(
    stored: Stored,
    place: string,
  ): Promise<{ readonly run: HeardRun } | { readonly reason: string }> {
    const about = readSubject(stored.subject)
    if (about === undefined) return { reason: 'its subject is none of a host' }
    const key = keys.get(about.host)
    if (key === undefined) return { reason: `the roster has no key of ${about.host}` }
    const { run: runId = '', signature = '' } = stored
    if (!isSigned({ ...about, runId, body: stored.body }, signature, key))
      return { reason: `it is not signed by the key of ${about.host}` }
    try {
      const run = await parseReport(stored.body, place)
      if (run.run.id !== runId) return { reason: `it is signed as run ${runId} and holds run ${run.run.id}` }
      // The key says whose report it is; what the host calls itself is its own affair.
      return { run: { ...heardRun(run, { place, storedAtMs: stored.storedAtMs }), host: about.host } }
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error
      return { reason: error.message }
    }
  }

  return {
    name: login.url,
    news,
    watch(tell) {
      hint = tell
      return () => {
        hint = undefined
      }
    },
    async close() {
      await open?.close()
    },
  }
}

interface Stored {
  readonly sequence: number
  readonly subject: string
  readonly storedAtMs: number
  readonly body: Buffer
  readonly run: string | undefined
  readonly signature: string | undefined
}

async function sequences(connection: NatsConnection): Promise<{ readonly first: number; readonly last: number }> {
  const { state } = await ask<{ readonly state?: { readonly first_seq?: number; readonly last_seq?: number } }>(
    connection,
    `STREAM.INFO.${STREAM}`,
    '',
  )
  return { first: Math.max(1, state?.first_seq ?? 1), last: state?.last_seq ?? 0 }
}

/** How many messages are asked for at a time. */
const AT_ONCE = 64

/** In their order, with those left out that were removed. */
async function* storedMessages(
  connection: NatsConnection,
  { from, to }: { readonly from: number; readonly to: number },
): AsyncGenerator<Stored> {
  for (let begin = from; begin <= to; begin += AT_ONCE) {
    const length = Math.min(AT_ONCE, to - begin + 1)
    const asked = Array.from({ length }, (_, index) => storedMessage(connection, begin + index))
    for (const stored of await Promise.all(asked)) if (stored !== undefined) yield stored
  }
}

/** Undefined for one that was removed: of each host only so many stay. */
async function storedMessage(connection: NatsConnection, seq: number): Promise<Stored | undefined> {
  const { message } = await ask<{
    readonly message?: {
      readonly subject: string
      readonly time: string
      readonly data?: string
      readonly hdrs?: string
    }
  }>(connection, `STREAM.MSG.GET.${STREAM}`, JSON.stringify({ seq }))
  if (message === undefined) return undefined
  const headers = Buffer.from(message.hdrs ?? '', 'base64').toString('utf8')
  const header = (name: string): string | undefined => new RegExp(`^${name}: *(.*?)\\r?$`, 'm').exec(headers)?.[1]
  return {
    sequence: seq,
    subject: message.subject,
    storedAtMs: Date.parse(message.time),
    body: Buffer.from(message.data ?? '', 'base64'),
    run: header(HEADERS.run),
    signature: header(HEADERS.signature),
  }
}

const NOTHING_THERE = 10_037

async function ask<Answer extends object>(connection: NatsConnection, what: string, body: string): Promise<Answer> {
  const answer = await connection.request(`$JS.API.${what}`, body, { timeout: ANSWER_MS }).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error)
    throw new OperatorError(`the server ${connection.getServer()} does not tell what it stores: ${reason}`, {
      cause: error,
    })
  })
  const read: Answer & { readonly error?: { readonly err_code?: number; readonly description?: string } } =
    answer.json()
  if (read.error !== undefined && read.error.err_code !== NOTHING_THERE)
    throw new OperatorError(
      `the server ${connection.getServer()}: ${read.error.description ?? 'no reason given'}; "driftgate fleet prepare" makes what it stores in`,
    )
  return read
}
