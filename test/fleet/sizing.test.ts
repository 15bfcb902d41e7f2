import { expect, test } from 'vitest'
import { sizeFleet, type SizedFleet } from '../../src/fleet/sizing.ts'
import { runInProcess } from '../support/command-line.ts'
import { needsNats } from '../support/nats-server.ts'
import { RESOURCES, sendingHost } from './sending-host.ts'
import { startTestFleet } from './support.ts'

const GIB = 2 ** 30
const HOUR = 3_600_000
const FLEET: SizedFleet = { hosts: 2_000, intervalMs: HOUR, resources: 300, changes: 5, bytes: 20 * GIB, days: 30 }

test('the defaults carry 2,000 hosts that report each hour for 30 days', () => {
  const { streams, neededBytes, bytesPerHostAndDay } = sizeFleet(FLEET)
  expect(streams.map(({ name }) => name)).toEqual(['DG_FULL', 'DG_STATE', 'DG_BEAT'])
  for (const { name, keptDays } of streams) expect([name, keptDays >= 30]).toEqual([name, true])
  expect(neededBytes).toBeLessThanOrEqual(20 * GIB)
  expect(bytesPerHostAndDay).toBeGreaterThan(30_000)
  expect(bytesPerHostAndDay).toBeLessThan(50_000)
})

test.each([100, 1_000, 10_000])('the computed space for %i hosts is enough, and one GiB less is not', (hosts) => {
  const { neededBytes } = sizeFleet({ ...FLEET, hosts })
  const isEnough = (bytes: number): boolean =>
    sizeFleet({ ...FLEET, hosts, bytes }).streams.every(({ keptDays }) => keptDays >= 30)
  expect(isEnough(neededBytes)).toBe(true)
  if (neededBytes > GIB) expect(isEnough(neededBytes - GIB)).toBe(false)
})

test.skipIf(needsNats)('a real server stores what is estimated, give or take a fifth', async () => {
  const fleet = await startTestFleet()
  const host = await sendingHost(fleet)
  const operator = await fleet.operator()
  // A day of a host that reports every four hours: something differs on two of six runs.
  for (const [at, drifted] of [[], [1], [1], [1, 2], [1, 2], [1, 2]].entries()) {
    await host.scan(22 - at * 4, new Set(drifted))
    await host.send()
  }
  const estimated = sizeFleet({ ...FLEET, intervalMs: 4 * HOUR, resources: RESOURCES, changes: 2 })
  for (const { name, messagesPerHostAndDay, bytesPerHostAndDay } of estimated.streams) {
    const asked = await operator.ask(`$JS.API.STREAM.INFO.${name}`, { body: '', timeoutMs: 5_000 })
    const { state }: { readonly state: { readonly messages: number; readonly bytes: number } } = JSON.parse(asked)
    expect([name, state.messages]).toEqual([name, messagesPerHostAndDay])
    expect(state.bytes / bytesPerHostAndDay).toBeGreaterThan(0.8)
    expect(state.bytes / bytesPerHostAndDay).toBeLessThan(1.2)
  }
})

test('the command says what a fleet takes, and refuses what no fleet has', async () => {
  const { code, stdout } = await runInProcess('fleet', 'size', '--hosts', '2000', '--interval', '1h')
  expect(code).toBe(0)
  expect(stdout).toContain('2,000 hosts')
  expect(stdout).toMatch(/DG_FULL +1 /)
  expect(stdout).toMatch(/^ {13}enough for 30 days: --size \d+GiB is needed$/m)
  expect(stdout).not.toMatch(/NaN|undefined/)
  const json = await runInProcess('fleet', 'size', '--hosts', '100', '--interval', '15m', '--format', 'json')
  expect(JSON.parse(json.stdout)).toMatchObject({ schema: 'driftgate.fleet-size/v1', connections: 100 })
  for (const args of [[], ['--hosts', '0'], ['--hosts', '10', '--interval', 'x'], ['--hosts', '10', '--size', '-1']])
    expect([args, (await runInProcess('fleet', 'size', ...args)).code]).toEqual([args, 1])
})
