import { defined } from '../../model/defined.ts'
import type { Run } from '../../model/run.ts'
import type { Line } from '../../host/nats/line.ts'
import { heardRun } from '../heard-run.ts'
import { heardAt } from '../presence.ts'
import type { Listener, Source, UnusablePlace } from '../source.ts'
import type { Login } from './connect.ts'
import { connectionsOf } from './connections.ts'
import { lastingLine } from './lasting-line.ts'
import {
  findAlternatingBoot,
  createLedger,
  type Followed,
  type Ledger,
  rememberBase,
  rememberMisfit,
} from './ledger.ts'
import { sentSubjects } from './names.ts'
import { type Keys, type NotRead, type Opened, openMessage, type Read, readMessage } from './read-message.ts'
import { createShares } from './shares.ts'
import {
  MESSAGE_STREAMS,
  type MessageStream,
  storedInOrder,
  type StoredMessage,
  storedMessage,
  storedMessages,
} from './stored-messages.ts'
import { streamRange } from './stream-messages.ts'
import { digestOf, readSubject } from './message.ts'

/**
 * Reads the messages of hosts from a server. Only messages signed with the host's key count; others are reported as
 * forged. Connects on the first read, and again after a disconnection.
 */
export function natsSource(login: Login, keys: Keys): Source {
  const ledger = createLedger()
  const next: Record<MessageStream, number> = { DG_FULL: 1, DG_LARGE: 1, DG_STATE: 1, DG_BEAT: 1 }
  const bases = createBases(keys)
  const connections = connectionsOf(login, keys)
  const shares = createShares()
  let dropped: readonly string[] = []
  let hint: (() => void) | undefined
  const { open, close } = lastingLine(login, (line) => {
    for (const subject of sentSubjects('*')) line.hear(subject, () => hint?.())
  })

  async function newMessages(line: Line, stream: MessageStream): Promise<AsyncGenerator<StoredMessage>> {
    const { first, last } = await streamRange(line, stream)
    // A server that lost its data numbers messages from the start.
    if (last + 1 < next[stream]) {
      ledger.forgetPlaces()
      bases.clear()
      next[stream] = first
    }
    return storedMessages(line, stream, { first: Math.max(next[stream], first), last })
  }

  async function readNews(
    listener: Listener,
    where: 'everywhere' | 'hinted',
    signal?: AbortSignal,
  ): Promise<readonly UnusablePlace[]> {
    const line = await open()
    // Full reports are opened last: the base of a delta precedes it.
    const streams: AsyncGenerator<StoredMessage>[] = []
    for (const stream of MESSAGE_STREAMS) streams.unshift(await newMessages(line, stream))
    for await (const stored of storedInOrder(streams)) {
      if (signal?.aborted === true) break
      await take(stored, { keys, ledger, listener, baseIn: (followed, runId) => bases.find(line, followed, runId) })
      next[stored.stream] = stored.sequence + 1
    }
    const nowMs = Date.now()
    if (where === 'everywhere') dropped = await shares.dropped(line, nowMs)
    return [...ledger.doubts(nowMs), ...((await connections?.shared(nowMs)) ?? [])]
  }

  return {
    name: login.url,
    news: readNews,
    dropped: () => dropped,
    watch(tell) {
      hint = tell
      return () => {
        hint = undefined
      }
    },
    async close() {
      await close()
      await connections?.close()
    },
  }
}

interface Taking {
  readonly keys: Keys
  readonly ledger: Ledger
  readonly listener: Listener
  readonly baseIn: (followed: Followed, runId: string) => Promise<Run | undefined>
}

async function take(stored: StoredMessage, taking: Taking): Promise<void> {
  const { keys, ledger, baseIn } = taking
  const doubt = ({ reason, isForged, machines }: NotRead): void => {
    const host = readSubject(stored.subject)?.host
    const { place, storedAtMs } = stored
    const hosts = host === undefined ? [] : [host]
    ledger.doubt(host, { place, reason, storedAtMs, hosts, ...defined({ isForged, machines }) })
  }
  const opened = openMessage(stored, keys)
  if ('reason' in opened) return doubt(opened)
  const { host, runId, sha256 } = opened.message
  const followed = ledger.of(host)
  const read = await readMessage(opened.message, stored.place, (base) => baseIn(followed, base))
  if ('reason' in read) return doubt(read)
  const before = ledger.heard(host, runId, sha256)
  if (typeof before === 'object') return doubt({ ...before, isForged: true })
  if (read.kind === 'full') rememberBase(followed, runId, stored)
  // A message was resent without an acknowledgement.
  const digest = digestOf(opened.message)
  if (before === 'again') return followed.chains.repeat({ ...opened.message, digest })
  if (followed.misfits.includes(digest)) return
  // With two machines on one key, the deltas of one of them may never fit; its boot ids still count.
  const twins = twinsOf(read, stored, { opened, followed })
  const misfit = deliverMessage(read, { stored, opened, followed, listener: taking.listener })
  if (misfit === undefined) {
    ledger.note(host, runId, sha256)
    followed.goodAtMs = stored.storedAtMs
  } else {
    doubt(misfit)
    rememberMisfit(followed, digest)
  }
  if (twins !== undefined) doubt({ ...twins, isForged: true })
}

