import { readFileSync, writeFileSync } from 'node:fs'
import { createPublicKey } from 'node:crypto'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { loginOfContext, readAgent } from '../../src/fleet/nats/connect.ts'
import { natsSource } from '../../src/fleet/nats/nats-source.ts'
import { driftFingerprint } from '../../src/model/findings/fingerprint.ts'
import type { PolicyResult, ResourceResult, Run } from '../../src/model/run.ts'
import { readHistory } from '../../src/runs/history/read-history.ts'
import { storeRun } from '../../src/runs/history/store.ts'
import { createLocalTarget } from '../../src/host/live/local-target.ts'
import { runInProcess } from '../support/command-line.ts'
import { needsNats, startNats } from '../support/nats-server.ts'
import { policyResult, runOf } from '../support/run.ts'
import { resultOf, sendingHost, viewerOf } from './sending-host.ts'
import { startTestFleet } from './support.ts'

const NONE: ReadonlySet<number> = new Set()
const MANY = Array.from({ length: 3000 }, (_, at) => resultOf(at, true))

test.skipIf(needsNats)(
  'a run that is larger than the server takes is lost, said and counted, and those behind it go on',
  async () => {
    const fleet = await startTestFleet('128MiB', '64KB')
    const host = await sendingHost(fleet)
    const said: string[] = []
    const say = (text: string): void => void said.push(text)
    await host.scan(5, NONE)
    await host.send({ say })
    await host.scan(4, new Set([1]))
    const large = await host.scan(3, NONE, { policies: [policyResult({ resources: MANY })] })
    await host.scan(2, new Set([2]))
    expect(await host.send({ say })).toEqual({ counts: { full: 0, delta: 2, beat: 0 }, waiting: 0, lost: 1 })
    expect(said).toEqual([
      expect.stringMatching(
        new RegExp(
          `^run ${large.run.id} is lost for the server: its report has \\d{6} bytes .* the server accepts 65536: raise max_payload`,
        ),
      ),
    ])
    await host.scan(1, new Set([2]))
    expect((await host.send({ say })).counts.beat).toBe(1)
    expect(said).toHaveLength(1)
    const viewer = viewerOf(fleet)
    expect(await viewer.look()).toMatchObject({ host: { sender: { spool: 0, lost: 1 } }, unusable: [] })
    await viewer.close()
  },
)

test.skipIf(needsNats)(
  'a report over the limit is sent without its fingerprints, which its reader has all the same',
  async () => {
    const fleet = await startTestFleet('128MiB', '200KB')
    const host = await sendingHost(fleet)
    const { id } = policyResult()
    const identified = (resources: readonly ResourceResult[]): PolicyResult =>
      policyResult({
        resources: resources.map((result) => ({
          ...result,
          drift: result.drift.map((each) => ({ ...each, fingerprint: driftFingerprint(id, result, each) })),
        })),
      })
    const large = identified(MANY)
    expect(gzipSync(JSON.stringify(large), { level: 9 }).length).toBeGreaterThan(200 * 1024)
    await host.scan(2, NONE, { policies: [large] })
    expect(await host.send()).toEqual({ counts: { full: 1, delta: 0, beat: 0 }, waiting: 0, lost: 0 })
    // What differs from it fits it only if its reader knows it as its host does.
    await host.scan(1, NONE, { policies: [identified(MANY.with(0, resultOf(0, false)))] })
    expect((await host.send()).counts.delta).toBe(1)
    const keys = new Map([['web01', createPublicKey(readAgent(fleet.agent).key)]])
    const source = natsSource(loginOfContext(join(fleet.fleet, 'viewer/context.json')), keys)
    const heard: Run[] = []
    const add = (_: unknown, run?: Run): void => void (run && heard.push(run))
    expect(await source.news({ add, still: () => undefined, gone: () => undefined }, 'everywhere')).toEqual([])
    await source.close()
    expect(heard.map(({ policies }) => policies[0]?.resources.map(({ drift }) => drift[0]?.fingerprint))).toEqual(
      [large, identified(MANY.with(0, resultOf(0, false)))].map(({ resources }) =>
        resources.map(({ drift }) => drift[0]?.fingerprint),
      ),
    )
  },
)

test.skipIf(needsNats)('headers count, as the server counts them', async () => {
  const fleet = await startTestFleet()
  const history = join(fleet.directory, 'history')
  await storeRun(
    history,
    runOf({ policies: [policyResult({ resources: MANY })], target: { kind: 'local', ...createLocalTarget().system } }),
  )
  const { directory, runs } = await readHistory(history)
  // What is larger than usual is compressed as far as that goes.
  const report = gunzipSync(readFileSync(join(directory, runs[0]?.file ?? ''))).toString('utf8')
  const size = gzipSync(JSON.stringify(JSON.parse(report)), { level: 9 }).length
  const restart = async (most: number): Promise<() => Promise<void>> => {
    const config = join(fleet.fleet, 'server/nats-server.conf')
    writeFileSync(config, readFileSync(config, 'utf8').replace(/max_payload: .*/, `max_payload: ${most}`))
    return (await startNats(config)).kill
  }
  const send = () => runInProcess('fleet', 'send', '--agent', fleet.agent, '--history', history)
  await fleet.server.kill()
  const kill = await restart(size + 300)
  expect(await send()).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /^driftgate: run \S+ is lost for the server: .*\ndriftgate: sent 0 runs of web01; 1 run before that never reached the server/,
    ),
  })
  expect(await send()).toMatchObject({ code: 0 })
  await kill()
  // With a new outbox no run is lost, and this size is enough.
  writeFileSync(join(fleet.agent, 'outbox.json'), '')
  await restart(size + 800)
  expect(await send()).toMatchObject({ code: 0, stderr: 'driftgate: sent 1 run of web01\n' })
})
