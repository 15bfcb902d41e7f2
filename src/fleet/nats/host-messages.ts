import type { Line } from '../../host/nats/line.ts'
import { MESSAGE_STREAMS, type MessageStream, type StoredMessage, storedMessageOf } from './stored-messages.ts'
import { nextMessage } from './stream-messages.ts'

/**
 * All stored messages under the name of a host, from any sender, in order of storage. Throws an `OperatorError` if they
 * cannot be read.
 */
export async function hostMessages(line: Line, host: string): Promise<readonly StoredMessage[]> {
  const streams = await Promise.all(MESSAGE_STREAMS.map((stream) => messagesIn(line, stream, `dg.v1.*.${host}`)))
  return streams.flat().toSorted((a, b) => a.storedAtMs - b.storedAtMs)
}

async function messagesIn(line: Line, stream: MessageStream, subjects: string): Promise<readonly StoredMessage[]> {
  const found: StoredMessage[] = []
  for (;;) {
    const message = await nextMessage(line, stream, { subjects, from: (found.at(-1)?.sequence ?? 0) + 1 })
    if (message === undefined) return found
    found.push(storedMessageOf(stream, message))
  }
}