/** Evidence that several machines use the key of the host; undefined without any. */
function twinsOf(
  read: Read,
  { storedAtMs }: StoredMessage,
  { opened, followed }: Pick<MessageContext, 'opened' | 'followed'>,
): Pick<NotRead, 'reason' | 'machines'> | undefined {
  const { host, runId, link } = opened.message
  const bootId = bootOf(read)
  const { summary } = read.kind === 'beat' ? read.beat : read.run
  const digest = digestOf(opened.message)
  const other = findAlternatingBoot(followed, bootId)
  const machines = followed.chains.follow({ link, digest, runId, storedAtMs, summary, ...defined({ bootId }) })
  if (machines !== undefined)
    return {
      reason: `${machines.length === 2 ? 'two' : machines.length} machines use the key of ${host}: each goes on with its own messages`,
      machines,
    }
  if (other === undefined) return undefined
  return { reason: `two machines use the key of ${host}: their starts ${bootId} and ${other} alternate` }
}

function bootOf(read: Read): string | undefined {
  if (read.kind === 'full') return undefined
  return read.kind === 'beat' ? read.beat.sender.bootId : read.sender.bootId
}

interface MessageContext {
  readonly stored: StoredMessage
  readonly opened: Opened
  readonly followed: Followed
  readonly listener: Listener
}

/** Passes a message on; returns the reason if it is not credible. */
function deliverMessage(read: Read, { stored, opened, followed, listener }: MessageContext): NotRead | undefined {
  const { place, storedAtMs } = stored
  const { host, runId, sha256 } = opened.message
  const clockOffMs = storedAtMs - opened.sentAtMs
  const { run } = read.kind === 'beat' ? read.beat : read.run
  const startedAtMs = Date.parse(run.startedAt)
  const atMs = heardAt({ startedAtMs, storedAtMs })
  const isNewest = followed.state === undefined || atMs >= followed.state.atMs
  if (read.kind === 'beat') {
    const { same, policies, sender } = read.beat
    if (same.run === runId) return { reason: 'the report of its newest run was too large for the server and is lost' }
    if (isNewest && followed.state?.sha256 !== sha256)
      return {
        reason: 'its delta refers to a run that never arrived; its next full report resolves this',
      }
    listener.still({ host, runId, startedAtMs, storedAtMs, place, clockOffMs, sender, sameRunId: same.run, policies })
  } else {
    // The key identifies the host; its own name does not matter.
    const about = { host, clockOffMs, ...(read.kind === 'delta' && { sender: read.sender }) }
    listener.add({ ...heardRun(read.run, { place, storedAtMs }), ...about }, read.run)
  }
  if (isNewest) followed.state = { sha256, atMs }
  return undefined
}

/** Number of full reports cached for deltas; others are fetched again. */
const MOST_KEPT = 4

interface Bases {
  readonly find: (line: Line, followed: Followed, runId: string) => Promise<Run | undefined>
  readonly clear: () => void
}

function createBases(keys: Keys): Bases {
  const kept = new Map<string, Run>()
  return {
    async find(line, { bases }, runId) {
      const place = bases.get(runId)
      if (place === undefined) return undefined
      const known = kept.get(runId)
      if (known !== undefined) return known
      const stored = await storedMessage(line, place.stream, place.sequence)
      const opened = stored && openMessage(stored, keys)
      if (stored === undefined || opened === undefined || 'reason' in opened) return undefined
      const read = await readMessage(opened.message, stored.place, () => Promise.resolve(undefined))
      if ('reason' in read || read.kind !== 'full') return undefined
      kept.set(runId, read.run)
      const [oldest] = kept.keys()
      if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest)
      return read.run
    },
    clear: () => kept.clear(),
  }
}
