import type { KeyObject } from 'node:crypto'
import { OperatorError } from '../../model/operator-error.ts'
import type { Run } from '../../model/run.ts'
import { checkReport, parseReport, parseStored, UnusableReport } from '../../report/stored/read-report.ts'
import { type Beat, BEAT_SCHEMA, readBeat } from '../messages/beat.ts'
import { applyDelta, DELTA_SCHEMA, readDelta } from '../messages/delta.ts'
import { lacksDerived, withDerived } from '../messages/derived.ts'
import { isSha256 } from '../../host/signing/digest.ts'
import { isTime, type SenderNote } from '../messages/sender.ts'
import { stateOf } from '../messages/state.ts'
import type { UnusablePlace } from '../source.ts'
import { LARGEST_HEARD_BYTES } from '../read-candidate.ts'
import { isSigned, type Message, readSubject } from './message.ts'
import type { MessageKind } from './names.ts'
import { publicNkey } from './nkey.ts'
import type { StoredMessage } from './stored-messages.ts'

/** Public keys of hosts, by name. */
export type Keys = ReadonlyMap<string, KeyObject> & {
  /** Further valid keys during a key rotation. */
  readonly othersOf?: (host: string) => readonly KeyObject[]
  /** Revoked keys: messages signed with them are ignored, but not reported as forged. */
  readonly formerOf?: (host: string) => readonly KeyObject[]
}

/** Content of a message. */
export type Read =
  | { readonly kind: 'full'; readonly run: Run; readonly sha256: string }
  | { readonly kind: 'delta'; readonly run: Run; readonly sha256: string; readonly sender: SenderNote }
  | { readonly kind: 'beat'; readonly beat: Beat }

/** Reason why a message is not used. */
export interface NotRead {
  readonly reason: string
  readonly isForged?: true
  readonly machines?: UnusablePlace['machines']
}

/** A message signed with a key of its host. */
export interface Opened {
  readonly message: Message
  readonly sentAtMs: number
  /** Key of the signature. */
  readonly key: KeyObject
}

/** Verifies the signature with the keys of the host in its subject. */
export function openMessage(
  { subject, headers, body }: Pick<StoredMessage, 'subject' | 'headers' | 'body'>,
  keys: Keys,
): Opened | NotRead {
  const about = readSubject(subject)
  if (about === undefined) return { reason: 'its subject does not belong to a host' }
  const { kind, host } = about
  const key = keys.get(host)
  if (key === undefined) return { reason: `the roster has no key of ${host}` }
  const { run: runId, schema, sentAt, sha256, link, signature } = headers
  const message: Message = { kind, host, runId, schema, sentAt, sha256, link, body }
  const signer = [key, ...(keys.othersOf?.(host) ?? [])].find((each) => isSigned(message, signature, each))
  if (signer === undefined) {
    if (keys.formerOf?.(host).some((former) => isSigned(message, signature, former)) === true)
      return { reason: `it is signed by a former key of ${host}, which is no longer valid` }
    const another = headers.key === '' || headers.key === publicNkey(key) ? '' : ', and names another one'
    return { reason: `it is not signed by the key of ${host}${another}`, isForged: true }
  }
  if (schema !== SCHEMAS[kind]) return { reason: `its schema ${schema || '(missing)'} is not that of a ${kind}` }
  if (!isTime(sentAt) || !isSha256(sha256)) return { reason: 'it has no time or state' }
  return { message, sentAtMs: Date.parse(sentAt), key: signer }
}

const SCHEMAS: Readonly<Record<MessageKind, string>> = {
  full: 'driftgate.report/v1',
  delta: DELTA_SCHEMA,
  beat: BEAT_SCHEMA,
}

/** Parses the content. `baseOf` finds the full report that a delta refers to. */
export async function readMessage(
  { kind, runId, sha256, body }: Message,
  place: string,
  baseOf: (runId: string) => Promise<Run | undefined>,
): Promise<Read | NotRead> {
  try {
    const read = kind === 'full' ? await readFull(body, place, sha256) : await readSmall(kind, { body, place, baseOf })
    if ('reason' in read) return read
    const held = read.kind === 'beat' ? read.beat.run.id : read.run.run.id
    if (held !== runId) return { reason: `it is signed as run ${runId} but contains run ${held}` }
    const says = read.kind === 'beat' ? read.beat.same.sha256 : read.sha256
    return says === sha256 ? read : { reason: 'its signed state differs from its content' }
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error
    return { reason: error instanceof UnusableReport ? error.reason : error.message }
  }
}

/** The host's own state digest is authoritative: later messages refer to it. */
async function readFull(body: Uint8Array, place: string, sha256: string): Promise<Read> {
  const run = await parseReport(body, place, LARGEST_HEARD_BYTES)
  if (!lacksDerived(run) || stateOf(run).sha256 === sha256) return { kind: 'full', run, sha256 }
  const whole = withDerived(run)
  return { kind: 'full', run: stateOf(whole).sha256 === sha256 ? whole : run, sha256 }
}

interface Small {
  readonly body: Uint8Array
  readonly place: string
  readonly baseOf: (runId: string) => Promise<Run | undefined>
}

async function readSmall(kind: 'delta' | 'beat', { body, place, baseOf }: Small): Promise<Read | NotRead> {
  const value = await parseStored(body, place, LARGEST_HEARD_BYTES)
  if (kind === 'beat') {
    const beat = readBeat(value)
    return beat === undefined ? { reason: 'it is not a valid heartbeat' } : { kind, beat }
  }
  const delta = readDelta(value)
  if (delta === undefined) return { reason: 'it is not a valid delta' }
  const base = await baseOf(delta.base)
  if (base === undefined) return { reason: `run ${delta.base}, which it is based on, is missing` }
  const applied = applyDelta(base, delta)
  if ('reason' in applied) return applied
  const run = await checkReport(applied, place)
  if (stateOf(run).sha256 !== delta.sha256) return { reason: `it does not fit run ${delta.base}` }
  return { kind, run, sha256: delta.sha256, sender: delta.sender }
}
