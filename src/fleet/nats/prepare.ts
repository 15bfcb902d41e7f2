import { OperatorError } from '../../model/operator-error.ts'
import type { Line } from '../../host/nats/line.ts'
import { askJetStream } from './jetstream.ts'
import { findCrowdedStreams, replicasFor, streamConfig, streamsFor } from './streams.ts'

const NO_SUCH_STREAM = 10_059

/** Result for a stream. */
export interface PreparedStream {
  readonly name: string
  readonly became: 'made' | 'updated'
}

export interface Prepared {
  readonly streams: readonly PreparedStream[]
  /** Streams in which one host could displace others. */
  readonly crowded: readonly string[]
}

export interface FleetSize {
  readonly hosts: number
  readonly servers: number
}

/**
 * Creates or updates the streams and buckets of a fleet server, with limits for this number of hosts. Throws an
 * `OperatorError`.
 */
export async function prepareStore(line: Line, { hosts, servers }: FleetSize): Promise<Prepared> {
  const { limits } = await requestJetStream<{ readonly limits?: { readonly max_storage?: number } }>(line, 'INFO')
  const bytes = limits?.max_storage ?? -1
  if (bytes <= 0)
    throw new OperatorError('the account has no storage limit: set max_file, as "driftgate fleet init" writes it')
  const streams: PreparedStream[] = []
  // The server counts each replica.
  const replicas = replicasFor(servers)
  const plans = streamsFor({ bytes: bytes / replicas, hosts, payload: line.largestBytes })
  for (const plan of plans) {
    const found = await askJetStream(line, `STREAM.INFO.${plan.name}`)
    const isNew = 'refusal' in found && found.refusal.code === NO_SUCH_STREAM
    await requestJetStream(line, `STREAM.${isNew ? 'CREATE' : 'UPDATE'}.${plan.name}`, {
      ...streamConfig(plan),
      num_replicas: replicas,
    })
    streams.push({ name: plan.name, became: isNew ? 'made' : 'updated' })
  }
  return { streams, crowded: findCrowdedStreams(plans, hosts) }
}

async function requestJetStream<Answer extends object>(line: Line, what: string, body?: object): Promise<Answer> {
  const said = await askJetStream<Answer>(line, what, body)
  if ('answer' in said) return said.answer
  throw new OperatorError(`the server refuses ${what}: ${said.refusal.description}`)
}
