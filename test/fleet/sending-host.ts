import { createPublicKey } from 'node:crypto'
import { join } from 'node:path'
import type { ResourceResult, Run } from '../../src/model/run.ts'
import { type FleetHost, takeCensus } from '../../src/fleet/census.ts'
import { loginOfContext, readAgent } from '../../src/fleet/nats/connect.ts'
import { natsSource } from '../../src/fleet/nats/nats-source.ts'
import { readOutbox } from '../../src/fleet/nats/outbox.ts'
import { type Sending, sendRuns, type Sent } from '../../src/fleet/nats/send.ts'
import { createRollup } from '../../src/fleet/rollup.ts'
import type { Source, UnusablePlace } from '../../src/fleet/source.ts'
import { readHistory } from '../../src/runs/history/read-history.ts'
import { storeRun } from '../../src/runs/history/store.ts'
import type { Line } from '../../src/host/nats/line.ts'
import { sha256 } from '../../src/host/signing/digest.ts'
import { policyResult, resourceResult, runOf } from '../support/run.ts'
import type { TestFleet } from './support.ts'

const HOUR = 3_600_000
/** How many resources its policy has. */
export const RESOURCES = 150

/** The host web01 with a history, and its connection. */
export interface SendingHost {
  readonly line: Line
  readonly history: string
  /** Stores a run that began so many hours ago. */
  readonly scan: (hoursAgo: number, drifted: ReadonlySet<number>, change?: Partial<Run>) => Promise<Run>
  readonly send: (more?: Partial<Sending>) => Promise<Sent>
}

export async function sendingHost(fleet: TestFleet): Promise<SendingHost> {
  const history = join(fleet.directory, 'history')
  const line = await fleet.web01()
  const { name: host, key } = readAgent(fleet.agent)
  const nowMs = Date.now()
  return {
    line,
    history,
    async scan(hoursAgo, drifted, change = {}) {
      const id = crypto.randomUUID()
      const startedAt = new Date(nowMs - hoursAgo * HOUR).toISOString()
      const resources = Array.from({ length: RESOURCES }, (_, at) => resultOf(at, drifted.has(at)))
      const run = runOf({ run: { ...runOf().run, id, startedAt }, policies: [policyResult({ resources })], ...change })
      await storeRun(history, run)
      return run
    },
    async send(more = {}) {
      const { directory, runs } = await readHistory(history)
      const outbox = readOutbox(fleet.agent)
      const sender = { version: '1.0.0', bootId: 'the first' }
      const about = {
        host,
        hostname: 'web01',
        key,
        directory,
        runs,
        outbox,
        state: fleet.agent,
        sender,
        say: () => undefined,
      }
      return sendRuns({ line, ...about, ...more })
    },
  }
}

export function resultOf(at: number, isDrifted: boolean): ResourceResult {
  // Unlike names: a report whose results are all alike is hardly larger than what changed.
  const name = `/etc/application/${sha256(Buffer.from(String(at)))}.conf`
  const durationMs = Math.random()
  if (!isDrifted) return resourceResult({ name, durationMs })
  return resourceResult({
    name,
    durationMs,
    verdict: 'drifted',
    change: 'will',
    drift: [{ property: 'mode', desired: '0640', observed: '0666' }],
  })
}

export interface Viewer {
  readonly look: () => Promise<Seen>
  readonly close: () => Promise<void>
}

export interface Seen {
  readonly host: FleetHost | undefined
  readonly unusable: readonly UnusablePlace[]
}

/** Knows nothing before it has looked. */
export function viewerOf(fleet: TestFleet): Viewer {
  const keys = new Map([['web01', createPublicKey(readAgent(fleet.agent).key)]])
  const source: Source = natsSource(loginOfContext(join(fleet.fleet, 'viewer/context.json')), keys)
  const rollup = createRollup()
  return {
    async look() {
      const unusable = await source.news(rollup, 'everywhere')
      const [host] = takeCensus({ rollup, intervalMs: HOUR, nowMs: Date.now(), unusable })
      return { host, unusable }
    },
    close: () => source.close(),
  }
}
