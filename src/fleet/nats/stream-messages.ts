import { OperatorError } from '../../core/operator-error.ts'
import type { Line } from '../../nats/line.ts'
import { askJetStream } from './jetstream.ts'

/** A message of a stream. */
export interface StreamMessage {
  readonly sequence: number
  readonly subject: string
  /** When the server stored it. */
  readonly storedAtMs: number
  readonly body: Buffer
  /** Whether it takes the value of a key away. */
  readonly isRemoval: boolean
}

/** How many messages are asked for at a time. */
const AT_ONCE = 64

const NO_SUCH_MESSAGE = 10_037

/** All that a stream holds, in its order, and the number of its last message. Throws an `OperatorError` where that cannot be told. */
export async function readStream(
  line: Line,
  stream: string,
): Promise<{ readonly messages: readonly StreamMessage[]; readonly last: number }> {
  const said = await askJetStream<{ readonly state: { readonly first_seq: number; readonly last_seq: number } }>(
    line,
    `STREAM.INFO.${stream}`,
  )
  if ('refusal' in said)
    throw new OperatorError(
      `the server has no ${stream}: ${said.refusal.description}; "driftgate fleet prepare" makes what it stores in`,
    )
  const { first_seq: first, last_seq: last } = said.answer.state
  const messages: StreamMessage[] = []
  for (let begin = Math.max(first, 1); begin <= last; begin += AT_ONCE) {
    const length = Math.min(AT_ONCE, last - begin + 1)
    const part = await Promise.all(Array.from({ length }, (_, index) => readMessage(line, stream, begin + index)))
    messages.push(...part.filter((message) => message !== undefined))
  }
  return { messages, last }
}

interface Kept {
  readonly seq: number
  readonly subject: string
  readonly time: string
  /** In base64. */
  readonly data?: string
  readonly hdrs?: string
}

async function readMessage(line: Line, stream: string, seq: number): Promise<StreamMessage | undefined> {
  const said = await askJetStream<{ readonly message: Kept }>(line, `STREAM.MSG.GET.${stream}`, { seq })
  if ('refusal' in said) {
    if (said.refusal.code === NO_SUCH_MESSAGE) return undefined
    throw new OperatorError(`the server does not give message ${seq} of ${stream}: ${said.refusal.description}`)
  }
  const { subject, time, data = '', hdrs = '' } = said.answer.message
  const isRemoval = /^KV-Operation:/m.test(Buffer.from(hdrs, 'base64').toString('utf8'))
  return { sequence: seq, subject, storedAtMs: Date.parse(time), body: Buffer.from(data, 'base64'), isRemoval }
}
