import { OperatorError } from '../../model/operator-error.ts'
import type { Line } from '../../host/nats/line.ts'
import { valueRequestSubject } from './names.ts'

const ANSWER_MS = 30_000

/** What JetStream's API says where it refuses. */
export interface Refusal {
  readonly code: number
  readonly description: string
}

/** What is stored, and what has to be so that it is. */
export interface Storing {
  readonly body: string | Uint8Array
  /** The sequence that the last message of the subject has to have, 0 for none at all; any where it is absent. */
  readonly after?: number
  /** The same of the last message of the whole stream. */
  readonly last?: number
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>>
  /** Whether it takes the value of a key away. */
  readonly isRemoval?: boolean
}

/**
 * Stores a message, and is done once the server has. Throws an `OperatorError` where that is not said within its time; false where
 * another message came first.
 */
export async function storeMessage(
  line: Line,
  subject: string,
  { body, after, last, isRemoval, headers: more }: Storing,
): Promise<boolean> {
  const headers = {
    ...more,
    ...(after !== undefined && { 'Nats-Expected-Last-Subject-Sequence': String(after) }),
    ...(last !== undefined && { 'Nats-Expected-Last-Sequence': String(last) }),
    ...(isRemoval === true && { 'KV-Operation': 'DEL' }),
  }
  const said = await line.ask(subject, { body, headers, timeoutMs: ANSWER_MS }).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error)
    throw new OperatorError(`the server does not store ${subject}: ${reason}`, { cause: error })
  })
  const read: {
    readonly seq?: number
    readonly error?: { readonly err_code?: number; readonly description?: string }
  } = JSON.parse(said)
  // A refusal has a sequence, too: 0.
  if (read.error === undefined && typeof read.seq === 'number') return true
  if (read.error?.err_code === WRONG_LAST_SEQUENCE) return false
  throw new OperatorError(`the server does not store ${subject}: ${read.error?.description ?? 'no reason given'}`)
}

const WRONG_LAST_SEQUENCE = 10_071

/** The value of a key of a bucket with its sequence; undefined if missing. Throws an `OperatorError` where that cannot be told. */
export async function lastValue(line: Line, bucket: string, key: string): ReturnType<Line['last']> {
  try {
    return await line.last(valueRequestSubject(bucket, key), ANSWER_MS)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new OperatorError(`the server does not give ${key} of ${bucket}: ${reason}`, { cause: error })
  }
}

/** Asks JetStream's API. Throws an `OperatorError` where nothing answers; what it refuses is a `Refusal`. */
export async function askJetStream<Answer extends object>(
  line: Line,
  what: string,
  body?: object,
): Promise<{ readonly answer: Answer } | { readonly refusal: Refusal }> {
  const text = body === undefined ? '' : JSON.stringify(body)
  const said = await line.ask(`$JS.API.${what}`, { body: text, timeoutMs: ANSWER_MS }).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error)
    throw new OperatorError(`the server does not answer ${what}: ${reason}`, { cause: error })
  })
  const read: Answer & { readonly error?: { readonly err_code?: number; readonly description?: string } } =
    JSON.parse(said)
  if (read.error === undefined) return { answer: read }
  const { err_code: code = 0, description = 'no reason given' } = read.error
  return { refusal: { code, description } }
}
