import { OperatorError } from '../../model/operator-error.ts'
import type { Line } from '../../host/nats/line.ts'
import { askJetStream } from './jetstream.ts'
import { readSubject } from './message.ts'
import { MESSAGE_STREAMS, type MessageStream } from './stored-messages.ts'
import { nextMessage } from './stream-messages.ts'

/** Detects hosts that exceed their storage share. */
export interface Shares {
  /** A sentence per host and stream. Throws an `OperatorError` if the server does not answer. */
  readonly dropped: (line: Line, nowMs: number) => Promise<readonly string[]>
}

/** Cache time in milliseconds. */
const FRESH_MS = 10 * 60_000

/** A share that lasts for less time holds far more than reports. */
const LEAST_KEPT_MS = 86_400_000

/** Maximum number of subjects read per stream. */
const MOST_SUBJECTS = 256

/** Caches the result for some minutes. */
export function createShares(): Shares {
  let known: { readonly atMs: number; readonly sentences: readonly string[] } | undefined
  return {
    async dropped(line, nowMs) {
      if (known === undefined || nowMs - known.atMs >= FRESH_MS) {
        const all = await Promise.all(MESSAGE_STREAMS.map((stream) => droppedFrom(line, stream, nowMs)))
        known = { atMs: nowMs, sentences: all.flat() }
      }
      return known.sentences
    },
  }
}

async function droppedFrom(line: Line, stream: MessageStream, nowMs: number): Promise<readonly string[]> {
  const said = await askJetStream<StreamInfo>(line, `STREAM.INFO.${stream}`, { subjects_filter: '>' })
  if ('refusal' in said) throw new OperatorError(`the server has no ${stream}: ${said.refusal.description}`)
  const { config, state } = said.answer
  const most = config.max_msgs_per_subject
  const full = Object.entries(state.subjects ?? {}).filter(([, count]) => most > 0 && count >= most)
  const sentences = await Promise.all(
    full.slice(0, MOST_SUBJECTS).map(async ([subject]) => {
      const oldest = await nextMessage(line, stream, { subjects: subject, from: 1 })
      if (oldest === undefined || nowMs - oldest.storedAtMs >= LEAST_KEPT_MS) return []
      const host = readSubject(subject)?.host ?? subject
      const since = new Date(oldest.storedAtMs).toISOString().slice(0, 16).replace('T', ' ')
      return [
        `${host} has filled its share of ${stream} (${most} messages): the server has dropped what it sent before ${since} UTC`,
      ]
    }),
  )
  return sentences.flat()
}

interface StreamInfo {
  readonly config: { readonly max_msgs_per_subject: number }
  readonly state: { readonly subjects?: Readonly<Record<string, number>> }
}
