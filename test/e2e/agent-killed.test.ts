import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { readHistory } from '../../src/runs/history/read-history.ts'
import { storeRun } from '../../src/runs/history/store.ts'
import { createLocalTarget } from '../../src/host/live/local-target.ts'
import { type AgentFleet, end, startAgentFleet, wanting } from '../support/agent-fleet.ts'
import type { Running } from '../support/driftgate.ts'
import { needsNats } from '../support/nats-server.ts'
import { runOf } from '../support/run.ts'
import { cases, IS_SOAK } from '../support/soak.ts'

const MINUTE_MS = 60_000

/** Puts runs of this machine into the history of the host, as if it had been away for long. */
async function storeRuns(fleet: AgentFleet, count: number): Promise<void> {
  const { system } = createLocalTarget()
  for (let left = count; left > 0; left--) {
    const startedAt = new Date(Date.now() - left * MINUTE_MS).toISOString()
    const run = { ...runOf().run, id: crypto.randomUUID(), startedAt, finishedAt: startedAt }
    await storeRun(fleet.path('agent/history'), runOf({ run, target: { kind: 'local', ...system } }))
  }
}

/** Waits until the server has so many messages. */
async function sentUpTo(fleet: AgentFleet, count: number): Promise<void> {
  while ((await fleet.messages()) < count) await setTimeout(5)
}

test.skipIf(needsNats)(
  'agent and server are killed at any time, and each run that was stored is there once',
  async () => {
    const fleet = await startAgentFleet()
    await fleet.keepAll()
    await fleet.assign(1, { site: wanting(fleet, 'site', 'absent') })
    const count = cases({ usual: 300, soak: 5000 })
    await storeRuns(fleet, count)

    const rounds = cases({ usual: 16, soak: 40 })
    let agent: Running = fleet.agent()
    for (let round = 0; round < rounds; round++) {
      const sent = await fleet.messages()
      await sentUpTo(
        fleet,
        Math.min(count, sent + 1 + Math.floor((Math.random() * 2 * (count - sent)) / (rounds - round))),
      )
      if (round % 2 === 0) {
        agent.child.kill('SIGKILL')
        await agent.outcome
        agent = fleet.agent()
      } else {
        await fleet.stop()
        await fleet.start()
      }
    }

    await agent.said('connected to the server')
    const stored = async (): Promise<readonly string[]> =>
      (await readHistory(fleet.path('agent/history'))).runs.map(({ runId }) => runId)
    // A scan goes on for a moment whose agent was killed.
    while ((await fleet.heard()).length < (await stored()).length) await setTimeout(50)
    expect((await end(agent)).code).toBe(0)
    const heard = (await fleet.heard()).map(({ runId }) => runId)
    expect(heard.length).toBeGreaterThan(count)
    expect(heard.toSorted()).toEqual((await stored()).toSorted())
  },
  IS_SOAK ? 3_600_000 : undefined,
)
