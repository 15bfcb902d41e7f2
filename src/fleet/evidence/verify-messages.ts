import type { KeyObject } from 'node:crypto'
import type { Run } from '../../model/run.ts'
import { readLink } from '../messages/link.ts'
import type { SenderNote } from '../messages/sender.ts'
import { digestOf, HEADERS, type Message } from '../nats/message.ts'
import { MESSAGE_KINDS, messageSubject } from '../nats/names.ts'
import { keyOfNkey, publicNkey } from '../nats/nkey.ts'
import { openMessage, type Read, readMessage } from '../nats/read-message.ts'
import { bytesOf, hasExactly } from '../../host/signing/envelope.ts'
import type { Key } from '../../host/signing/keys.ts'
import { type ChainedMessage, checkChain, inOrder } from './message-chain.ts'
import { type Findings, noBundle, type SentSpan } from './findings.ts'

interface Judgement {
  readonly wrong: string[]
  readonly unproved: string[]
  readonly host: string
  /** By the name used in messages; absent if no keys were given. */
  readonly keys: ReadonlyMap<string, KeyObject> | undefined
}

/** A message with a valid signature. */
interface Proved {
  readonly message: Message
  readonly chained: ChainedMessage
  readonly label: string
}

/**
 * Verifies a bundle of messages: signatures by one of the keys, a chain without gaps, and the presence of all base
 * reports. Nothing in the bundle is trusted. Throws an `OperatorError` if it is not a bundle.
 */
export async function verifyMessages(value: object, keys: readonly Key[], nowMs: number): Promise<Findings> {
  if (!hasExactly(value, ['host', 'messages', 'schema'])) throw noBundle('it has other keys')
  const { host, messages } = value
  if (typeof host !== 'string' || !Array.isArray(messages)) throw noBundle('a key is not a list')
  const named = keys.length === 0 ? undefined : new Map(keys.map(({ key }) => [publicNkey(key), key]))
  const judgement: Judgement = { wrong: [], unproved: [], host, keys: named }
  if (named === undefined)
    judgement.unproved.push('no key was named, so each signature was only compared with the key that its message names')
  const proved = new Map<string, Proved>()
  for (const [index, each] of (messages as unknown[]).entries()) {
    const label = `message ${index + 1} of the bundle`
    const found = prove(each, label, judgement)
    if (found === undefined) continue
    if (proved.has(found.chained.digest)) judgement.wrong.push(`${label}: it is there twice`)
    proved.set(found.chained.digest, found)
  }
  if (proved.size === 0) judgement.unproved.push('no signed message')
  const found = checkChain(
    [...proved.values()].map(({ chained }) => chained),
    nowMs,
  )
  judgement.wrong.push(...found.wrong)
  judgement.unproved.push(...found.unproved)
  const sent = await checkContents([...proved.values()], judgement)
  return { host, wrong: judgement.wrong, unproved: judgement.unproved, ...(sent && { sent }) }
}

const HEADER_NAMES = Object.values(HEADERS).toSorted()

function prove(value: unknown, label: string, { host, keys, wrong }: Judgement): Proved | undefined {
  const refuse = (reason: string): undefined => void wrong.push(`${label}: ${reason}`)
  if (!hasExactly(value, ['body', 'headers', 'kind']) || !hasExactly(value.headers, HEADER_NAMES))
    return refuse('it must contain a kind, headers and a body')
  const kind = MESSAGE_KINDS.find((each) => each === value.kind)
  const body = bytesOf(value.body)
  const header = (name: keyof typeof HEADERS): string => String(texts[HEADERS[name]])
  const texts = value.headers
  if (kind === undefined || body === undefined) return refuse('its kind is unknown, or its body is not base64')
  const name = header('key')
  const key = keys === undefined ? keyOfNkey(name) : keys.get(name)
  if (key === undefined) return refuse(`signed by an unknown key: ${name}`)
  const headers = {
    schema: header('schema'),
    run: header('run'),
    key: name,
    sentAt: header('sentAt'),
    sha256: header('sha256'),
    link: header('link'),
    signature: header('signature'),
  }
  if (bytesOf(headers.signature) === undefined) return refuse('its signature is not base64')
  const opened = openMessage({ subject: messageSubject(kind, host), headers, body }, new Map([[host, key]]))
  if ('reason' in opened) return refuse(opened.reason)
  const { message } = opened
  const link = readLink(message.link)
  if (link === undefined) return refuse('it does not name its predecessor')
  const { runId, sentAt } = message
  return { message, label, chained: { ...link, digest: digestOf(message), kind, runId, sentAt } }
}

