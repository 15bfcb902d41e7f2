import { OperatorError } from '../../model/operator-error.ts'
import type { Line } from '../../host/nats/line.ts'
import { valueRequestSubject } from './names.ts'

const ANSWER_MS = 30_000

/** Error response of JetStream's API. */
export interface Refusal {
  readonly code: number
  readonly description: string
}

/** A message to store, with its preconditions. */
export interface Storing {
  readonly body: string | Uint8Array
  /** Required last sequence of the subject, 0 for an empty subject; default: any. */
  readonly after?: number
  /** Required last sequence of the whole stream. */
  readonly last?: number
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>>
  /** True to delete the value of a key. */
  readonly isRemoval?: boolean
}

/**
 * Stores a message; resolves after the acknowledgement. Throws an `OperatorError` on a timeout or error; false if
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
  // A refusal also has a sequence: 0.
  if (read.error === undefined && typeof read.seq === 'number') return true
  if (read.error?.err_code === WRONG_LAST_SEQUENCE) return false
  throw new OperatorError(`the server does not store ${subject}: ${read.error?.description ?? 'no reason given'}`)
}

const WRONG_LAST_SEQUENCE = 10_071

/** Value of a key with its sequence; undefined if missing. Throws an `OperatorError` if it cannot be read. */
export async function lastValue(line: Line, bucket: string, key: string): ReturnType<Line['last']> {
  try {
    return await line.last(valueRequestSubject(bucket, key), ANSWER_MS)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new OperatorError(`the server did not return ${key} of ${bucket}: ${reason}`, { cause: error })
  }
}

/** Calls JetStream's API. Throws an `OperatorError` without a response; an error response is a `Refusal`. */
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
