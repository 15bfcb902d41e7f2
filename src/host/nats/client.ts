import { DeliverPolicy, jetstream, JetStreamApiError } from '@nats-io/jetstream'
import { Kvm } from '@nats-io/kv'
import { Objm, type ObjectStore } from '@nats-io/obj'
import { headers, type NatsConnection } from '@nats-io/transport-node'
import {
  parseRegistration,
  type Registration,
  REGISTRATION_PREFIX,
  registrationBody,
  registrationSubject,
} from '../../model/registration.ts'
import { connectTo } from './connect.ts'
import type { Environment, NatsContext } from './context.ts'

/** A connection to a server. Everything throws an `Error` in CCM's words, and a `DeadlineError` without an answer. */
export interface NatsClient {
  /** The bytes of an object, whose digest was compared. */
  readonly object: (bucket: string, key: string) => Promise<Uint8Array>
  readonly value: (bucket: string, key: string) => Promise<Uint8Array>
  /** Every entry of a registry, of each subject the last. */
  readonly registered: (stream: string) => Promise<readonly Registered[]>
  /** Publishes an entry, and is done when the server has stored it. */
  readonly register: (stream: string, entry: Registration) => Promise<void>
  readonly close: () => Promise<void>
}

/** An entry of the registry with its subject. */
export interface Registered {
  readonly subject: string
  readonly entry: Registration
}

/** The server does not answer; there is no use in asking it again. */
export class DeadlineError extends Error {}

/** How long the server may take, in milliseconds: for an object, and for everything else. */
const OBJECT_MS = 60_000
const ANSWER_MS = 5000

/** The largest object that is fetched, as for bundles of other servers. */
const LARGEST_OBJECT_BYTES = 256 * 1024 ** 2

/** How many links of objects are followed. */
const MOST_LINKS = 5

/** Connects to the servers of a context. */
export async function openClient(context: NatsContext, env: Environment): Promise<NatsClient> {
  const connection = await connectTo(context, env)
  const inTime = <Value>(limitMs: number, work: Promise<Value>): Promise<Value> => within(limitMs, work, connection)
  return {
    object: (bucket, key) => inTime(OBJECT_MS, fetchObject(connection, bucket, key)),
    value: (bucket, key) => inTime(ANSWER_MS, fetchValue(connection, bucket, key)),
    registered: (stream) => inTime(ANSWER_MS, readRegistry(connection, stream)),
    register: (stream, entry) => inTime(ANSWER_MS, publish(connection, stream, entry)),
    close: () => connection.close(),
  }
}

/** Work that ends with the connection, or when its time is over. */
async function within<Value>(limitMs: number, work: Promise<Value>, connection: NatsConnection): Promise<Value> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    const message = `context deadline exceeded: no answer within ${limitMs / 1000} seconds`
    timer = setTimeout(() => reject(new DeadlineError(message)), limitMs)
  })
  const closed = connection.closed().then((error): never => {
    throw new DeadlineError(`the connection was closed${error instanceof Error ? `: ${error.message}` : ''}`)
  })
  // The loser of the race fails later, without a listener.
  for (const loser of [work, late, closed]) loser.catch(() => undefined)
  try {
    return await Promise.race([work, late, closed])
  } finally {
    clearTimeout(timer)
  }
}

async function fetchObject(connection: NatsConnection, bucket: string, key: string): Promise<Uint8Array> {
  let place = { bucket, key }
  for (let links = 0; links <= MOST_LINKS; links++) {
    const store = await openStore(connection, place.bucket)
    const info = await store.info(place.key)
    if (info === null || info.deleted) throw new Error('nats: object not found')
    const link = info.options?.link
    if (link === undefined) return await readObject(store, place.key, info.size)
    // The client would make a bucket that a link leads to and that is not there.
    if (link.name === undefined || link.name === '') throw new Error('the object is a link to a bucket, name an object')
    place = { bucket: link.bucket, key: link.name }
  }
  throw new Error(`the object is a link to a link, more than ${MOST_LINKS} times`)
}

async function openStore(connection: NatsConnection, bucket: string): Promise<ObjectStore> {
  const open = async (): Promise<ObjectStore> => await new Objm(connection).open(bucket)
  try {
    return await open()
  } catch (error) {
    throw isNotFound(error) || /object store not found/.test(String(error))
      ? new Error('nats: bucket not found')
      : error
  }
}

async function readObject(store: ObjectStore, key: string, size: number): Promise<Uint8Array> {
  if (size > LARGEST_OBJECT_BYTES) throw new Error(`the object is larger than ${LARGEST_OBJECT_BYTES / 1024 ** 2} MiB`)
  const result = await store.get(key)
  if (result === null) throw new Error('nats: object not found')
  // The error comes through the data, too.
  result.error.catch(() => undefined)
  const chunks: Uint8Array[] = []
  for await (const chunk of result.data) chunks.push(chunk)
  const bytes = Buffer.concat(chunks)
  if (bytes.length !== size) throw new Error(`the object came with ${bytes.length} of its ${size} bytes`)
  return bytes
}

async function fetchValue(connection: NatsConnection, bucket: string, key: string): Promise<Uint8Array> {
  const store = await new Kvm(connection).open(bucket)
  const entry = await store.get(key).catch((error: unknown) => {
    throw isNotFound(error) ? new Error('nats: bucket not found') : error
  })
  if (entry === null || entry.operation !== 'PUT') throw new Error('nats: key not found')
  return entry.value
}

const STREAM_NOT_FOUND = 10_059

function isNotFound(error: unknown): boolean {
  return error instanceof JetStreamApiError && error.apiError().err_code === STREAM_NOT_FOUND
}

/** The server's own notice that an entry has gone. */
const MARKER = 'Nats-Marker-Reason'

/**
 * Reads with an ordered consumer, since a registry that CCM has made gives no direct access to its last messages. What
 * comes is complete or an error: a part of a registry would look like hosts that are gone.
 */
async function readRegistry(connection: NatsConnection, stream: string): Promise<readonly Registered[]> {
  const filter = `${REGISTRATION_PREFIX}.>`
  const consumer = await jetstream(connection)
    .consumers.get(stream, { deliver_policy: DeliverPolicy.LastPerSubject, filter_subjects: filter })
    .catch((error: unknown) => {
      throw isNotFound(error) ? new Error(`there is no stream ${stream}, --registration names another one`) : error
    })
  const found = new Map<string, Registered | undefined>()
  const { num_pending: pending } = await consumer.info()
  let left = pending
  if (left > 0) {
    for await (const message of await consumer.consume()) {
      const { subject, headers: said } = message
      const isMarker = said?.has(MARKER) === true || said?.has('KV-Operation') === true
      found.set(subject, isMarker ? undefined : { subject, entry: entryOf(subject, message.string()) })
      left = message.info.pending
      if (left === 0) break
    }
  }
  if (left > 0) throw new Error(`only ${found.size} of ${pending} entries came`)
  return [...found.values()].filter((entry) => entry !== undefined)
}

function entryOf(subject: string, body: string): Registration {
  const entry = parseRegistration(body)
  if (entry === undefined) throw new Error(`could not decode registration entry: ${subject} holds no address in JSON`)
  return entry
}

async function publish(connection: NatsConnection, stream: string, entry: Registration): Promise<void> {
  const said = headers()
  if (entry.ttl !== undefined) said.set('Nats-TTL', entry.ttl)
  said.set('Nats-Rollup', 'sub')
  said.set('Nats-Expected-Stream', stream)
  await jetstream(connection).publish(registrationSubject(entry), registrationBody(entry), { headers: said })
}
