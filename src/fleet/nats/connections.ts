import { OperatorError } from '../../model/operator-error.ts'
import type { Line } from '../../host/nats/line.ts'
import type { UnusablePlace } from '../source.ts'
import type { Login } from './connect.ts'
import { valueOfJson } from './json.ts'
import { lastingLine } from './lasting-line.ts'
import { HOSTS_ACCOUNT, CONNECTIONS_SUBJECT } from './names.ts'
import { publicNkey } from './nkey.ts'
import type { Keys } from './read-message.ts'

/** Detects host keys that are used from two addresses at once. */
export interface Connections {
  /** Hosts with a shared key, or an error of the server. */
  readonly shared: (nowMs: number) => Promise<readonly UnusablePlace[]>
  readonly close: () => Promise<void>
}

/** Cache time in milliseconds. */
const FRESH_MS = 60_000

/** A host that changes its address leaves a stale connection, which the server closes after six minutes by default. */
const OVERLAP_MS = 600_000

/** Page size of the connection list: a page must fit into one message. */
const AT_ONCE = 500
const MOST_PAGES = 400
const ANSWER_MS = 10_000

/** Needs a key in the system account; undefined without one. */
export function connectionsOf({ url, authority, connectionsSeed }: Login, keys: Keys): Connections | undefined {
  if (connectionsSeed === undefined) return undefined
  const names = new Map(
    [...keys].flatMap(([name, key]) =>
      [key, ...(keys.othersOf?.(name) ?? [])].map((each) => [publicNkey(each), name] as const),
    ),
  )
  const { open: openLine, close } = lastingLine({ url, authority, seed: connectionsSeed })
  let known: { readonly atMs: number; readonly open: readonly OpenConnection[] | OperatorError } | undefined

  async function ask(): Promise<readonly OpenConnection[] | OperatorError> {
    try {
      return await openConnections(await openLine())
    } catch (error) {
      if (error instanceof OperatorError) return error
      throw error
    }
  }

  return {
    async shared(nowMs) {
      if (known === undefined || nowMs - known.atMs >= FRESH_MS) known = { atMs: nowMs, open: await ask() }
      const { open } = known
      return open instanceof OperatorError ? [notTold(open)] : sharedIn(open, names, nowMs)
    },
    close,
  }
}

interface OpenConnection {
  readonly key: string
  readonly address: string
  /** By the local clock, independent of the server's. */
  readonly startedAtMs: number
}

/** Connections of all servers of a cluster, each of which lists its own. */
async function openConnections(line: Line): Promise<readonly OpenConnection[]> {
  const found: OpenConnection[] = []
  let servers: number | undefined
  for (let page = 0; page < MOST_PAGES; page++) {
    const body = JSON.stringify({ acc: HOSTS_ACCOUNT, auth: true, offset: page * AT_ONCE, limit: AT_ONCE })
    const asked = { body, timeoutMs: ANSWER_MS }
    const answers = await line.askAll(CONNECTIONS_SUBJECT, asked, servers).catch((error: unknown) => {
      throw new OperatorError(error instanceof Error ? error.message.toLowerCase() : String(error), { cause: error })
    })
    servers = answers.length
    const lists = answers.map(listIn)
    for (const { listed, atMs } of lists) {
      const aheadMs = atMs - Date.now()
      for (const each of listed.flatMap(connectionIn)) found.push({ ...each, startedAtMs: each.startedAtMs - aheadMs })
    }
    if (lists.every(({ listed }) => listed.length < AT_ONCE)) break
  }
  return found
}

/** @see nats-server, "CONNZ": `now` and `start` are in ISO 8601, by the clock of the server; `authorized_user` is the public key */
function listIn(answer: string): { readonly listed: readonly unknown[]; readonly atMs: number } {
  const value = valueOfJson(Buffer.from(answer))
  const { data }: { readonly data?: { readonly connections?: unknown; readonly now?: unknown } } =
    typeof value === 'object' && value !== null ? value : {}
  const atMs = typeof data?.now === 'string' ? Date.parse(data.now) : NaN
  if (Array.isArray(data?.connections) && !Number.isNaN(atMs)) return { listed: data.connections, atMs }
  throw new OperatorError('the server answers, but not with a list of its connections')
}

function connectionIn(value: unknown): readonly OpenConnection[] {
  if (typeof value !== 'object' || value === null) return []
  const told: { readonly authorized_user?: unknown; readonly ip?: unknown; readonly start?: unknown } = value
  const { authorized_user: key, ip: address, start } = told
  if (typeof key !== 'string' || typeof address !== 'string' || typeof start !== 'string') return []
  return [{ key, address, startedAtMs: Date.parse(start) }]
}

function notTold({ message }: OperatorError): UnusablePlace {
  return { place: CONNECTIONS_SUBJECT, reason: `it is unknown where keys are used: ${message}`, hosts: [] }
}

function sharedIn(
  open: readonly OpenConnection[],
  names: ReadonlyMap<string, string>,
  nowMs: number,
): readonly UnusablePlace[] {
  const addresses = new Map<string, Set<string>>()
  for (const { key, address, startedAtMs } of open) {
    const host = names.get(key)
    if (host === undefined || !(nowMs - startedAtMs >= OVERLAP_MS)) continue
    addresses.set(host, (addresses.get(host) ?? new Set()).add(address))
  }
  return [...addresses].flatMap(([host, of]): UnusablePlace[] => {
    if (of.size < 2) return []
    const reason = `the key of ${host} is in use from ${[...of].toSorted().join(' and ')} at once`
    return [{ place: `connections of ${host}`, reason, storedAtMs: nowMs, hosts: [host], isForged: true }]
  })
}
