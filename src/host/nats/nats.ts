import type { Registration } from '../../model/registration.ts'
import type { NatsClient, Registered } from './client.ts'
import { type Environment, readContext } from './context.ts'

export type Fetched<Value> = { readonly value: Value } | { readonly message: string }

/** Access to CCM's NATS addresses. The client is loaded and connected on first use. */
export interface Nats {
  readonly object: (bucket: string, key: string) => Promise<Fetched<Uint8Array>>
  readonly value: (bucket: string, key: string) => Promise<Fetched<Uint8Array>>
  /** All entries of the registry. */
  readonly registered: () => Promise<Fetched<readonly Registered[]>>
  /** Publishes an entry; resolves once it is stored. */
  readonly register: (entry: Registration) => Promise<Fetched<undefined>>
  /** Closes the connection, if there is one. Never rejects. */
  readonly close: () => Promise<void>
}

export interface NatsOptions {
  /** Name or absolute path of a context. */
  readonly context?: string | undefined
  readonly registration: string
  readonly env: Environment
}

/** Timeout of an idle connection, in milliseconds. */
const IDLE_MS = 1000

/** Connects on first use. A server that was unavailable once is not tried again, so that a run sees one state. */
export function createNats({ context: name, registration, env }: NatsOptions): Nats {
  let opening: Promise<NatsClient> | undefined
  let lost: string | undefined
  let active = 0
  let idle: NodeJS.Timeout | undefined
  const close = async (): Promise<void> => {
    clearTimeout(idle)
    const client = await opening?.catch(() => undefined)
    opening = undefined
    await client?.close().catch(() => undefined)
  }
  const ask = async <Value>(work: (client: NatsClient) => Promise<Value>): Promise<Fetched<Value>> => {
    if (lost !== undefined) return { message: lost }
    const { openClient, DeadlineError } = await import('./client.ts')
    clearTimeout(idle)
    active++
    try {
      opening ??= open(name, env, openClient)
      const client = await opening.catch((error: unknown) => {
        throw new DeadlineError(messageOf(error))
      })
      return { value: await work(client) }
    } catch (error) {
      const message = messageOf(error)
      if (error instanceof DeadlineError) lost ??= message
      return { message }
    } finally {
      active--
      if (active === 0) idle = setTimeout(() => void close(), IDLE_MS)
    }
  }
  return {
    object: (bucket, key) => ask((client) => client.object(bucket, key)),
    value: (bucket, key) => ask((client) => client.value(bucket, key)),
    registered: () => ask((client) => client.registered(registration)),
    register: (entry) => ask((client) => client.register(registration, entry).then(() => undefined)),
    close,
  }
}

type OpenClient = (typeof import('./client.ts'))['openClient']

async function open(name: string | undefined, env: Environment, openClient: OpenClient): Promise<NatsClient> {
  const context = readContext(name, env)
  if ('message' in context) throw new Error(context.message)
  return await openClient(context, env)
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
