import { OperatorError } from '../../core/operator-error.ts'
import type { Line } from '../../nats/line.ts'
import { askJetStream } from './jetstream.ts'
import { streamConfig, streamsFor } from './streams.ts'

const NO_SUCH_STREAM = 10_059

/** What became of a stream. */
export interface Prepared {
  readonly name: string
  readonly became: 'made' | 'brought up to date'
}

/** Makes the streams and buckets that a server of a fleet stores in, or gives them the limits they are to have. Throws an `OperatorError`. */
export async function prepareStore(line: Line): Promise<readonly Prepared[]> {
  const { limits } = await need<{ readonly limits?: { readonly max_storage?: number } }>(line, 'INFO')
  const bytes = limits?.max_storage ?? -1
  if (bytes <= 0)
    throw new OperatorError(
      'the account has no limit of what it may store: give it max_file, as "driftgate fleet init" writes it',
    )
  const done: Prepared[] = []
  for (const plan of streamsFor(bytes)) {
    const found = await askJetStream(line, `STREAM.INFO.${plan.name}`)
    const isNew = 'refusal' in found && found.refusal.code === NO_SUCH_STREAM
    await need(line, `STREAM.${isNew ? 'CREATE' : 'UPDATE'}.${plan.name}`, streamConfig(plan))
    done.push({ name: plan.name, became: isNew ? 'made' : 'brought up to date' })
  }
  return done
}

async function need<Answer extends object>(line: Line, what: string, body?: object): Promise<Answer> {
  const said = await askJetStream<Answer>(line, what, body)
  if ('answer' in said) return said.answer
  throw new OperatorError(`the server refuses ${what}: ${said.refusal.description}`)
}
