import { randomUUID, type KeyObject } from 'node:crypto'
import { join } from 'node:path'
import type { Line } from '../../nats/line.ts'
import { OperatorError } from '../../core/operator-error.ts'
import type { HistoryEntry } from '../../history/entry.ts'
import { LARGEST_REPORT_BYTES } from '../../stored/read-report.ts'
import { readWhole } from '../../target/local/read-whole.ts'
import { HEADERS, type Message, signatureOf } from './message.ts'
import { messageSubject } from './names.ts'
import { type Outbox, writeOutbox } from './outbox.ts'

/** How long the server has for an acknowledgement, in milliseconds. */
const ACKNOWLEDGED_MS = 10_000

/** What is sent, and by whom. */
export interface Sending {
  readonly line: Line
  /** The name that it was enrolled by. */
  readonly host: string
  /** What it calls itself in its reports: those of other targets are not about it. */
  readonly hostname: string
  readonly key: KeyObject
  readonly directory: string
  /** Newest first. */
  readonly runs: readonly HistoryEntry[]
  readonly outbox: Outbox
  /** Where what was sent is written down. */
  readonly state: string
}

/**
 * Sends the runs of a history that were not acknowledged, the newest first, and gives how many those were. Each is written down before
 * it is sent and once more when the server has it, so that whoever is killed sends it again and nothing is lost. Throws an
 * `OperatorError` where the server does not take one.
 */
export async function sendRuns(sending: Sending): Promise<number> {
  const { runs, state } = sending
  const there = new Set(runs.map(({ runId }) => runId))
  const sent = new Set([...sending.outbox.sent].filter((id) => there.has(id)))
  const tried = new Map([...sending.outbox.tried].filter(([id]) => there.has(id)))
  const waiting = runs.filter(({ runId, host }) => !sent.has(runId) && host === sending.hostname)
  let count = 0
  for (const run of waiting) {
    const isFirst = !tried.has(run.runId)
    // Nobody can guess it, so nobody can have the server take this message for one that it has.
    const id = tried.get(run.runId) ?? randomUUID()
    tried.set(run.runId, id)
    writeOutbox(state, { sent, tried })
    const { isDuplicate } = await sendRun(sending, run, id)
    if (isDuplicate && isFirst)
      throw new OperatorError(
        `the server says that it has run ${run.runId} already, which was never sent: somebody knows ids that only this host has`,
      )
    tried.delete(run.runId)
    sent.add(run.runId)
    writeOutbox(state, { sent, tried })
    count += 1
  }
  return count
}

async function sendRun(
  { line, host, key, directory }: Sending,
  { file, runId }: HistoryEntry,
  id: string,
): Promise<{ readonly isDuplicate: boolean }> {
  const body = readWhole(join(directory, file), LARGEST_REPORT_BYTES)
  const message: Message = { kind: 'full', host, runId, body }
  const most = line.largestBytes
  if (body.length > most)
    throw new OperatorError(
      `the report of run ${runId} has ${body.length} bytes, and the server takes ${most}: raise max_payload of the server, or scan ` +
        'with fewer policies at once',
    )
  const headers = { [HEADERS.id]: id, [HEADERS.run]: runId, [HEADERS.signature]: signatureOf(message, key) }
  const said = { body, headers, timeoutMs: ACKNOWLEDGED_MS }
  const answer = await line.ask(messageSubject('full', host), said).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error)
    throw new OperatorError(`the server did not take run ${runId}: ${reason}`, { cause: error })
  })
  const read: Acknowledgement = JSON.parse(answer)
  // What was refused has a number, too: 0.
  if (read.error === undefined && typeof read.seq === 'number') return { isDuplicate: read.duplicate === true }
  throw new OperatorError(`the server did not store run ${runId}: ${read.error?.description ?? 'no reason given'}`)
}

interface Acknowledgement {
  readonly seq?: number
  readonly duplicate?: boolean
  readonly error?: { readonly description?: string }
}
