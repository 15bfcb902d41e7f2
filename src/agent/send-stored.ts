import type { Agent } from '../fleet/nats/connect.ts'
import { readOutbox } from '../fleet/nats/outbox.ts'
import { sendRuns } from '../fleet/nats/send.ts'
import { isStarted } from '../history/directory.ts'
import { readHistory } from '../history/read-history.ts'
import type { Line } from '../nats/line.ts'
import { createLocalTarget } from '../target/local/local-target.ts'

/** Who sends, and where the runs and what is known of them lie. */
export interface Stored {
  readonly agent: Agent
  readonly directory: string
  readonly history: string
}

/** Sends what the server does not have. Throws an `OperatorError`. */
export async function sendStored(line: Line, { agent, directory: state, history }: Stored): Promise<void> {
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
  })
}
