import { join } from 'node:path'
import process from 'node:process'
import { setTimeout } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { enter, readAgent } from '../../src/fleet/nats/connect.ts'
import { LARGEST_MESSAGE_BYTES } from '../../src/fleet/nats/names.ts'
import { sendAgain } from '../../src/fleet/nats/sent-log.ts'
import { findCrowdedStreams, streamsFor } from '../../src/fleet/nats/streams.ts'
import { storeRun } from '../../src/runs/history/store.ts'
import type { Line } from '../../src/host/nats/line.ts'
import { createLocalTarget } from '../../src/host/live/local-target.ts'
import { runInProcess } from '../support/command-line.ts'
import { needsNats } from '../support/nats-server.ts'
import { policyResult, runOf } from '../support/run.ts'
import { resultOf, sendingHost, viewerOf } from './sending-host.ts'
import { startTestFleet, succeed, type TestFleet } from './support.ts'

/** Enrols a second host, and gives its directory once the server lets it in. */
async function web02(fleet: TestFleet): Promise<string> {
  const agent = join(fleet.directory, 'web02')
  const invitation = await succeed('fleet', 'enrol', 'web02', '--fleet', fleet.fleet)
  await succeed('fleet', 'accept', await succeed('fleet', 'join', invitation, '--agent', agent), '--fleet', fleet.fleet)
  process.kill(fleet.server.pid, 'SIGHUP')
  for (;;) {
    const line = await enter(readAgent(agent).login).catch(() => undefined)
    await line?.close()
    if (line !== undefined) return agent
    await setTimeout(50)
  }
}

async function ask(line: Line, subject: string, bytes: number): Promise<Refusal | undefined> {
  const body = Buffer.alloc(bytes)
  const said: { readonly error?: Refusal } = JSON.parse(await line.ask(subject, { body, timeoutMs: 20_000 }))
  return said.error
}

interface Refusal {
  readonly err_code: number
  readonly description: string
}

/** As large as they may be, with headers of a client. */
const FLOODS: readonly (readonly [string, number])[] = [
  ['full', LARGEST_MESSAGE_BYTES.full - 200],
  ['large', 1_000_000],
  ['delta', LARGEST_MESSAGE_BYTES.delta - 200],
  ['beat', LARGEST_MESSAGE_BYTES.beat - 200],
  ['answer', 16_000],
]

test.skipIf(needsNats)(
  'a host that sends as much as it can harms no other one, and is named',
  async () => {
    const fleet = await startTestFleet('256MiB')
    const agent = await web02(fleet)
    const line = await fleet.web01()
    for (const [kind, bytes] of FLOODS)
      for (let sent = 0; sent < 150; sent += 10) {
        const asked = Array.from({ length: 10 }, () => ask(line, `dg.v1.${kind}.web01`, bytes))
        expect(await Promise.all(asked)).toEqual(Array.from({ length: 10 }, () => undefined))
      }
    const history = join(fleet.directory, 'of web02')
    const startedAt = new Date().toISOString()
    await storeRun(
      history,
      runOf({ run: { ...runOf().run, startedAt }, target: { kind: 'local', ...createLocalTarget().system } }),
    )
    expect(await runInProcess('fleet', 'send', '--agent', agent, '--history', history)).toMatchObject({ code: 0 })
    const view = [
      '--context',
      join(fleet.fleet, 'viewer/context.json'),
      '--roster',
      join(fleet.fleet, 'operator/roster.yaml'),
    ]
    const { stdout } = await runInProcess('fleet', 'hosts', ...view, '--format', 'json')
    expect(JSON.parse(stdout).hosts).toMatchObject([
      { name: 'web01', answer: 'undecided' },
      { name: 'web02', answer: 'compliant' },
    ])
    const status = await runInProcess('fleet', 'status', ...view)
    expect(status.stdout).toMatch(
      /^ {2}web01 has filled its share of DG_LARGE \(1 messages\): the server has dropped what/m,
    )
    expect(status.stdout).not.toContain('web02 has filled')
  },
  120_000,
)

