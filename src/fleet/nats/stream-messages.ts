import { OperatorError } from '../../model/operator-error.ts'
import type { Line } from '../../host/nats/line.ts'
import { askJetStream } from './jetstream.ts'

export interface StreamMessage {
  readonly sequence: number
  readonly subject: string
  /** Time of storage on the server. */
  readonly storedAtMs: number
  readonly body: Buffer
  /** Header lines as sent; empty if absent. */
  readonly headers: string
}

/** Range of sequence numbers. */
export interface StreamRange {
  readonly first: number
  readonly last: number
}

/** Available sequence numbers of a stream. Throws an `OperatorError` if unknown. */
export async function streamRange(line: Line, stream: string): Promise<StreamRange> {
  const said = await askJetStream<{ readonly state: { readonly first_seq: number; readonly last_seq: number } }>(
    line,
    `STREAM.INFO.${stream}`,
  )
  if ('answer' in said) return { first: Math.max(1, said.answer.state.first_seq), last: said.answer.state.last_seq }
  throw new OperatorError(
    `the server has no ${stream}: ${said.refusal.description}; "driftgate fleet prepare" creates its streams`,
  )
}

/** Number of concurrent requests. */
const AT_ONCE = 64

/** Messages in order, without removed ones. Throws an `OperatorError` if they cannot be read. */
export async function* streamMessages(
  line: Line,
  stream: string,
  { first, last }: StreamRange,
): AsyncGenerator<StreamMessage> {
  for (let begin = first; begin <= last; begin += AT_ONCE) {
    const length = Math.min(AT_ONCE, last - begin + 1)
    const asked = Array.from({ length }, (_, index) => streamMessage(line, stream, begin + index))
    for (const message of await Promise.all(asked)) if (message !== undefined) yield message
  }
}

const NO_SUCH_MESSAGE = 10_037

interface Kept {
  readonly seq: number
  readonly subject: string
  readonly time: string
  /** In base64, as are the headers. */
  readonly data?: string
  readonly hdrs?: string
}

/** Message with this number; undefined if it was removed. Throws an `OperatorError` if it cannot be read. */
export async function streamMessage(line: Line, stream: string, sequence: number): Promise<StreamMessage | undefined> {
  return askForMessage(line, stream, { seq: sequence })
}

/** Selects the next message. */
export interface NextMessage {
  /** Subject pattern; `*` matches one token. */
  readonly subjects: string
  readonly from: number
}

/** First message of these subjects; undefined if absent. Throws an `OperatorError` if it cannot be read. */
export async function nextMessage(
  line: Line,
  stream: string,
  { subjects, from }: NextMessage,
): Promise<StreamMessage | undefined> {
  return askForMessage(line, stream, { seq: from, next_by_subj: subjects })
}

/** Last message of a subject; undefined if absent. Throws an `OperatorError` if it cannot be read. */
export async function lastMessage(line: Line, stream: string, subject: string): Promise<StreamMessage | undefined> {
  return askForMessage(line, stream, { last_by_subj: subject })
}

async function askForMessage(
  line: Line,
  stream: string,
  wanted: { readonly seq: number; readonly next_by_subj?: string } | { readonly last_by_subj: string },
): Promise<StreamMessage | undefined> {
  const said = await askJetStream<{ readonly message: Kept }>(line, `STREAM.MSG.GET.${stream}`, wanted)
  if ('refusal' in said) {
    if (said.refusal.code === NO_SUCH_MESSAGE) return undefined
    const which = 'seq' in wanted ? `message ${wanted.seq}` : wanted.last_by_subj
    throw new OperatorError(`the server did not return ${which} of ${stream}: ${said.refusal.description}`)
  }
  const { seq: sequence, subject, time, data = '', hdrs = '' } = said.answer.message
  return {
    sequence,
    subject,
    storedAtMs: Date.parse(time),
    body: Buffer.from(data, 'base64'),
    headers: Buffer.from(hdrs, 'base64').toString('utf8'),
  }
}
