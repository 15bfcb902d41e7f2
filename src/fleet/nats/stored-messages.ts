import { OperatorError } from '../../core/operator-error.ts'
import type { Line } from '../../nats/line.ts'
import { askJetStream } from './jetstream.ts'
import { HEADERS } from './message.ts'

const STREAM = 'DG_FULL'

/** A message as the server has it. */
export interface StoredMessage {
  readonly sequence: number
  readonly subject: string
  readonly storedAtMs: number
  readonly body: Buffer
  readonly run: string | undefined
  readonly signature: string | undefined
  /** Where it lies, for messages. */
  readonly place: string
}

/** Which messages there are, by their numbers. Throws an `OperatorError` where that cannot be told. */
export async function storedRange(line: Line): Promise<{ readonly first: number; readonly last: number }> {
  const said = await askJetStream<{ readonly state: { readonly first_seq: number; readonly last_seq: number } }>(
    line,
    `STREAM.INFO.${STREAM}`,
  )
  if ('answer' in said) return { first: Math.max(1, said.answer.state.first_seq), last: said.answer.state.last_seq }
  throw new OperatorError(
    `the server has no reports: ${said.refusal.description}; "driftgate fleet prepare" makes what it stores in`,
  )
}

/** How many messages are asked for at a time. */
const AT_ONCE = 64

/** In their order, with those left out that were removed: of each host only so many stay. */
export async function* storedMessages(line: Line, first: number, last: number): AsyncGenerator<StoredMessage> {
  for (let begin = first; begin <= last; begin += AT_ONCE) {
    const length = Math.min(AT_ONCE, last - begin + 1)
    const asked = Array.from({ length }, (_, index) => storedMessage(line, begin + index))
    for (const stored of await Promise.all(asked)) if (stored !== undefined) yield stored
  }
}

const NO_SUCH_MESSAGE = 10_037

interface Kept {
  readonly subject: string
  readonly time: string
  /** In base64, as the headers are. */
  readonly data?: string
  readonly hdrs?: string
}

async function storedMessage(line: Line, sequence: number): Promise<StoredMessage | undefined> {
  const said = await askJetStream<{ readonly message: Kept }>(line, `STREAM.MSG.GET.${STREAM}`, { seq: sequence })
  if ('refusal' in said) {
    if (said.refusal.code === NO_SUCH_MESSAGE) return undefined
    throw new OperatorError(`the server does not give report ${sequence}: ${said.refusal.description}`)
  }
  const { subject, time, data = '', hdrs = '' } = said.answer.message
  const headers = Buffer.from(hdrs, 'base64').toString('utf8')
  const header = (name: string): string | undefined => new RegExp(`^${name}: *(.*?)\\r?$`, 'm').exec(headers)?.[1]
  return {
    sequence,
    subject,
    storedAtMs: Date.parse(time),
    body: Buffer.from(data, 'base64'),
    run: header(HEADERS.run),
    signature: header(HEADERS.signature),
    place: `${STREAM} ${sequence}: ${subject}`,
  }
}
