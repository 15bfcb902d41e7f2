import type { KeyObject } from 'node:crypto'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { setTimeout } from 'node:timers/promises'
import { defined } from '../../model/defined.ts'
import { OperatorError } from '../../model/operator-error.ts'
import { systemReason } from '../../model/system-reason.ts'
import { readWhole } from '../../host/live/read-whole.ts'
import { whoCanChange } from '../../host/live/who-can-change.ts'
import type { Line } from '../../host/nats/line.ts'
import { troubleOf, wasEnded } from '../../host/nats/trouble.ts'
import { type Key, publicKeyOf } from '../../host/signing/keys.ts'
import { agentHome } from './join.ts'
import { CONNECTIONS_KEY_FILE, inboxPrefix, POLICY_KEY_FILE, VIEWER_KEY_FILE } from './names.ts'
import { readPrivateKey, seedOf } from './nkey.ts'

const LARGEST_BYTES = 1024 * 1024
const HOUR = '1h'

/**
 * When a client that was refused tries again, in milliseconds: a server that reads anew who may connect, as it does for
 * each host that joins, refuses clients that are just connecting, or ends the connection without a word.
 */
const AFTER_TURNED_AWAY_MS = [200, 1000] as const

/** How a client enters a server. */
export interface Login {
  /** `tls://nats.example.com:4222`, with commas between several. */
  readonly url: string
  readonly seed: string
  /** The authority of the server's certificate, in PEM. */
  readonly authority: string
  readonly inboxPrefix?: string
  /** Where JetStream's API is for it; `$JS.API` where it is absent. */
  readonly apiPrefix?: string
  /** What signs assignments, for the judge of what hosts report; absent where it is not said. */
  readonly policyKey?: Key
  /** Whose word counts about what is released and what is forged, where that is not the key of this login itself. */
  readonly viewerKey?: Key
  /** With what it is asked which connections there are; absent where that is not allowed. */
  readonly connectionsSeed?: string
}

/** Connects. Throws an `OperatorError` where the server does not let it in, or is away. */
export async function enter({ url, seed, authority, inboxPrefix: prefix, apiPrefix }: Login): Promise<Line> {
  // A reader of a directory has no use for it.
  const { openLine } = await import('../../host/nats/line.ts')
  const tls = { isRequired: true, isFirst: false, ca: authority }
  const way = {
    name: 'fleet',
    servers: url.split(','),
    nkey: Buffer.from(seed),
    tls,
    ...defined({ inboxPrefix: prefix, apiPrefix }),
  }
  const tryWith = async ([pauseMs, ...pauses]: readonly number[]): Promise<Line> => {
    try {
      return await openLine(way, process.env)
    } catch (error) {
      const isTurnedAway = troubleOf(error) === 'denied' || wasEnded(error)
      if (pauseMs === undefined || !isTurnedAway)
        throw new OperatorError(`cannot connect to ${url}: ${reasonOf(error)}`, { cause: error })
    }
    await setTimeout(pauseMs)
    return tryWith(pauses)
  }
  return tryWith(AFTER_TURNED_AWAY_MS)
}

/** The client of CCM's addresses names context and servers itself; what is behind that has the reason alone. */
function reasonOf(error: unknown): string {
  if (wasEnded(error)) return 'the server ended the connection'
  const { cause } = error instanceof Error ? error : { cause: undefined }
  const reason = cause instanceof Error ? cause : error
  return reason instanceof Error ? reason.message.toLowerCase() : String(reason)
}

/** The login that a context file of `driftgate fleet init` holds, with the keys that lie beside it. Throws an `OperatorError`. */
export function loginOfContext(path: string): Login {
  const { url, nkey, ca, jetstream_api_prefix: apiPrefix } = membersOf(path)
  if (url === undefined || nkey === undefined || ca === undefined)
    throw new OperatorError(`${path} must say "url", "nkey" and "ca", as "driftgate fleet init" writes them`)
  const beside = (name: string): string => join(dirname(path), name)
  const keyIn = (file: string): Key | undefined => (existsSync(file) ? publicKeyOf(file, read(file)) : undefined)
  const [policyKey, viewerKey] = [keyIn(beside(POLICY_KEY_FILE)), keyIn(beside(VIEWER_KEY_FILE))]
  const connections = beside(CONNECTIONS_KEY_FILE)
  const connectionsSeed = existsSync(connections) ? read(connections).trim() : undefined
  const others = defined({ policyKey, viewerKey, connectionsSeed, apiPrefix })
  return { url, seed: read(nkey).trim(), authority: read(ca), ...others }
}

/** What a host that has joined a fleet knows of itself. */
export interface Agent {
  readonly name: string
  readonly login: Login
  readonly key: KeyObject
  /** The one that is to take its place; absent if missing. */
  readonly nextKey?: KeyObject
  /** The ring whose assignments are for it. */
  readonly ring: string
  /** How often it is to report where an assignment does not say it, `1h`. */
  readonly interval: string
  /** What signs assignments. */
  readonly policyKey: Key
}

/** Reads what `driftgate fleet join` has left. Throws an `OperatorError`. */
export function readAgent(directory: string): Agent {
  const home = agentHome(directory)
  const { name, server, ring, interval = HOUR } = membersOf(home.settings)
  if (name === undefined || server === undefined || ring === undefined)
    throw new OperatorError(
      `${home.settings} must say "name", "server" and "ring", as "driftgate fleet join" writes them`,
    )
  const keyIn = (path: string): KeyObject => {
    const key = readPrivateKey(read(path))
    if (key === undefined) throw new OperatorError(`${path} holds no private Ed25519 key`)
    return key
  }
  const key = keyIn(home.key)
  const nextKey = existsSync(home.nextKey) ? keyIn(home.nextKey) : undefined
  const login = { url: server, seed: seedOf(key), authority: read(home.authority), inboxPrefix: inboxPrefix(name) }
  const policyKey = publicKeyOf(home.policyKey, read(home.policyKey))
  return { name, login, key, ring, interval, policyKey, ...defined({ nextKey }) }
}

function membersOf(path: string): Readonly<Record<string, string | undefined>> {
  const text = read(path)
  try {
    const parsed: unknown = JSON.parse(text)
    const entries = typeof parsed === 'object' && parsed !== null ? Object.entries(parsed) : []
    return Object.fromEntries(entries.filter(([, value]) => typeof value === 'string'))
  } catch (error) {
    throw new OperatorError(`${path} is no JSON`, { cause: error })
  }
}

/** What others could change would let them say whom to believe. */
function read(path: string): string {
  try {
    const others = whoCanChange(path)
    if (others !== undefined) throw new OperatorError(`${path} is not used: ${others}`)
    return readWhole(path, LARGEST_BYTES).toString('utf8')
  } catch (error) {
    if (error instanceof OperatorError) throw error
    throw new OperatorError(`cannot read ${path}: ${systemReason(error)}`, { cause: error })
  }
}
