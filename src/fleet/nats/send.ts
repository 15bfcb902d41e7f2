import type { KeyObject } from 'node:crypto'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { HistoryEntry } from '../../runs/history/entry.ts'
import type { Line } from '../../host/nats/line.ts'
import { LARGEST_REPORT_BYTES, parseReport } from '../../report/stored/read-report.ts'
import { readWhole } from '../../host/live/read-whole.ts'
import { errorCode } from '../../host/live/system-error.ts'
import { BEAT_SCHEMA, beatOf, mayBeBeat } from '../messages/beat.ts'
import { DELTA_SCHEMA, deltaOf, type Stated } from '../messages/delta.ts'
import { withoutDerived } from '../messages/derived.ts'
import {
  type Kind,
  kindOfNewest,
  kindOfOlder,
  type Looked,
  type Planned,
  sendingOrder,
  SPOOL_LIMITS,
  tooMany,
} from '../messages/kinds.ts'
import { linkText } from '../messages/link.ts'
import type { Sender } from '../messages/sender.ts'
import { circumstancesOf, stateOf } from '../messages/state.ts'
import type { Message } from './message.ts'
import { LARGEST_MESSAGE_BYTES, type MessageKind } from './names.ts'
import type { Outbox } from './outbox.ts'
import { post } from './post.ts'
import { openSpool, type Spool } from './spool.ts'

export interface Sending {
  readonly line: Line
  /** Enrolled name of the host. */
  readonly host: string
  /** Host name in its reports; reports of other targets are skipped. */
  readonly hostname: string
  readonly key: KeyObject
  /** Next key during a key rotation; absent without one. */
  readonly nextKey?: KeyObject
  readonly directory: string
  /** Newest first. */
  readonly runs: readonly HistoryEntry[]
  readonly outbox: Outbox
  /** Directory of the send state. */
  readonly state: string
  /** Sender information for the messages. */
  readonly sender: Sender
  /** Tells the operator of the host that a run cannot be sent. */
  readonly say: (text: string) => void
  /** True if a reader has requested the newest run as a full report. */
  readonly isFullWanted?: boolean
  /** Maximum number of full reports sent only as evidence in this call; the others stay queued. Default: no limit. */
  readonly mostEvidence?: number
}

/** Result of a send. */
export interface Sent {
  readonly counts: Readonly<Record<MessageKind, number>>
  /** Number of queued runs. */
  readonly waiting: number
  /** Number of runs, since the host joined, that will never be sent. */
  readonly lost: number
}

/**
 * Sends the unacknowledged runs of a history: the newest run, then earlier changes, newest first, then older full
 * reports as evidence. The queue is saved first and each run is recorded after its acknowledgement, so an interrupted
 * sender sends it again and no loss is unnoticed. Throws an `OperatorError` if the server rejects a message.
 */
export async function sendRuns(sending: Sending): Promise<Sent> {
  const spool = openSpool(sending)
  const [newest, ...others] = spool.waiting()
  const { last } = spool.onServer()
  const isNews = newest !== undefined && (last === undefined || newest.startedAt >= last.startedAt)
  if (isNews) await sendNewest(sending, spool, newest)
  await sendOlder(sending, spool, isNews ? others : spool.waiting())
  return spool.outcome()
}

async function sendNewest(sending: Sending, spool: Spool, entry: HistoryEntry): Promise<void> {
  const loaded = await load(sending, entry)
  if (loaded === undefined) return spool.lose([entry])
  const kind = kindOfNewest(loaded, spool.onServer(), sending.isFullWanted === true)
  if (!(await send(sending, spool, { loaded, kind }))) await tellLoss(sending, spool, loaded)
}

async function sendOlder(sending: Sending, spool: Spool, entries: readonly HistoryEntry[]): Promise<void> {
  const planned = await plan(sending, spool, entries)
  const lost = tooMany(planned, SPOOL_LIMITS, Date.now())
  if (lost.size > 0) spool.lose([...lost].map(({ entry }) => entry))
  let evidence = sending.mostEvidence ?? Infinity
  for (const { entry, how } of sendingOrder(planned.filter((each) => !lost.has(each)))) {
    if (how.kind === 'full' && evidence-- <= 0) return
    const loaded = await load(sending, entry)
    if (loaded === undefined) spool.lose([entry])
    else await send(sending, spool, { loaded, kind: how })
  }
}

interface PlannedRun extends Planned {
  readonly entry: HistoryEntry
  readonly how: Kind
}

async function plan(sending: Sending, spool: Spool, entries: readonly HistoryEntry[]): Promise<readonly PlannedRun[]> {
  const onServer = spool.onServer()
  const known = new Map<string, string>(onServer.last === undefined ? [] : [[onServer.last.sha256, onServer.last.run]])
  const planned: PlannedRun[] = []
  for (const entry of entries) {
    const loaded = await load(sending, entry)
    if (loaded === undefined) {
      spool.lose([entry])
      continue
    }
    const how = kindOfOlder(loaded, onServer, known, spool.isEvidence(entry.runId))
    planned.push({ entry, how, kind: how.kind, startedAt: entry.startedAt, sizeBytes: entry.sizeBytes })
  }
  return planned
}

