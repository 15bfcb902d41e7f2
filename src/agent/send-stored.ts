import { canonicalJson } from '../core/canonical-json.ts'
import { defined } from '../core/defined.ts'
import type { AssignmentInForce, Sender } from '../fleet/messages/sender.ts'
import type { Assignment } from '../fleet/nats/assignment.ts'
import { bootId } from '../fleet/nats/boot-id.ts'
import type { Agent } from '../fleet/nats/connect.ts'
import { readOutbox } from '../fleet/nats/outbox.ts'
import { sendRuns } from '../fleet/nats/send.ts'
import { isStarted } from '../history/directory.ts'
import type { HistoryEntry } from '../history/entry.ts'
import { readHistory } from '../history/read-history.ts'
import type { Line } from '../nats/line.ts'
import { sha256 } from '../signing/digest.ts'
import { createLocalTarget } from '../target/local/local-target.ts'

/** Who sends, and where the runs and what is known of them lie. */
export interface Stored {
  readonly agent: Agent
  readonly directory: string
  readonly history: string
  /** The version of driftgate. */
  readonly version: string
  readonly intervalMs: number
  /** What it goes by; absent where nothing is assigned to it. */
  readonly assignment?: Assignment
}

/** Sends what the server does not have. Throws an `OperatorError`. */
export async function sendStored(line: Line, stored: Stored): Promise<void> {
  const { agent, directory: state, history } = stored
  if (!isStarted(history)) return
  const { directory, runs } = await readHistory(history)
  const { hostname } = createLocalTarget().system
  await sendRuns({
    line,
    host: agent.name,
    hostname,
    key: agent.key,
    directory,
    runs,
    outbox: readOutbox(state),
    state,
    sender: senderOf(stored, runs[0]),
  })
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
