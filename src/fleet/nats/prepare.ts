import type { NatsConnection } from '@nats-io/transport-node'
import { OperatorError } from '../../core/operator-error.ts'
import { streamConfig, streamsFor } from './streams.ts'

const ANSWER_MS = 30_000
const NOT_FOUND = 10_059

interface Answer {
  readonly error?: { readonly err_code?: number; readonly description?: string }
  readonly limits?: { readonly max_storage?: number }
}

/** What became of a stream. */
export type Prepared = { readonly name: string; readonly became: 'made' | 'brought up to date' }

/** Makes the streams and buckets that a server of a fleet stores in, or gives them the limits they are to have. Throws an `OperatorError`. */
export async function prepareStore(connection: NatsConnection): Promise<readonly Prepared[]> {
  const { limits } = await ask(connection, 'INFO')
  const bytes = limits?.max_storage ?? -1
  if (bytes <= 0)
    throw new OperatorError(
      'the account has no limit of what it may store: give it max_file, as "driftgate fleet init" writes it',
    )
  const done: Prepared[] = []
  for (const plan of streamsFor(bytes)) {
    const { error } = await ask(connection, `STREAM.INFO.${plan.name}`, undefined, NOT_FOUND)
    await ask(connection, `STREAM.${error === undefined ? 'UPDATE' : 'CREATE'}.${plan.name}`, streamConfig(plan))
    done.push({ name: plan.name, became: error === undefined ? 'brought up to date' : 'made' })
  }
  return done
}

async function ask(connection: NatsConnection, what: string, body?: object, expected?: number): Promise<Answer> {
  const text = body === undefined ? '' : JSON.stringify(body)
  const answer = await connection.request(`$JS.API.${what}`, text, { timeout: ANSWER_MS }).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error)
    throw new OperatorError(`the server refuses ${what}: ${reason}`, { cause: error })
  })
  const read: Answer = answer.json()
  if (read.error === undefined || read.error.err_code === expected) return read
  throw new OperatorError(`the server refuses ${what}: ${read.error.description ?? 'no reason given'}`)
}
