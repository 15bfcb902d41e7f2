import { canonicalJson } from '../../model/canonical-json.ts'
import { defined } from '../../model/defined.ts'
import { OperatorError } from '../../model/operator-error.ts'
import { systemReason } from '../../model/system-reason.ts'
import type { AssignmentInForce, Sender } from '../messages/sender.ts'
import type { Assignment } from '../nats/assignment.ts'
import { bootId } from '../nats/boot-id.ts'
import type { Agent } from '../nats/connect.ts'
import { readOutbox } from '../nats/outbox.ts'
import { sendRuns } from '../nats/send.ts'
import { isStarted } from '../../runs/history/directory.ts'
import type { HistoryEntry } from '../../runs/history/entry.ts'
import { readHistory } from '../../runs/history/read-history.ts'
import type { Line } from '../../host/nats/line.ts'
import { sha256 } from '../../host/signing/digest.ts'
import { createLocalTarget } from '../../host/live/local-target.ts'
import { errorCode } from '../../host/live/system-error.ts'
import type { Exchanged } from './link.ts'

/** Sender, and locations of the runs and the send state. */
export interface Stored {
  readonly agent: Agent
  readonly directory: string
  readonly history: string
  /** driftgate version. */
  readonly version: string
  readonly intervalMs: number
  readonly say: (text: string) => void
  /** Assignment in force; absent without one. */
  readonly assignment?: Assignment
}

/**
 * Old full reports are only evidence: a host that returns with many of them sends this many, then yields the server to
 * others.
 */
const mostEvidence = 20

/** Sends all or some of the queued runs. Throws an `OperatorError`. */
export async function sendStored(line: Line, stored: Stored): Promise<Exchanged> {
  const { agent, directory: state, history } = stored
  if (!isStarted(history)) return 'all'
  const { directory, runs } = await readHistory(history)
  const { name: host, key, nextKey } = agent
  const about = { host, hostname: createLocalTarget().system.hostname, key, ...defined({ nextKey }) }
  const sender = senderOf(stored, runs[0])
  try {
    const outbox = readOutbox(state)
    const found = { directory, runs, outbox, state }
    const { waiting } = await sendRuns({ line, ...about, ...found, sender, mostEvidence, say: stored.say })
    return waiting === 0 ? 'all' : 'more'
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    // A full disk must not end the agent, which continues and retries.
    throw new OperatorError(`cannot read the record of sent runs in ${state}: ${systemReason(error)}`, { cause: error })
  }
}

function senderOf({ version, intervalMs, assignment }: Stored, newest: HistoryEntry | undefined): Sender {
  const dueMs = newest === undefined ? undefined : Date.parse(newest.startedAt) + intervalMs
  const nextDue = dueMs === undefined ? undefined : new Date(dueMs).toISOString()
  return { version, ...defined({ bootId: bootId(), nextDue, assignment: assignment && inForce(assignment) }) }
}

function inForce(assignment: Assignment): AssignmentInForce {
  const { to, version } = assignment
  return { to, version, sha256: sha256(Buffer.from(canonicalJson(assignment))) }
}
