import { defined } from '../../model/defined.ts'
import type { HistoryEntry } from '../../runs/history/entry.ts'
import type { Stated } from '../messages/delta.ts'
import { dueEachDay, type Looked, type OnServer } from '../messages/kinds.ts'
import { headAt, linkBehind, type MessageLink } from '../messages/link.ts'
import type { Sender, SenderNote } from '../messages/sender.ts'
import type { MessageKind } from './names.ts'
import { type Outbox, writeOutbox } from './outbox.ts'

/** Send queue of a history and the state of the server; every change is saved at once. */
export interface Spool {
  /** Newest first. */
  readonly waiting: () => readonly HistoryEntry[]
  readonly onServer: () => OnServer
  /** True if a run is sent as a full report because it is the first of a day. */
  readonly isEvidence: (runId: string) => boolean
  /** Sender information for the next message. */
  readonly noteOf: (sender: Sender) => SenderNote
  /** Link of the next message. */
  readonly linkOf: (kind: MessageKind) => MessageLink
  /** Records that the server has the run, as a message of this kind and digest. */
  readonly settle: (looked: Looked, message: { readonly kind: MessageKind; readonly digest: string }) => void
  /** Records that the server has a message without a queued run. */
  readonly follow: (message: { readonly kind: MessageKind; readonly digest: string }) => void
  /** Records runs that will never be sent. */
  readonly lose: (entries: readonly Pick<HistoryEntry, 'runId'>[]) => void
  /** Loads a run, or returns it from the cache if it was the last one loaded. */
  readonly once: (runId: string, load: () => Promise<Stated | undefined>) => Promise<Stated | undefined>
  readonly outcome: () => {
    readonly counts: Readonly<Record<MessageKind, number>>
    readonly waiting: number
    readonly lost: number
  }
}

export interface SpoolInput {
  readonly hostname: string
  /** Newest first. */
  readonly runs: readonly HistoryEntry[]
  readonly outbox: Outbox
  readonly state: string
}

/** Tolerance for a host clock that was ahead: after its correction, new runs would seem older. */
const AHEAD_MS = 5 * 60_000

/** Saves the queue; counts runs that are no longer in the history as lost. Throws the system's error. */
export function openSpool({ hostname, runs, outbox, state }: SpoolInput): Spool {
  const there = new Set(runs.map(({ runId }) => runId))
  const sent = new Set([...outbox.sent].filter((id) => there.has(id)))
  const entries = new Map(
    runs.filter(({ runId, host }) => host === hostname && !sent.has(runId)).map((run) => [run.runId, run]),
  )
  const waiting = new Set(entries.keys())
  let lost = outbox.lost + [...outbox.waiting].filter((id) => !there.has(id)).length
  let onServer = dropFutureRuns(outbox)
  let { head } = outbox
  const evidence = evidenceOf([...entries.values()], outbox, onServer)
  const counts: Record<MessageKind, number> = { full: 0, delta: 0, beat: 0 }
  let loaded: { readonly runId: string; readonly stated: Stated | undefined } | undefined

  function write(): void {
    writeOutbox(state, { ...onServer, sent, waiting, evidence, lost, ...defined({ head }) })
  }

  function markSent(runId: string): void {
    sent.add(runId)
    waiting.delete(runId)
    evidence.delete(runId)
    entries.delete(runId)
  }

  if (waiting.size > 0 || lost !== outbox.lost) write()
  return {
    waiting: () => [...entries.values()],
    onServer: () => onServer,
    isEvidence: (runId) => evidence.has(runId),
    noteOf: (sender) => ({ ...sender, spool: Math.max(0, waiting.size - 1), lost }),
    linkOf: (kind) => linkBehind(head, kind),
    settle(looked, { kind, digest }) {
      markSent(looked.runId)
      counts[kind]++
      head = headAt(head, { ...linkBehind(head, kind), kind, digest })
      onServer = withRun(onServer, looked, kind)
      write()
    },
    follow({ kind, digest }) {
      head = headAt(head, { ...linkBehind(head, kind), kind, digest })
      write()
    },
    lose(gone) {
      for (const { runId } of gone) markSent(runId)
      lost += gone.length
      write()
    },
    async once(runId, load) {
      if (loaded?.runId !== runId) loaded = { runId, stated: await load() }
      return loaded.stated
    },
    outcome: () => ({ counts, waiting: waiting.size, lost }),
  }
}

/** Earlier runs keep their decision: since then the newest run may have been sent ahead of them. */
function evidenceOf(entries: readonly HistoryEntry[], outbox: Outbox, { base }: OnServer): Set<string> {
  const known = entries.filter(({ runId }) => outbox.evidence.has(runId))
  const fresh = entries.filter(({ runId }) => !outbox.waiting.has(runId))
  const [since] = [base, known[0]]
    .filter((run) => run !== undefined)
    .toSorted((a, b) => (a.startedAt < b.startedAt ? 1 : -1))
  return new Set([...known, ...dueEachDay(fresh, since)].map(({ runId }) => runId))
}

/** Drops runs from a clock that was ahead, since no new run would ever be newer. */
function dropFutureRuns({ base, last }: OnServer): OnServer {
  const mostMs = Date.now() + AHEAD_MS
  const isPast = (run: { readonly startedAt: string } | undefined): boolean =>
    run !== undefined && Date.parse(run.startedAt) <= mostMs
  return { ...(base && isPast(base) ? { base } : {}), ...(last && isPast(last) ? { last } : {}) }
}

function withRun({ base, last }: OnServer, looked: Looked, kind: MessageKind): OnServer {
  const { runId: run, startedAt, circumstances, sha256 } = looked
  const isBase = kind === 'full' && (base === undefined || startedAt >= base.startedAt)
  const isLast = last === undefined || startedAt >= last.startedAt
  const newBase = isBase ? { run, startedAt, circumstances } : base
  const newLast = isLast ? { run, startedAt, sha256 } : last
  return { ...(newBase && { base: newBase }), ...(newLast && { last: newLast }) }
}