interface Loaded extends Looked, Stated {
  /** Stored bytes of the report. */
  readonly body: Uint8Array
}

/** Undefined if the history cleanup has removed the run. */
async function load({ directory }: Pick<Sending, 'directory'>, entry: HistoryEntry): Promise<Loaded | undefined> {
  const path = join(directory, entry.file)
  let body: Uint8Array
  try {
    body = readWhole(path, LARGEST_REPORT_BYTES)
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
  const run = await parseReport(body, path)
  const state = stateOf(run)
  return {
    runId: entry.runId,
    startedAt: entry.startedAt,
    sha256: state.sha256,
    circumstances: circumstancesOf(run),
    mayBeBeat: mayBeBeat(run),
    isOrdered: run.run.order !== undefined,
    run,
    state,
    body,
  }
}

async function send(
  sending: Sending,
  spool: Spool,
  { loaded, kind }: { readonly loaded: Loaded; readonly kind: Kind },
): Promise<boolean> {
  const message = (await smaller(sending, spool, { loaded, kind })) ?? {
    kind: 'full',
    schema: loaded.run.schema,
    body: await compressRun(loaded),
  }
  const { kind: sentKind } = message
  const link = linkText(spool.linkOf(sentKind))
  const posted = await post(sending, { ...message, runId: loaded.runId, sha256: loaded.sha256, link })
  if (posted.kind === 'stored') {
    spool.settle(loaded, { kind: sentKind, digest: posted.digest })
    return true
  }
  // A run that cannot be sent would block the queue as long as the history keeps it.
  sending.say(posted.why)
  spool.lose([loaded])
  return false
}

/**
 * Reports that the newest run is lost, so that its predecessor on the server is outdated: a heartbeat that refers to
 * itself, which no host holds.
 */
async function tellLoss(sending: Sending, spool: Spool, { run, runId, sha256 }: Loaded): Promise<void> {
  const beat = beatOf(run, { run: runId, sha256 }, spool.noteOf(sending.sender))
  const body = await compress(JSON.stringify(beat))
  const about = {
    kind: 'beat',
    schema: BEAT_SCHEMA,
    body,
    runId,
    sha256,
    link: linkText(spool.linkOf('beat')),
  } as const
  const posted = await post(sending, about)
  if (posted.kind === 'stored') spool.follow({ kind: 'beat', digest: posted.digest })
}

const compress = promisify(gzip)

/** Reduces a body that is too large for the usual subject: without derived fields, and with maximum compression. */
async function compressRun({ run, body }: Pick<Loaded, 'run' | 'body'>): Promise<Uint8Array> {
  if (isWithinLimit('full', body)) return body
  const again = await compress(JSON.stringify(withoutDerived(run)), { level: 9 })
  return again.length < body.length ? again : body
}

/** Maximum size of the headers. */
const HEADER_BYTES = 1024

function isWithinLimit(kind: MessageKind, body: Uint8Array): boolean {
  return body.length + HEADER_BYTES <= LARGEST_MESSAGE_BYTES[kind]
}

/** A delta larger than this part of the full report is not sent. */
const LARGEST_PART = 1 / 4

/** A delta or heartbeat message; undefined if the full report is sent. */
async function smaller(
  sending: Sending,
  spool: Spool,
  { loaded, kind }: { readonly loaded: Loaded; readonly kind: Kind },
): Promise<Pick<Message, 'kind' | 'schema' | 'body'> | undefined> {
  if (kind.kind === 'full') return undefined
  const note = spool.noteOf(sending.sender)
  if (kind.kind === 'beat') {
    const beat = beatOf(loaded.run, { run: kind.same, sha256: loaded.sha256 }, note)
    const body = await compress(JSON.stringify(beat))
    return isWithinLimit('beat', body) ? { kind: 'beat', schema: BEAT_SCHEMA, body } : undefined
  }
  const base = await baseOf(sending, spool)
  const delta = base && deltaOf(base, loaded, note)
  if (delta === undefined) return undefined
  const body = await compress(JSON.stringify(delta))
  return body.length > loaded.body.length * LARGEST_PART || !isWithinLimit('delta', body)
    ? undefined
    : { kind: 'delta', schema: DELTA_SCHEMA, body }
}

async function baseOf(sending: Sending, spool: Spool): Promise<Stated | undefined> {
  const id = spool.onServer().base?.run
  const entry = sending.runs.find(({ runId }) => runId === id)
  if (entry === undefined) return undefined
  return spool.once(entry.runId, () => load(sending, entry))
}
