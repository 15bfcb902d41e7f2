import { createPublicKey } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ResourceResult, Run } from '../../src/core/run.ts'
import { type FleetHost, takeCensus } from '../../src/fleet/census.ts'
import { heardRun } from '../../src/fleet/heard-run.ts'
import { loginOfContext, readAgent } from '../../src/fleet/nats/connect.ts'
import { natsSource } from '../../src/fleet/nats/nats-source.ts'
import { readOutbox } from '../../src/fleet/nats/outbox.ts'
import { type Sending, sendRuns, type Sent } from '../../src/fleet/nats/send.ts'
import { createRollup } from '../../src/fleet/rollup.ts'
import type { Source, UnusablePlace } from '../../src/fleet/source.ts'
import { readHistory } from '../../src/history/read-history.ts'
import { storeRun } from '../../src/history/store.ts'
import type { Line } from '../../src/nats/line.ts'
import { sha256 } from '../../src/signing/digest.ts'
import { needsNats } from '../support/nats-server.ts'
import { policyResult, resourceResult, runOf } from '../support/run.ts'
import { cases } from '../support/soak.ts'
import { numbersFrom } from '../support/numbers.ts'
import { startTestFleet, type TestFleet } from './support.ts'

const HOUR = 3_600_000
const RESOURCES = 150

interface Host {
  readonly line: Line
  readonly history: string
  /** Stores a run that began so many hours ago. */
  readonly scan: (hoursAgo: number, drifted: ReadonlySet<number>, change?: Partial<Run>) => Promise<Run>
  readonly send: (more?: Partial<Sending>) => Promise<Sent>
}

async function hostOf(fleet: TestFleet): Promise<Host> {
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
      const about = { host, hostname: 'web01', key, directory, runs, outbox, state: fleet.agent, sender }
      return sendRuns({ line, ...about, ...more })
    },
  }
}

