import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type FleetHost, takeCensus } from '../../src/fleet/census.ts'
import { hostForPrograms } from '../../src/fleet/for-programs.ts'
import { heardRun } from '../../src/fleet/heard-run.ts'
import { readOutbox } from '../../src/fleet/nats/outbox.ts'
import { createRollup } from '../../src/fleet/rollup.ts'
import { readHistory } from '../../src/runs/history/read-history.ts'
import type { Line } from '../../src/host/nats/line.ts'
import { needsNats } from '../support/nats-server.ts'
import { numbersFrom } from '../support/numbers.ts'
import { policyResult } from '../support/run.ts'
import { cases } from '../support/soak.ts'
import { RESOURCES, resultOf, sendingHost, viewerOf } from './sending-host.ts'
import { startTestFleet } from './support.ts'

const HOUR = 3_600_000

/** The state of a host as every viewer sees it, without times and run ids. */
const standing = ({ answer, trouble, findings, policies }: FleetHost): unknown => ({
  answer,
  trouble,
  findings: findings.map(({ name, standing: found }) => [name, found]),
  policies: policies.map(({ id, sha256, evaluatedAtMs, isWhole }) => ({ id, sha256, evaluatedAtMs, isWhole })),
})

test.skipIf(needsNats)(
  'the server shows the state that the reports have, after any outage of host or connection',
  async () => {
    const fleet = await startTestFleet()
    const host = await sendingHost(fleet)
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
        // Now and then a scan has a selection.
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

test.skipIf(needsNats)('after an outage a host sends the newest run first, and reports the lost ones', async () => {
  const fleet = await startTestFleet()
  const host = await sendingHost(fleet)
  const none = new Set<number>()
  await host.scan(200, none)
  expect((await host.send()).counts).toEqual({ full: 1, delta: 0, beat: 0 })
  const gone = await host.scan(50, none)
  for (const hours of [40, 3, 2]) await host.scan(hours, new Set([hours]))
  await host.scan(1, none)
  // Before anything is sent, the server goes away, and a run is removed from the history.
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
  expect(seen?.sender).toEqual({
    version: '1.0.0',
    bootId: 'the first',
    spool: 0,
    lost: 1,
    saidAtMs: expect.any(Number),
  })
  expect(seen?.runs).toHaveLength(6)
  expect(seen && hostForPrograms(seen)).toMatchObject({ sender: { spool: 0, lost: 1 } })
})