/** Checks that messages are readable and their base reports present. */
async function checkContents(proved: readonly Proved[], judgement: Judgement): Promise<SentSpan | undefined> {
  const { wrong, unproved } = judgement
  const states = new Map<string, string>()
  const contents = new Set(proved.filter(({ chained }) => chained.kind !== 'beat').map(({ message }) => message.sha256))
  const baseOf = findBases(proved)
  const started: string[] = []
  const notes: SenderNote[] = []
  for (const { message, chained, label } of proved) {
    const { runId, sha256 } = message
    const what = `message ${chained.sequence}`
    if ((states.get(runId) ?? sha256) !== sha256) wrong.push(`${what}: run ${runId} also occurs with another state`)
    states.set(runId, sha256)
    let missing: string | undefined
    const read = await readMessage(message, label, async (id) => {
      const base = await baseOf(id)
      if (base === undefined) missing = id
      return base
    })
    if (missing !== undefined) unproved.push(`${what}: its base run ${missing} is not in the bundle`)
    else if ('reason' in read) wrong.push(`${what}: ${read.reason}`)
    else {
      started.push(startOf(read))
      if (read.kind !== 'full') notes.push(read.kind === 'beat' ? read.beat.sender : read.sender)
      if (read.kind === 'beat' && !contents.has(sha256))
        unproved.push(`${what}: its unchanged part of run ${read.beat.same.run} is not in the bundle`)
    }
  }
  const isFromFirst = proved.some(({ chained }) => chained.previous === null)
  const lost = lostIn(notes, isFromFirst)
  if (lost > 0) unproved.push(`the host reports ${lost} more runs that it never sent`)
  return spanOf(proved, states.size, started.toSorted())
}

function startOf(read: Read): string {
  return read.kind === 'beat' ? read.beat.run.startedAt : read.run.run.startedAt
}

/** Runs lost before the first message of the bundle do not count. */
function lostIn(notes: readonly SenderNote[], isFromFirst: boolean): number {
  const counts = notes.map(({ lost }) => lost)
  if (counts.length === 0) return 0
  return Math.max(...counts) - (isFromFirst ? 0 : Math.min(...counts))
}

function spanOf(proved: readonly Proved[], runs: number, started: readonly string[]): SentSpan | undefined {
  const sorted = inOrder(proved.map(({ chained }) => chained))
  const [first, last] = [sorted[0], sorted.at(-1)]
  if (first === undefined || last === undefined) return undefined
  const startedAt = [started[0] ?? '', started.at(-1) ?? ''] as const
  const { sequence, digest: head } = last
  return { first: first.sequence, last: sequence, count: proved.length, runs, startedAt, head }
}

/** Caches the last base, since deltas of one base are mostly consecutive. */
function findBases(proved: readonly Proved[]): (runId: string) => Promise<Run | undefined> {
  const fulls = new Map(
    proved.filter(({ chained }) => chained.kind === 'full').map((each) => [each.message.runId, each]),
  )
  let kept: { readonly runId: string; readonly run: Run | undefined } | undefined
  return async (runId) => {
    if (kept?.runId === runId) return kept.run
    const full = fulls.get(runId)
    const read = full && (await readMessage(full.message, full.label, () => Promise.resolve(undefined)))
    kept = { runId, run: read !== undefined && 'run' in read ? read.run : undefined }
    return kept.run
  }
}