function resultOf(at: number, isDrifted: boolean): ResourceResult {
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

/** What somebody who looks at the server knows. */
function viewerOf(fleet: TestFleet) {
  const keys = new Map([['web01', createPublicKey(readAgent(fleet.agent).key)]])
  const source: Source = natsSource(loginOfContext(join(fleet.fleet, 'viewer/context.json')), keys)
  const rollup = createRollup()
  return {
    rollup,
    async look(): Promise<{ readonly host: FleetHost | undefined; readonly unusable: readonly UnusablePlace[] }> {
      const unusable = await source.news(rollup, 'everywhere')
      const [host] = takeCensus({ rollup, intervalMs: HOUR, nowMs: Date.now(), unusable })
      return { host, unusable }
    },
    close: () => source.close(),
  }
}

/** What is known of a host whoever looked, without since when and in which run. */
const standing = ({ answer, trouble, findings, policies }: FleetHost): unknown => ({
  answer,
  trouble,
  findings: findings.map(({ name, standing: found }) => [name, found]),
  policies: policies.map(({ id, sha256, evaluatedAtMs, isWhole }) => ({ id, sha256, evaluatedAtMs, isWhole })),
})

test.skipIf(needsNats)(
  'whatever happens to a host and its connection, the server tells what its reports do',
  async () => {
    const fleet = await startTestFleet()
    const host = await hostOf(fleet)
    const viewer = viewerOf(fleet)
    const direct = createRollup()
    const number = numbersFrom(19)
    const random = (below: number): number => Math.floor(number() * below)
    const sums = { full: 0, delta: 0, beat: 0 }
    let drifted = new Set<number>()
    let version = 0
    const count = cases({ usual: 72, soak: 1000 })
    for (let hour = count; hour > 0;) {
      for (let batch = random(5) === 0 ? 1 + random(30) : 1; batch > 0 && hour > 0; batch--, hour--) {
        if (random(3) === 0) drifted = new Set(Array.from({ length: random(4) }, () => random(RESOURCES)))
        if (random(40) === 0) version++
        const resources = Array.from({ length: RESOURCES }, (_, at) => resultOf(at, drifted.has(at)))
        // Now and then somebody scans with a selection.
        const isPartial = random(15) === 0
        const policy = policyResult({
          resources: isPartial ? resources.slice(0, 7) : resources,
          sha256: String(version).padStart(64, '0'),
        })
        const run = await host.scan(hour, drifted, {
          policies: [isPartial ? { ...policy, skipped: RESOURCES - 7 } : policy],
        })
        direct.add(heardRun(run, { place: run.run.id, storedAtMs: Date.now() }))
      }
      const { counts, waiting, lost } = await host.send()
      expect({ waiting, lost }).toEqual({ waiting: 0, lost: 0 })
      for (const kind of ['full', 'delta', 'beat'] as const) sums[kind] += counts[kind]
      const seen = await viewer.look()
      expect(seen.unusable).toEqual([])
      const [expected] = takeCensus({ rollup: direct, intervalMs: HOUR, nowMs: Date.now(), unusable: [] })
      if (expected === undefined || seen.host === undefined) throw new Error('no host')
      expect(standing(seen.host)).toEqual(standing(expected))
    }
    expect(sums.full + sums.delta + sums.beat).toBe(count)
    // Each kind was there, and whole reports were few: those of days, and of changes of the policy.
    expect(Math.min(sums.full, sums.delta, sums.beat)).toBeGreaterThan(0)
    expect(sums.full).toBeLessThan(count / 3)
    await viewer.close()

    // Who begins to look now sees the same.
    const later = viewerOf(fleet)
    const { host: seen, unusable } = await later.look()
    await later.close()
    const [expected] = takeCensus({ rollup: direct, intervalMs: HOUR, nowMs: Date.now(), unusable: [] })
    expect(unusable).toEqual([])
    expect(seen && standing(seen)).toEqual(expected && standing(expected))
  },
)

test.skipIf(needsNats)('who was away sends the newest first, and tells what was lost meanwhile', async () => {
  const fleet = await startTestFleet()
  const host = await hostOf(fleet)
  const none = new Set<number>()
  await host.scan(200, none)
  expect((await host.send()).counts).toEqual({ full: 1, delta: 0, beat: 0 })
  const gone = await host.scan(50, none)
  for (const hours of [40, 3, 2]) await host.scan(hours, new Set([hours]))
  await host.scan(1, none)
  // Before anything is sent, the server goes away, and somebody tidies the history.
  const away = { ...host.line, ask: () => Promise.reject(new Error('away')) }
  await expect(host.send({ line: away })).rejects.toThrow('away')
  expect(readOutbox(fleet.agent).waiting.size).toBe(5)
  const { directory, runs } = await readHistory(host.history)
  const file = runs.find(({ runId }) => runId === gone.run.id)?.file ?? ''
  rmSync(join(directory, file))

  const subjects: string[] = []
  const told = {
    ...host.line,
    ask: (...asked: Parameters<Line['ask']>) => (subjects.push(asked[0]), host.line.ask(...asked)),
  }
  // Those of 50 and of 3 hours ago begin days, so they are evidence: one is lost, the other one waits.
  const first = await host.send({ line: told, mostEvidence: 0 })
  expect(first).toMatchObject({ waiting: 1, lost: 1 })
  expect(subjects.map((subject) => subject.split('.')[2])).toEqual(['full', 'delta', 'delta'])
  expect(await host.send()).toEqual({ counts: { full: 1, delta: 0, beat: 0 }, waiting: 0, lost: 1 })

  await host.scan(0.5, none)
  expect((await host.send()).counts).toEqual({ full: 0, delta: 0, beat: 1 })
  const viewer = viewerOf(fleet)
  const { host: seen } = await viewer.look()
  await viewer.close()
  expect(seen?.sender).toEqual({ version: '1.0.0', bootId: 'the first', spool: 0, lost: 1 })
  expect(seen?.runs).toHaveLength(6)
})
