import { randomUUID } from 'node:crypto'
import { OperatorError } from '../../model/operator-error.ts'
import type { Line } from '../../host/nats/line.ts'
import { askJetStream } from '../nats/jetstream.ts'

const CHUNK_BYTES = 128 * 1024
const ANSWER_MS = 60_000

/** Metadata of a stream snapshot. */
export interface StreamHead {
  readonly config: object
  readonly state: { readonly messages: number }
}

/** Reads the snapshot of a stream: first its head, then its chunks. Throws an `OperatorError`. */
export async function snapshotOf(
  line: Line,
  stream: string,
  take: { readonly head: (head: StreamHead) => void; readonly chunk: (bytes: Uint8Array) => void },
): Promise<void> {
  const subject = `_INBOX.${randomUUID()}`
  const arrived = receiveArrivals(line, subject)
  try {
    const request = { deliver_subject: subject, no_consumers: true, chunk_size: CHUNK_BYTES }
    const said = await askJetStream<StreamHead>(line, `STREAM.SNAPSHOT.${stream}`, request)
    if ('refusal' in said) throw new OperatorError(`the server gives no copy of ${stream}: ${said.refusal.description}`)
    take.head({ config: said.answer.config, state: said.answer.state })
    for (;;) {
      const bytes = await arrived.next(stream)
      if (bytes.length === 0) return
      take.chunk(bytes)
    }
  } finally {
    arrived.end()
  }
}

interface Arrivals {
  /** Next message. Throws an `OperatorError` on a timeout. */
  readonly next: (stream: string) => Promise<Uint8Array>
  readonly end: () => void
}

/** The server waits for the acknowledgement of each chunk, which bounds the queue. */
function receiveArrivals(line: Line, subject: string): Arrivals {
  const queue: { readonly bytes: Uint8Array; readonly acknowledge: () => void }[] = []
  let wake: (() => void) | undefined
  const end = line.receive(subject, (bytes, acknowledge) => {
    queue.push({ bytes, acknowledge })
    wake?.()
  })
  return {
    end,
    async next(stream) {
      if (queue.length === 0) await waitForArrival((resolve) => (wake = resolve), stream)
      const first = queue.shift()
      if (first === undefined) throw stoppedError(stream)
      first.acknowledge()
      return first.bytes
    },
  }
}

async function waitForArrival(wait: (resolve: () => void) => void, stream: string): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  await new Promise<void>((resolve, reject) => {
    timer = setTimeout(() => reject(stoppedError(stream)), ANSWER_MS)
    wait(resolve)
  }).finally(() => clearTimeout(timer))
}

function stoppedError(stream: string): OperatorError {
  return new OperatorError(`the server stopped sending ${stream}`)
}

/** A stream being restored. Every method throws an `OperatorError`. */
export interface Restoring {
  readonly chunk: (bytes: Uint8Array) => Promise<void>
  /** Resolves once the server has all chunks. */
  readonly finish: () => Promise<void>
}

/** Starts to restore a stream that the server does not have. */
export async function restoreStream(line: Line, name: string, head: object): Promise<Restoring> {
  const said = await askJetStream<{ readonly deliver_subject: string }>(line, `STREAM.RESTORE.${name}`, head)
  if ('refusal' in said) throw new OperatorError(`the server does not restore ${name}: ${said.refusal.description}`)
  const subject = said.answer.deliver_subject
  const send = async (bytes: Uint8Array): Promise<void> => {
    const answer = await line.ask(subject, { body: bytes, timeoutMs: ANSWER_MS }).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error)
      throw new OperatorError(`the server does not restore ${name}: ${reason}`, { cause: error })
    })
    const read: { readonly error?: { readonly description?: string } } = answer === '' ? {} : JSON.parse(answer)
    if (read.error !== undefined)
      throw new OperatorError(`the server does not restore ${name}: ${read.error.description ?? 'no reason given'}`)
  }
  return { chunk: send, finish: () => send(new Uint8Array()) }
}
