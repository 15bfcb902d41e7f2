import { OperatorError } from '../../core/operator-error.ts'
import type { Line } from '../../nats/line.ts'
import { askJetStream } from './jetstream.ts'
import { HEADERS } from './message.ts'

/** The streams that messages of hosts lie in. */
export type MessageStream = 'DG_FULL' | 'DG_STATE'

/** A message as the server has it. */
export interface StoredMessage {
  readonly stream: MessageStream
  readonly sequence: number
  readonly subject: string
  readonly storedAtMs: number
  readonly body: Buffer
  /** What its headers say; empty where there is none. */
  readonly headers: Readonly<Record<keyof typeof HEADERS, string>>
  /** Where it lies, for messages. */
  readonly place: string
}

/** Which messages there are, by their numbers. Throws an `OperatorError` where that cannot be told. */
export async function storedRange(line: Line, stream: MessageStream): Promise<StoredRange> {
  const said = await askJetStream<{ readonly state: { readonly first_seq: number; readonly last_seq: number } }>(
    line,
    `STREAM.INFO.${stream}`,
  )
  if ('answer' in said) return { first: Math.max(1, said.answer.state.first_seq), last: said.answer.state.last_seq }
  throw new OperatorError(
    `the server has no reports: ${said.refusal.description}; "driftgate fleet prepare" makes what it stores in`,
  )
}

/** Messages of a stream, by their numbers. */
export interface StoredRange {
  readonly first: number
  readonly last: number
}

/** How many messages are asked for at a time. */
const AT_ONCE = 64

/** In their order, with those left out that were removed: of each host only so many stay. */
export async function* storedMessages(
  line: Line,
  stream: MessageStream,
  { first, last }: StoredRange,
): AsyncGenerator<StoredMessage> {
  for (let begin = first; begin <= last; begin += AT_ONCE) {
    const length = Math.min(AT_ONCE, last - begin + 1)
    const asked = Array.from({ length }, (_, index) => storedMessage(line, stream, begin + index))
    for (const stored of await Promise.all(asked)) if (stored !== undefined) yield stored
  }
}

/** Messages of several streams, by when they were stored; of those of one time first what comes first in the list. */
export async function* storedInOrder(streams: readonly AsyncGenerator<StoredMessage>[]): AsyncGenerator<StoredMessage> {
  const heads = await Promise.all(streams.map((stream) => stream.next()))
  for (;;) {
    let earliest: { readonly at: number; readonly message: StoredMessage } | undefined
    for (const [at, { done, value }] of heads.entries()) {
      if (done === true) continue
      if (earliest === undefined || value.storedAtMs < earliest.message.storedAtMs) earliest = { at, message: value }
    }
    if (earliest === undefined) return
    yield earliest.message
    const next = await streams[earliest.at]?.next()
    if (next !== undefined) heads[earliest.at] = next
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

/** One of them; undefined where it was removed. Throws an `OperatorError` where that cannot be told. */
export async function storedMessage(
  line: Line,
  stream: MessageStream,
  sequence: number,
): Promise<StoredMessage | undefined> {
  const said = await askJetStream<{ readonly message: Kept }>(line, `STREAM.MSG.GET.${stream}`, { seq: sequence })
  if ('refusal' in said) {
    if (said.refusal.code === NO_SUCH_MESSAGE) return undefined
    throw new OperatorError(`the server does not give report ${sequence}: ${said.refusal.description}`)
  }
  const { subject, time, data = '', hdrs = '' } = said.answer.message
  const headers = Buffer.from(hdrs, 'base64').toString('utf8')
  const header = (name: keyof typeof HEADERS): string =>
    new RegExp(`^${HEADERS[name]}: *(.*?)\\r?$`, 'm').exec(headers)?.[1] ?? ''
  return {
    stream,
    sequence,
    subject,
    storedAtMs: Date.parse(time),
    body: Buffer.from(data, 'base64'),
    headers: {
      schema: header('schema'),
      run: header('run'),
      key: header('key'),
      sentAt: header('sentAt'),
      sha256: header('sha256'),
      signature: header('signature'),
    },
    place: `${stream} ${sequence}: ${subject}`,
  }
}
