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

/** A connection to a server. Methods reject with an `Error` in CCM's words, or with a `DeadlineError` without an answer. */
export interface NatsClient {
  /** The content of an object, verified against its digest. */
  readonly object: (bucket: string, key: string) => Promise<Uint8Array>
  readonly value: (bucket: string, key: string) => Promise<Uint8Array>
  /** The entries of a registry, the last one of each subject. */
  readonly registered: (stream: string) => Promise<readonly Registered[]>
  /** Publishes an entry; resolves once the server has stored it. */
  readonly register: (stream: string, entry: Registration) => Promise<void>
  readonly close: () => Promise<void>
}

export interface Registered {
  readonly subject: string
  readonly entry: Registration
}

/** The server does not answer; a retry is pointless. */
export class DeadlineError extends Error {}

/** Timeouts in milliseconds: for an object, and for all other requests. */
const OBJECT_MS = 60_000
const ANSWER_MS = 5000

/** The largest object to fetch; the same limit as for bundles from other servers. */
const LARGEST_OBJECT_BYTES = 256 * 1024 ** 2

/** Maximum number of object links to follow. */
const MOST_LINKS = 5

/** Connects to the servers of a context. */
export async function openClient(context: NatsContext, env: Environment): Promise<NatsClient> {
  const connection = await connectTo(context, env)
  const inTime = <Value>(limitMs: number, work: Promise<Value>): Promise<Value> =>
    withTimeout(limitMs, work, connection)
  return {
    object: (bucket, key) => inTime(OBJECT_MS, fetchObject(connection, bucket, key)),
    value: (bucket, key) => inTime(ANSWER_MS, fetchValue(connection, bucket, key)),
    registered: (stream) => inTime(ANSWER_MS, readRegistry(connection, stream)),
    register: (stream, entry) => inTime(ANSWER_MS, publish(connection, stream, entry)),
    close: () => connection.close(),
  }
}

async function withTimeout<Value>(limitMs: number, work: Promise<Value>, connection: NatsConnection): Promise<Value> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    const message = `context deadline exceeded: timed out after ${limitMs / 1000} seconds`
    timer = setTimeout(() => reject(new DeadlineError(message)), limitMs)
  })
  const closed = connection.closed().then((error): never => {
    throw new DeadlineError(`the connection was closed${error instanceof Error ? `: ${error.message}` : ''}`)
  })
  // The losers of the race may reject later, unhandled.
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
    // The client would create a missing bucket that a link points to.
    if (link.name === undefined || link.name === '') throw new Error('the object is a link to a bucket: name an object')
    place = { bucket: link.bucket, key: link.name }
  }
  throw new Error(`the object is a chain of more than ${MOST_LINKS} links`)
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
  // The error also arrives through the data stream.
  result.error.catch(() => undefined)
  const chunks: Uint8Array[] = []
  for await (const chunk of result.data) chunks.push(chunk)
  const bytes = Buffer.concat(chunks)
  if (bytes.length !== size) throw new Error(`received only ${bytes.length} of ${size} bytes of the object`)
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

/** Header of the server's notice that an entry was removed. */
const MARKER = 'Nats-Marker-Reason'

/**
 * Uses an ordered consumer, since a registry created by CCM has no direct access to its last messages. The result is
 * complete or an error: a partial registry would look like missing hosts.
 */
async function readRegistry(connection: NatsConnection, stream: string): Promise<readonly Registered[]> {
  const filter = `${REGISTRATION_PREFIX}.>`
  const consumer = await jetstream(connection)
    .consumers.get(stream, { deliver_policy: DeliverPolicy.LastPerSubject, filter_subjects: filter })
    .catch((error: unknown) => {
      throw isNotFound(error) ? new Error(`no stream ${stream}: set another one with --registration`) : error
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
  if (left > 0) throw new Error(`received only ${found.size} of ${pending} entries`)
  return [...found.values()].filter((entry) => entry !== undefined)
}

function entryOf(subject: string, body: string): Registration {
  const entry = parseRegistration(body)
  if (entry === undefined) throw new Error(`could not decode registration entry: ${subject} contains no JSON address`)
  return entry
}

async function publish(connection: NatsConnection, stream: string, entry: Registration): Promise<void> {
  const said = headers()
  if (entry.ttl !== undefined) said.set('Nats-TTL', entry.ttl)
  said.set('Nats-Rollup', 'sub')
  said.set('Nats-Expected-Stream', stream)
  await jetstream(connection).publish(registrationSubject(entry), registrationBody(entry), { headers: said })
}
