import { OperatorError } from '../../core/operator-error.ts'
import type { Line } from '../../nats/line.ts'

const ANSWER_MS = 30_000

/** What JetStream's API says where it refuses. */
export interface Refusal {
  readonly code: number
  readonly description: string
}

/** Asks JetStream's API. Throws an `OperatorError` where nobody answers; what it refuses is a `Refusal`. */
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