test.skipIf(needsNats)('a message that is larger than its subject takes is refused, not stored', async () => {
  const fleet = await startTestFleet()
  const line = await fleet.web01()
  for (const kind of ['full', 'delta', 'beat'] as const)
    expect(await ask(line, `dg.v1.${kind}.web01`, LARGEST_MESSAGE_BYTES[kind] + 1)).toMatchObject({ err_code: 10_054 })
})

test.skipIf(needsNats)('a report above the usual size goes under a subject of its own, and counts', async () => {
  const fleet = await startTestFleet()
  const host = await sendingHost(fleet)
  const many = Array.from({ length: 4000 }, (_, at) => resultOf(at, true))
  const run = await host.scan(0, new Set(), { policies: [policyResult({ resources: many })] })
  expect(await host.send()).toMatchObject({ counts: { full: 1 }, lost: 0 })
  const operator = await fleet.operator()
  const stored = await operator.ask('$JS.API.STREAM.MSG.GET.DG_LARGE', {
    body: JSON.stringify({ last_by_subj: 'dg.v1.large.web01' }),
    timeoutMs: 5000,
  })
  expect(JSON.parse(stored)).toHaveProperty('message.subject', 'dg.v1.large.web01')
  const viewer = viewerOf(fleet)
  onTestFinished(() => viewer.close())
  expect(await viewer.look()).toMatchObject({
    host: { answer: 'drifted', runs: [{ runId: run.run.id }] },
    unusable: [],
  })
})

test.skipIf(needsNats)(
  'a host whose newest report the server does not take is unknown, compliant before or not',
  async () => {
    const fleet = await startTestFleet('128MiB', '64KB')
    const host = await sendingHost(fleet)
    const viewer = viewerOf(fleet)
    onTestFinished(() => viewer.close())
    await host.scan(1, new Set())
    await host.send()
    expect(await viewer.look()).toMatchObject({ host: { answer: 'compliant' } })
    const many = Array.from({ length: 3000 }, (_, at) => resultOf(at, true))
    await host.scan(0, new Set(), { policies: [policyResult({ resources: many })] })
    expect(await host.send()).toMatchObject({ lost: 1, waiting: 0 })
    expect(await viewer.look()).toMatchObject({
      host: { answer: 'undecided', trouble: expect.stringContaining('was too large for the server and is lost') },
    })
    await host.scan(-0.01, new Set())
    await host.send()
    expect(await viewer.look()).toMatchObject({ host: { answer: 'compliant' }, unusable: [] })
    // All of it comes again where the server was restored, and another viewer reads both.
    await sendAgain(host.line, readAgent(fleet.agent), fleet.agent, 0)
    await host.scan(-0.02, new Set())
    await host.send()
    const other = viewerOf(fleet)
    onTestFinished(() => other.close())
    for (const each of [viewer, other])
      expect(await each.look()).toMatchObject({ host: { answer: 'compliant' }, unusable: [] })
  },
)

test('the shares of all hosts together fit into the room of a server', () => {
  const GIB = 1024 ** 3
  for (const hosts of [1, 100, 2000, 10_000]) {
    const plans = streamsFor({ bytes: (hosts <= 2000 ? 20 : 100) * GIB, hosts })
    expect({ hosts, crowded: findCrowdedStreams(plans, hosts) }).toEqual({ hosts, crowded: [] })
    expect(plans.reduce((sum, { maxBytes }) => sum + maxBytes, 0)).toBeLessThanOrEqual(100 * GIB)
  }
  // What 2,000 hosts send in 30 days: a whole report each day, a beat each hour but for five deltas a day.
  const named = Object.fromEntries(
    streamsFor({ bytes: 20 * GIB, hosts: 2000 }).map((plan) => [plan.name, plan.perSubject]),
  )
  expect(named).toMatchObject({ DG_FULL: 30 })
  expect(findCrowdedStreams(streamsFor({ bytes: GIB, hosts: 10_000 }), 10_000)).toContain('DG_FULL')
})
