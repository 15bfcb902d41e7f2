import type { Line } from '../../host/nats/line.ts'
import { HEADERS } from './message.ts'
import { largeSubject, messageSubject } from './names.ts'
import { NEXT_KEY_HEADER } from './next-key.ts'
import { lastMessage, streamMessage, type StreamMessage, streamMessages, type StreamRange } from './stream-messages.ts'

/** Streams of host messages; a stream precedes those that its messages refer to. */
export const MESSAGE_STREAMS = ['DG_BEAT', 'DG_STATE', 'DG_FULL', 'DG_LARGE'] as const

export type MessageStream = (typeof MESSAGE_STREAMS)[number]

/** A message as stored on the server. */
export interface StoredMessage {
  readonly stream: MessageStream
  readonly sequence: number
  readonly subject: string
  readonly storedAtMs: number
  readonly body: Buffer
  /** Header values; empty if absent. */
  readonly headers: Readonly<Record<keyof typeof HEADERS, string>>
  /** Announcement of the host's next key; empty without one. */
  readonly announcement: string
  /** Location, for messages. */
  readonly place: string
}

/** Messages in order, without removed ones: the server keeps a limited number per host. */
export async function* storedMessages(
  line: Line,
  stream: MessageStream,
  range: StreamRange,
): AsyncGenerator<StoredMessage> {
  for await (const message of streamMessages(line, stream, range)) yield storedMessageOf(stream, message)
}

/** Merges streams by storage time; at equal times, the earlier stream in the list comes first. */
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

/** Message with this number; undefined if it was removed. Throws an `OperatorError` if it cannot be read. */
export async function storedMessage(
  line: Line,
  stream: MessageStream,
  sequence: number,
): Promise<StoredMessage | undefined> {
  const message = await streamMessage(line, stream, sequence)
  return message && storedMessageOf(stream, message)
}

/** Newest message of each kind of a host. Throws an `OperatorError` if they cannot be read. */
export async function lastMessages(line: Line, host: string): Promise<readonly StoredMessage[]> {
  const subjects: Readonly<Record<MessageStream, string>> = {
    DG_BEAT: messageSubject('beat', host),
    DG_STATE: messageSubject('delta', host),
    DG_FULL: messageSubject('full', host),
    DG_LARGE: largeSubject(host),
  }
  const asked = MESSAGE_STREAMS.map(async (stream) => {
    const message = await lastMessage(line, stream, subjects[stream])
    return message === undefined ? [] : [storedMessageOf(stream, message)]
  })
  return (await Promise.all(asked)).flat()
}

/** Converts a stream message to a host message. */
export function storedMessageOf(stream: MessageStream, { headers: lines, ...message }: StreamMessage): StoredMessage {
  const valueOf = (name: string): string => new RegExp(`^${name}: *(.*?)\\r?$`, 'm').exec(lines)?.[1] ?? ''
  const header = (name: keyof typeof HEADERS): string => valueOf(HEADERS[name])
  return {
    stream,
    ...message,
    headers: {
      schema: header('schema'),
      run: header('run'),
      key: header('key'),
      sentAt: header('sentAt'),
      sha256: header('sha256'),
      link: header('link'),
      signature: header('signature'),
    },
    announcement: valueOf(NEXT_KEY_HEADER),
    place: `${stream} ${message.sequence}: ${message.subject}`,
  }
}
