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
 * Retry delays after a refusal, in milliseconds. A server that reloads its users, as it does for each host that joins,
 * refuses clients that are just connecting, or closes the connection without a reason.
 */
const AFTER_TURNED_AWAY_MS = [200, 1000] as const

/** Credentials of a client and the server address. */
export interface Login {
  /** `tls://nats.example.com:4222`; several are separated by commas. */
  readonly url: string
  readonly seed: string
  /** CA of the server's certificate, in PEM. */
  readonly authority: string
  readonly inboxPrefix?: string
  /** Prefix of JetStream's API for this client; default `$JS.API`. */
  readonly apiPrefix?: string
  /** Key that signs assignments, to verify reports against them; absent if unknown. */
  readonly policyKey?: Key
  /** Key that is trusted for releases and forgeries, if it is not the key of this login. */
  readonly viewerKey?: Key
  /** Credentials for listing connections; absent without permission. */
  readonly connectionsSeed?: string
}

/** Connects. Throws an `OperatorError` if the server refuses the client or is unreachable. */
export async function enter({ url, seed, authority, inboxPrefix: prefix, apiPrefix }: Login): Promise<Line> {
  // Loaded lazily: a directory source does not need it.
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

/** The NATS client repeats context and servers in its message, so only the innermost reason is used. */
function reasonOf(error: unknown): string {
  if (wasEnded(error)) return 'the server closed the connection'
  const { cause } = error instanceof Error ? error : { cause: undefined }
  const reason = cause instanceof Error ? cause : error
  return reason instanceof Error ? reason.message.toLowerCase() : String(reason)
}

/** Reads the login of a context file of `driftgate fleet init`, with the keys next to it. Throws an `OperatorError`. */
export function loginOfContext(path: string): Login {
  const { url, nkey, ca, jetstream_api_prefix: apiPrefix } = membersOf(path)
  if (url === undefined || nkey === undefined || ca === undefined)
    throw new OperatorError(`${path} must contain "url", "nkey" and "ca", as "driftgate fleet init" writes them`)
  const beside = (name: string): string => join(dirname(path), name)
  const keyIn = (file: string): Key | undefined => (existsSync(file) ? publicKeyOf(file, read(file)) : undefined)
  const [policyKey, viewerKey] = [keyIn(beside(POLICY_KEY_FILE)), keyIn(beside(VIEWER_KEY_FILE))]
  const connections = beside(CONNECTIONS_KEY_FILE)
  const connectionsSeed = existsSync(connections) ? read(connections).trim() : undefined
  const others = defined({ policyKey, viewerKey, connectionsSeed, apiPrefix })
  return { url, seed: read(nkey).trim(), authority: read(ca), ...others }
}

/** Settings of an enrolled host. */
export interface Agent {
  readonly name: string
  readonly login: Login
  readonly key: KeyObject
  /** Next key during a key rotation; absent without one. */
  readonly nextKey?: KeyObject
  /** Ring whose assignments apply. */
  readonly ring: string
  /** Reporting interval unless an assignment sets one, `1h`. */
  readonly interval: string
  /** Key that signs assignments. */
  readonly policyKey: Key
}

/** Reads the settings written by `driftgate fleet join`. Throws an `OperatorError`. */
export function readAgent(directory: string): Agent {
  const home = agentHome(directory)
  const { name, server, ring, interval = HOUR } = membersOf(home.settings)
  if (name === undefined || server === undefined || ring === undefined)
    throw new OperatorError(
      `${home.settings} must contain "name", "server" and "ring", as "driftgate fleet join" writes them`,
    )
  const keyIn = (path: string): KeyObject => {
    const key = readPrivateKey(read(path))
    if (key === undefined) throw new OperatorError(`${path} is not a private Ed25519 key`)
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
    throw new OperatorError(`${path} is not JSON`, { cause: error })
  }
}

/** Refuses a file that others can change: it decides whom to trust. */
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
