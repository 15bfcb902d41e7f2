import { headers as newHeaders, type Msg } from '@nats-io/transport-node'
import { connectTo } from './connect.ts'
import type { Environment, NatsContext } from './context.ts'

export interface NatsRequest {
  readonly body?: string | Uint8Array
  readonly headers?: Readonly<Record<string, string>>
  /** Timeout of the answer, in milliseconds. */
  readonly timeoutMs: number
}

/** A message stored in a stream. */
export interface StoredValue {
  readonly bytes: Uint8Array
  readonly sequence: number
}

/** A connection for requests and subscriptions. */
export interface Line {
  /** Maximum size of a message in bytes. */
  readonly largestBytes: number
  readonly isClosed: () => boolean
  /** Resolves when the connection is closed by either side. */
  readonly closed: Promise<void>
  /**
   * Sends a request and resolves to the text of the answer. Rejects without permission, without a responder, or at the
   * timeout.
   */
  readonly ask: (subject: string, asked: NatsRequest) => Promise<string>
  /**
   * Resolves to the texts of several answers: `answers` of them, or all that arrive before a short silence. Rejects as
   * `ask` does.
   */
  readonly askAll: (subject: string, asked: NatsRequest, answers?: number) => Promise<readonly string[]>
  /** The last stored message of a subject; undefined if absent. Rejects as `ask` does. */
  readonly last: (subject: string, timeoutMs: number) => Promise<StoredValue | undefined>
  /** Calls `heard` for each message of a subject until the connection closes. */
  readonly hear: (subject: string, heard: () => void) => void
  /** Calls `received` with each message of a subject and an acknowledge function. Returns a function that unsubscribes. */
  readonly receive: (subject: string, received: (bytes: Uint8Array, acknowledge: () => void) => void) => () => void
  readonly close: () => Promise<void>
}

const API = '$JS.API'

/** Connects. Throws an `Error` that lists the servers. */
export async function openLine(context: NatsContext, env: Environment): Promise<Line> {
  const connection = await connectTo(context, env)
  const { apiPrefix = API } = context
  const addressed = (subject: string): string =>
    subject.startsWith(`${API}.`) ? `${apiPrefix}${subject.slice(API.length)}` : subject
  return {
    largestBytes: connection.info?.max_payload ?? 0,
    isClosed: () => connection.isClosed(),
    closed: connection.closed().then(() => undefined),
    async ask(subject, { body = '', headers = {}, timeoutMs }) {
      const set = newHeaders()
      for (const [name, value] of Object.entries(headers)) set.set(name, value)
      const answer = await connection.request(addressed(subject), body, { timeout: timeoutMs, headers: set })
      return answer.string()
    },
    async askAll(subject, { body = '', timeoutMs }, answers) {
      const until =
        answers === undefined ? { strategy: 'stall' as const } : { strategy: 'count' as const, maxMessages: answers }
      const texts: string[] = []
      for await (const answer of await connection.requestMany(addressed(subject), body, {
        ...until,
        maxWait: timeoutMs,
      })) {
        texts.push(answer.string())
      }
      if (texts.length === 0) throw new Error('timeout')
      return texts
    },
    last: async (subject, timeoutMs) =>
      storedValue(await connection.request(addressed(subject), '', { timeout: timeoutMs })),
    hear(subject, heard) {
      connection.subscribe(subject, { callback: () => heard() })
    },
    receive(subject, received) {
      const heard = connection.subscribe(subject, {
        callback: (_error, message) => received(message.data, () => void message.respond()),
      })
      return () => heard.unsubscribe()
    },
    close: () => connection.close(),
  }
}

const NOT_FOUND = 404

/** The delete marker of a key is also a last message. */
function storedValue({ headers, data }: Msg): StoredValue | undefined {
  const { code = 0, description = '' } = headers ?? {}
  if (code === NOT_FOUND || headers?.has('KV-Operation') === true) return undefined
  const sequence = Number(headers?.get('Nats-Sequence'))
  if (code === 0 && Number.isSafeInteger(sequence) && sequence > 0) return { bytes: data, sequence }
  throw new Error(description === '' ? 'the response is not a stream message' : description.toLowerCase())
}
