import type { KeyObject } from 'node:crypto'
import { OperatorError } from '../../model/operator-error.ts'
import type { Line } from '../../host/nats/line.ts'
import { digestOf, HEADERS, type Message, signatureOf } from './message.ts'
import { largeSubject, LARGEST_MESSAGE_BYTES, messageSubject } from './names.ts'
import { announceKey, NEXT_KEY_HEADER } from './next-key.ts'
import { publicNkey } from './nkey.ts'
import { keepSent } from './sent-log.ts'

/** Timeout for an acknowledgement, in milliseconds. */
const ACKNOWLEDGED_MS = 10_000

/** Sender and connection. */
export interface Poster {
  readonly line: Line
  readonly host: string
  readonly key: KeyObject
  /** Next key during a key rotation; absent without one. */
  readonly nextKey?: KeyObject
  /** Directory of the send state. */
  readonly state: string
}

/** Result of sending. A message that is too large can never be sent; `why` is a sentence. */
export type Posted =
  { readonly kind: 'stored'; readonly digest: string } | { readonly kind: 'too-large'; readonly why: string }

/** Signs and sends a message; resolves once the server has stored it. Throws an `OperatorError` on failure. */
export async function post(
  { line, host, key, nextKey, state }: Poster,
  about: Omit<Message, 'host' | 'sentAt'>,
): Promise<Posted> {
  const message: Message = { ...about, host, sentAt: new Date().toISOString() }
  const { kind, runId, schema, sentAt, sha256, link, body } = message
  const headers = {
    [HEADERS.schema]: schema,
    [HEADERS.run]: runId,
    [HEADERS.key]: publicNkey(key),
    [HEADERS.sentAt]: sentAt,
    [HEADERS.sha256]: sha256,
    [HEADERS.link]: link,
    [HEADERS.signature]: signatureOf(message, key),
    ...(nextKey !== undefined && { [NEXT_KEY_HEADER]: announceKey(host, nextKey, key) }),
  }
  const bytes = body.length + bytesOf(headers)
  const most = line.largestBytes
  if (bytes > most) return tooLarge(runId, bytes, `the server accepts ${most}`)
  const said = { body, headers, timeoutMs: ACKNOWLEDGED_MS }
  const subject =
    kind === 'full' && bytes > LARGEST_MESSAGE_BYTES.full ? largeSubject(host) : messageSubject(kind, host)
  const answer = await line.ask(subject, said).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error)
    throw new OperatorError(`the server did not take run ${runId}: ${reason}`, { cause: error })
  })
  const read: Acknowledgement = JSON.parse(answer)
  if (read.error?.err_code === TOO_LARGE) return tooLarge(runId, bytes, 'the server refuses that for its subject')
  // A refusal also has a sequence: 0.
  if (read.error !== undefined || typeof read.seq !== 'number')
    throw new OperatorError(`the server did not store run ${runId}: ${read.error?.description ?? 'no reason given'}`)
  // Only messages with an id can be duplicates, and these have no id.
  if (read.duplicate === true)
    throw new OperatorError(`the server left out run ${runId} in favour of another message, which it must not`)
  keepSent(state, { subject, headers, body, sentAt })
  return { kind: 'stored', digest: digestOf(message) }
}

const TOO_LARGE = 10_054

function tooLarge(runId: string, bytes: number, limit: string): Posted {
  const why =
    `run ${runId} is lost for the server: its report has ${bytes} bytes with headers, and ${limit}: raise max_payload ` +
    'of the server and run "driftgate fleet prepare", or scan with fewer policies at once'
  return { kind: 'too-large', why }
}

/** Allowance for headers of the client. */
const MARGIN_BYTES = 64

/** Header size as the server counts it: one line each, a first line and a final empty one. */
function bytesOf(headers: Readonly<Record<string, string>>): number {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.byteLength(`NATS/1.0\r\n${lines.join('')}\r\n`) + MARGIN_BYTES
}

interface Acknowledgement {
  readonly seq?: number
  readonly duplicate?: boolean
  readonly error?: { readonly err_code?: number; readonly description?: string }
}
