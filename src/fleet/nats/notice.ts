import { membersOf } from '../../model/members-of.ts'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { defined } from '../../model/defined.ts'
import { attempt, OperatorError } from '../../model/operator-error.ts'
import { systemReason } from '../../model/system-reason.ts'
import type { Line } from '../../host/nats/line.ts'
import { envelopeOf, isSignedBy, sealEnvelope, signedToo } from '../../host/signing/envelope.ts'
import type { Key } from '../../host/signing/keys.ts'
import { replaceFile } from '../../host/live/own-file.ts'
import { readWhole } from '../../host/live/read-whole.ts'
import { errorCode } from '../../host/live/system-error.ts'
import { type Agent, readAgent } from './connect.ts'
import { changeAgent, trust } from './join.ts'
import { lastValue, storeMessage } from './jetstream.ts'
import { valueOfJson } from './json.ts'
import { BUCKETS, valueSubject } from './names.ts'
import { dropNextKey, makeNextKey } from './next-key.ts'
import { sendAgain } from './sent-log.ts'

/** A notice of the operator to all hosts, signed with the policy key. */
export interface Notice {
  readonly schema: typeof SCHEMA
  /** Increases with every notice. */
  readonly version: number
  /** The server was restored and lacks the messages since this time, in ISO 8601. */
  readonly restored?: { readonly id: string; readonly since: string }
  /** New server addresses, separated by commas. */
  readonly server?: string
  /** New public keys that sign policies, in PEM. */
  readonly policyKeys?: string
  /** Key rotation id: each host creates a new key once per id. */
  readonly hostKeys?: string
}

const SCHEMA = 'driftgate.notice/v1'
const PAYLOAD = 'application/vnd.driftgate.notice+json'
const KEY = 'notice'
const LARGEST_BYTES = 64 * 1024

/** Two, during a key rotation. */
const MOST_SIGNATURES = 2

/** Updates the notice to hosts, signed with each of these keys. Throws an `OperatorError`. */
export async function tellHosts(
  line: Line,
  [key, ...others]: readonly [Key, ...Key[]],
  news: { readonly [Name in Exclude<keyof Notice, 'schema' | 'version'>]?: Notice[Name] | undefined },
): Promise<void> {
  const found = await lastValue(line, BUCKETS.policies, KEY)
  const before = found && [key, ...others].map((each) => openNotice(valueOfJson(found.bytes), each)).find(Boolean)
  // Hosts may have a later version from a server that was lost.
  const version = Math.max(Date.now(), (before?.version ?? 0) + 1)
  const notice = { ...before, ...news, schema: SCHEMA, version }
  const envelope = sealEnvelope(PAYLOAD, Buffer.from(JSON.stringify(notice)), key)
  const body = JSON.stringify(others.reduce(signedToo, envelope))
  await storeMessage(line, valueSubject(BUCKETS.policies, KEY), { body })
}

/** Undefined if it is not signed with the key or not a notice. */
function openNotice(value: unknown, key: Key): Notice | undefined {
  const envelope = envelopeOf(PAYLOAD, value, MOST_SIGNATURES)
  if ('message' in envelope || !isSignedBy(envelope, key)) return undefined
  const read = valueOfJson(Buffer.from(envelope.payload, 'base64'))
  const { schema, version, restored, server, policyKeys, hostKeys } = membersOf<keyof Notice>(read)
  if (schema !== SCHEMA || typeof version !== 'number' || !Number.isSafeInteger(version)) return undefined
  return {
    schema,
    version,
    ...(isRestored(restored) && { restored }),
    ...(typeof server === 'string' && { server }),
    ...(typeof policyKeys === 'string' && { policyKeys }),
    ...(typeof hostKeys === 'string' && { hostKeys }),
  }
}

function isRestored(value: unknown): value is NonNullable<Notice['restored']> {
  const { id, since } = membersOf<'id' | 'since'>(value)
  return typeof id === 'string' && typeof since === 'string' && !Number.isNaN(Date.parse(since))
}

/**
 * Applies a new notice on a host: resends messages that a restored server lacks, and switches to a new server for the
 * next connection. Throws an `OperatorError` if the server or the machine prevents it.
 */
export async function followNotice(line: Line, directory: string, say: (text: string) => void): Promise<void> {
  const agent: Agent = readAgent(directory)
  const found = await lastValue(line, BUCKETS.policies, KEY)
  const notice = found && openNotice(valueOfJson(found.bytes), agent.policyKey)
  const known = readFollowed(directory)
  if (notice === undefined || notice.version <= known.version) return
  const { restored, server, policyKeys, hostKeys } = notice
  if (restored !== undefined && restored.id !== known.restored) {
    const count = await sendAgain(line, agent, directory, Date.parse(restored.since))
    if (count > 0) say(`the server was restored from a backup: sent ${count} messages again that it had lost`)
  }
  if (server !== undefined && server !== agent.login.url) {
    changeAgent(directory, { server })
    say(`connects to ${server} from now on, as set by the operator`)
  }
  if (policyKeys !== undefined && trust(directory, policyKeys))
    say('trusts another key that signs policies, as set by the operator')
  if (hostKeys === undefined) dropNextKey(directory)
  else if (hostKeys !== known.hostKeys) makeNextKey(directory)
  attempt(`cannot write ${join(directory, NAME)}`, () => {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    const text = JSON.stringify({ version: notice.version, ...defined({ restored: restored?.id, hostKeys }) })
    replaceFile(join(directory, NAME), text, { mode: 0o600 })
  })
}

const NAME = 'notice.json'

interface FollowedNotice {
  readonly version: number
  readonly restored?: string
  readonly hostKeys?: string
}

/** Without a valid file, no notice was followed: following one twice is harmless. */
function readFollowed(directory: string): FollowedNotice {
  try {
    const read: { readonly [Name in keyof FollowedNotice]?: unknown } | null = JSON.parse(
      readWhole(join(directory, NAME), LARGEST_BYTES).toString('utf8'),
    )
    const { version, restored, hostKeys } = read ?? {}
    return {
      version: typeof version === 'number' ? version : 0,
      ...(typeof restored === 'string' && { restored }),
      ...(typeof hostKeys === 'string' && { hostKeys }),
    }
  } catch (error) {
    if (error instanceof SyntaxError || errorCode(error) === 'ENOENT') return { version: 0 }
    throw new OperatorError(`cannot read ${join(directory, NAME)}: ${systemReason(error)}`, { cause: error })
  }
}
