import { defined } from '../../model/defined.ts'
import type { HistoryEntry } from '../../runs/history/entry.ts'
import type { Stated } from '../messages/delta.ts'
import { dueEachDay, type Looked, type OnServer } from '../messages/kinds.ts'
import { headAt, linkBehind, type MessageLink } from '../messages/link.ts'
import type { Sender, SenderNote } from '../messages/sender.ts'
import type { MessageKind } from './names.ts'
import { type Outbox, writeOutbox } from './outbox.ts'

/** What waits in a history, and what the server has of it; every change is written down at once. */
export interface Spool {
  /** Newest first. */
  readonly waiting: () => readonly HistoryEntry[]
  readonly onServer: () => OnServer
  /** Whether a run is to be sent whole, since a day begins with it. */
  readonly isEvidence: (runId: string) => boolean
  /** What the sender says of itself with the next run. */
  readonly noteOf: (sender: Sender) => SenderNote
  /** Where the next message stands among those of this host. */
  readonly linkOf: (kind: MessageKind) => MessageLink
  /** The server has the run, as a message of this kind and digest. */
  readonly settle: (looked: Looked, message: { readonly kind: MessageKind; readonly digest: string }) => void
  /** The server has a message that stands for no run that waits. */
  readonly follow: (message: { readonly kind: MessageKind; readonly digest: string }) => void
  /** The server will never have these. */
  readonly lose: (entries: readonly Pick<HistoryEntry, 'runId'>[]) => void
  /** What was loaded as this run the last time, or is now. */
  readonly once: (runId: string, load: () => Promise<Stated | undefined>) => Promise<Stated | undefined>
  readonly outcome: () => {
    readonly counts: Readonly<Record<MessageKind, number>>
    readonly waiting: number
    readonly lost: number
  }
}

/** What a spool is made of. */
export interface SpoolInput {
  readonly hostname: string
  /** Newest first. */
  readonly runs: readonly HistoryEntry[]
  readonly outbox: Outbox
  readonly state: string
}

/** A clock that is set right may have been ahead; what comes then is not older than what was. */
const AHEAD_MS = 5 * 60_000

/** Writes down what waits, and counts as lost what waited before and is there no longer. Throws the system's error. */
export function openSpool({ hostname, runs, outbox, state }: SpoolInput): Spool {
  const there = new Set(runs.map(({ runId }) => runId))
  const sent = new Set([...outbox.sent].filter((id) => there.has(id)))
  const entries = new Map(
    runs.filter(({ runId, host }) => host === hostname && !sent.has(runId)).map((run) => [run.runId, run]),
  )
  const waiting = new Set(entries.keys())
  let lost = outbox.lost + [...outbox.waiting].filter((id) => !there.has(id)).length
  let onServer = believable(outbox)
  let { head } = outbox
  const evidence = evidenceOf([...entries.values()], outbox, onServer)
  const counts: Record<MessageKind, number> = { full: 0, delta: 0, beat: 0 }
  let loaded: { readonly runId: string; readonly stated: Stated | undefined } | undefined

  function write(): void {
    writeOutbox(state, { ...onServer, sent, waiting, evidence, lost, ...defined({ head }) })
  }

  function done(runId: string): void {
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
      done(looked.runId)
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
      for (const { runId } of gone) done(runId)
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

/** What was waiting before was looked at before: since then the newest run may have gone to the server ahead of it. */
function evidenceOf(entries: readonly HistoryEntry[], outbox: Outbox, { base }: OnServer): Set<string> {
  const known = entries.filter(({ runId }) => outbox.evidence.has(runId))
  const fresh = entries.filter(({ runId }) => !outbox.waiting.has(runId))
  const [since] = [base, known[0]]
    .filter((run) => run !== undefined)
    .toSorted((a, b) => (a.startedAt < b.startedAt ? 1 : -1))
  return new Set([...known, ...dueEachDay(fresh, since)].map(({ runId }) => runId))
}

/** Without what was made by a clock that was ahead: nothing that comes would ever be newer. */
function believable({ base, last }: OnServer): OnServer {
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
