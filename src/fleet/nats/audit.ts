import { ifThere } from '../../host/if-there.ts'
import { randomUUID } from 'node:crypto'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { attempt } from '../../model/operator-error.ts'
import type { Line } from '../../host/nats/line.ts'
import { type Envelope, envelopeOf, hasExactly, isSignedBy, sealEnvelope } from '../../host/signing/envelope.ts'
import type { Key } from '../../host/signing/keys.ts'
import { replaceFile } from '../../host/live/own-file.ts'
import { readWhole } from '../../host/live/read-whole.ts'
import { askJetStream, storeMessage } from './jetstream.ts'
import { valueOfJson } from './json.ts'
import { streamMessages, type StreamRange, streamRange } from './stream-messages.ts'

/** An act in the activity log. */
export interface Act {
  /** Kind of act, one word: `assign`. */
  readonly act: string
  readonly author: string
  /** Object of the act: `ring.all`, a host, a digest. */
  readonly about: string
  /** Description as a sentence, with the reason. */
  readonly text: string
}

/** An activity log entry as signed. */
export interface AuditEntry extends Act {
  readonly schema: typeof SCHEMA
  readonly id: string
  /** Time of the act, by the author's clock, in ISO 8601. */
  readonly at: string
}

/** A stored entry: its content if signed with a known key, otherwise the reason for rejecting it. */
export interface StoredEntry {
  readonly storedAtMs: number
  readonly said: { readonly entry: AuditEntry; readonly key: string } | { readonly message: string }
}

const SCHEMA = 'driftgate.audit/v1'
const PAYLOAD = 'application/vnd.driftgate.audit+json'
const PREFIX = 'dg.v1.audit.'

/** Stream of the activity log. */
export const AUDIT_STREAM = 'DG_AUDIT'

export const ROLLOUT_ACT = 'rollout'

/** Detection of an item that does not come from the host it names. */
export const FORGERY_ACT = 'forgery'

/** Subjects of the acts that a viewer may record. */
export const VIEWER_ACT_SUBJECTS: readonly string[] = [ROLLOUT_ACT, FORGERY_ACT].map((act) => PREFIX + act)
const LARGEST_BYTES = 1024 * 1024

/**
 * Signs an act with the author's private key and stores it permanently. Entries with the same `id` count once; an act
 * that may be recorded twice needs an `id` of its own. Throws an `OperatorError`.
 */
export async function writeAudit(line: Line, key: Key, act: Act, id: string = randomUUID()): Promise<void> {
  await store(line, act.act, JSON.stringify(signEntry(key, act, id)))
}

/**
 * Like `writeAudit`, but without a server: the entry stays in a directory until `sendKept` sends it. Throws an
 * `OperatorError`.
 */
export function keepAudit(directory: string, key: Key, act: Act): void {
  attempt(`cannot write the activity log in ${directory}`, () => {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    const name = `${new Date().toISOString().replaceAll(':', '')}-${randomUUID()}.${act.act}.json`
    replaceFile(join(directory, name), JSON.stringify(signEntry(key, act)), { mode: 0o600 })
  })
}

/** Sends the entries of a directory, in order. Throws an `OperatorError`; unsent entries stay. */
export async function sendKept(line: Line, directory: string): Promise<void> {
  for (const name of namesIn(directory)) {
    const [, act] = /\.([a-z]+)\.json$/.exec(name) ?? []
    if (act === undefined) continue
    const path = join(directory, name)
    await store(line, act, readWhole(path, LARGEST_BYTES))
    rmSync(path)
  }
}

function namesIn(directory: string): readonly string[] {
  return attempt(`cannot read ${directory}`, () => ifThere(() => readdirSync(directory).toSorted())) ?? []
}

function signEntry(key: Key, { act, author, about, text }: Act, id: string = randomUUID()): Envelope {
  const entry: AuditEntry = { schema: SCHEMA, id, at: new Date().toISOString(), act, author, about, text }
  return sealEnvelope(PAYLOAD, Buffer.from(JSON.stringify(entry)), key)
}

async function store(line: Line, act: string, body: string | Uint8Array): Promise<void> {
  await storeMessage(line, PREFIX + act, { body })
}

/** True if the last entry of this kind, by any author, has this id. Throws an `OperatorError` if unknown. */
export async function isLastEntry(line: Line, act: string, id: string): Promise<boolean> {
  const about = { last_by_subj: PREFIX + act }
  const said = await askJetStream<{ readonly message: { readonly data?: string } }>(
    line,
    `STREAM.MSG.GET.${AUDIT_STREAM}`,
    about,
  )
  if ('refusal' in said) return false
  const envelope = envelopeOf(PAYLOAD, valueOfJson(Buffer.from(said.answer.message.data ?? '', 'base64')))
  if ('message' in envelope) return false
  const entry = valueOfJson(Buffer.from(envelope.payload, 'base64'))
  return isEntry(entry) && entry.id === id
}

/** Keys whose entries are accepted. */
export interface AuditKeys {
  readonly operator: Key
  /** Key of the viewer, which releases presigned assignments and detects forgeries; accepted only for these acts. */
  readonly viewer?: Key
}

/** All entries, in order of arrival, without duplicates. Throws an `OperatorError` if the log cannot be read. */
export async function readAudit(line: Line, keys: AuditKeys): Promise<readonly StoredEntry[]> {
  return onceEach(await entriesIn(line, keys, await streamRange(line, AUDIT_STREAM)))
}

/** Entries of a part of the stream, in order. Throws an `OperatorError` if the log cannot be read. */
export async function entriesIn(line: Line, keys: AuditKeys, range: StreamRange): Promise<readonly StoredEntry[]> {
  const entries: StoredEntry[] = []
  for await (const { subject, storedAtMs, body } of streamMessages(line, AUDIT_STREAM, range))
    entries.push({ storedAtMs, said: whatIsProved(subject, body, keys) })
  return entries
}

/** Removes duplicates from sends that were repeated without an acknowledgement. */
export function onceEach(entries: readonly StoredEntry[]): readonly StoredEntry[] {
  const heard = new Set<string>()
  return entries.filter(({ said }) => {
    if ('message' in said) return true
    const isNew = !heard.has(said.entry.id)
    heard.add(said.entry.id)
    return isNew
  })
}

function whatIsProved(subject: string, body: Uint8Array, { operator, viewer }: AuditKeys): StoredEntry['said'] {
  const envelope = envelopeOf(PAYLOAD, valueOfJson(body))
  if ('message' in envelope) return { message: `${subject}: ${envelope.message}` }
  const mayBe = viewer === undefined || !VIEWER_ACT_SUBJECTS.includes(subject) ? [operator] : [operator, viewer]
  const key = mayBe.find((each) => isSignedBy(envelope, each))
  if (key === undefined) return { message: `${subject}: signed by an unknown key: ${envelope.signatures[0].keyid}` }
  const entry = valueOfJson(Buffer.from(envelope.payload, 'base64'))
  if (!isEntry(entry) || subject !== PREFIX + entry.act)
    return { message: `${subject}: the signed content is not an entry` }
  return { entry, key: key.id }
}

function isEntry(value: unknown): value is AuditEntry {
  const names = ['about', 'act', 'at', 'author', 'id', 'schema', 'text'] as const
  return hasExactly(value, names) && names.every((name) => typeof value[name] === 'string') && value.schema === SCHEMA
}
