import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readOutbox } from '../../src/fleet/nats/outbox.ts'
import { streamConfig, streamsFor } from '../../src/fleet/nats/streams.ts'
import type { Line } from '../../src/host/nats/line.ts'
import { needsNats, startNats } from '../support/nats-server.ts'
import { sendingHost, viewerOf } from './sending-host.ts'
import { startTestFleet } from './support.ts'

const NONE: ReadonlySet<number> = new Set()
const TIMEOUT_MS = 5000

test.skipIf(needsNats)('an attacker who knows the headers of a message cannot suppress it', async () => {
  const fleet = await startTestFleet()
  const host = await sendingHost(fleet)
  // The window is that of the stream, so any sender can act for another host.
  const other = await fleet.operator()
  let taken = 0
  const overheard: Line = {
    ...host.line,
    async ask(subject, asked) {
      for (const id of Object.values(asked.headers ?? {})) {
        const kind = subject.split('.')[2] ?? ''
        const said = { body: 'first', headers: { 'Nats-Msg-Id': id }, timeoutMs: TIMEOUT_MS }
        expect(JSON.parse(await other.ask(`dg.v1.${kind}.db01`, said))).toHaveProperty('seq')
        taken++
      }
      return host.line.ask(subject, asked)
    },
  }
  const first = await host.scan(3, NONE)
  await host.send({ line: overheard })
  const second = await host.scan(2, new Set([1]))
  const third = await host.scan(1, new Set([1]))
  await host.send({ line: overheard })
  expect(taken).toBeGreaterThan(0)
  const viewer = viewerOf(fleet)
  const { host: seen } = await viewer.look()
  await viewer.close()
  expect(seen?.runs.map(({ runId }) => runId)).toEqual([third, second, first].map(({ run }) => run.id))
})

test.skipIf(needsNats)('a host learns that the server is full, and what is there stays', async () => {
  const fleet = await startTestFleet()
  const host = await sendingHost(fleet)
  await host.scan(50, NONE)
  await host.send()
  const operator = await fleet.operator()
  const [plan] = streamsFor({ bytes: 128 * 1024 * 1024 })
  if (plan === undefined) throw new Error('no stream')
  const resize = async (maxBytes: number): Promise<void> => {
    const body = JSON.stringify(streamConfig({ ...plan, maxBytes }))
    const said = await operator.ask(`$JS.API.STREAM.UPDATE.${plan.name}`, { body, timeoutMs: TIMEOUT_MS })
    expect(JSON.parse(said)).not.toHaveProperty('error')
  }
  const state = async (): Promise<{ readonly bytes: number }> =>
    JSON.parse(await operator.ask(`$JS.API.STREAM.INFO.${plan.name}`, { timeoutMs: TIMEOUT_MS })).state
  const before = await state()
  // Some room, and less than the next report needs.
  await resize(Math.floor(before.bytes * 1.5))
  const run = await host.scan(1, NONE)
  await expect(host.send()).rejects.toThrow('maximum bytes exceeded')
  expect([...readOutbox(fleet.agent).waiting]).toEqual([run.run.id])
  expect(await state()).toEqual(before)
  await resize(plan.maxBytes)
  expect(await host.send()).toMatchObject({ counts: { full: 1 }, waiting: 0 })
})

test.skipIf(needsNats)('a host learns that it may not send any more', async () => {
  const fleet = await startTestFleet()
  const host = await sendingHost(fleet)
  await host.scan(3, NONE)
  await host.send()
  const config = join(fleet.fleet, 'server/nats-server.conf')
  const file = join(fleet.fleet, 'server/hosts.conf')
  const allowed = readFileSync(file, 'utf8')
  writeFileSync(file, allowed.replace('"dg.v1.beat.web01"', '"dg.v1.none.web01"'))
  const run = await host.scan(1, NONE)
  await fleet.server.kill()
  const server = await startNats(config)
  await expect(host.send({ line: await fleet.web01() })).rejects.toThrow(/did not take run/)
  expect([...readOutbox(fleet.agent).waiting]).toEqual([run.run.id])
  writeFileSync(file, allowed)
  await server.kill()
  await startNats(config)
  expect((await host.send({ line: await fleet.web01() })).counts.beat).toBe(1)
})

const NO_ACKNOWLEDGEMENTS = [
  '',
  '{"error":{"code":500,"description":"no space"},"seq":0}',
  '{"stream":"DG_FULL"}',
  '{"stream":"DG_FULL","seq":1,"duplicate":true}',
]

test.skipIf(needsNats)('only an acknowledgement says that the server has a run', async () => {
  const fleet = await startTestFleet()
  const host = await sendingHost(fleet)
  const run = await host.scan(1, NONE)
  for (const answer of NO_ACKNOWLEDGEMENTS) {
    const line = { ...host.line, ask: () => Promise.resolve(answer) }
    await expect(host.send({ line })).rejects.toThrow(/run|JSON/)
    expect([...readOutbox(fleet.agent).waiting]).toEqual([run.run.id])
  }
})
