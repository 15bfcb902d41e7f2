import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createChains, type LinkedMessage } from '../../src/fleet/nats/machines.ts'
import { readOutbox } from '../../src/fleet/nats/outbox.ts'
import { readHistory } from '../../src/runs/history/read-history.ts'
import { needsNats } from '../support/nats-server.ts'
import { type SendingHost, sendingHost, type Viewer, viewerOf } from './sending-host.ts'
import { startTestFleet } from './support.ts'

interface Scene {
  readonly viewer: Viewer
  readonly original: SendingHost
  /** Copies the host as it is then, with its keys, its state and its history; both run on one kernel. */
  readonly copy: (name: string) => Promise<SendingHost>
}

async function begin(): Promise<Scene> {
  const fleet = await startTestFleet()
  const original = await sendingHost(fleet)
  return {
    viewer: viewerOf(fleet),
    original,
    async copy(name) {
      const directory = join(fleet.directory, name)
      const agent = join(directory, 'web01')
      cpSync(fleet.agent, agent, { recursive: true })
      cpSync(join(fleet.directory, 'history'), join(directory, 'history'), { recursive: true })
      const host = await sendingHost({ ...fleet, directory, agent })
      return {
        ...host,
        async send(more = {}) {
          const { directory: history, runs } = await readHistory(host.history)
          return host.send({ directory: history, runs, outbox: readOutbox(agent), state: agent, ...more })
        },
      }
    },
  }
}

const NONE: ReadonlySet<number> = new Set()

test.skipIf(needsNats)(
  'a copy of a host on the same kernel is told, and both are shown with what each found',
  async () => {
    const { viewer, original, copy } = await begin()
    await original.scan(0.9, NONE)
    await original.send()
    const clone = await copy('clone')
    await original.scan(0.8, NONE)
    await original.send()
    await clone.scan(0.7, new Set([1, 2]))
    await clone.send()
    await original.scan(0.6, NONE)
    await original.send()
    const { host } = await viewer.look()
    expect(host).toMatchObject({
      presence: 'forged',
      answer: 'undecided',
      trouble: expect.stringContaining('two machines use the key of web01'),
      machines: [
        { drifted: 0, bootId: 'the first' },
        { drifted: 2, bootId: 'the first' },
      ],
    })
    await viewer.close()
  },
)

test.skipIf(needsNats)('a copy that was made before anything was sent is told, too', async () => {
  const { viewer, original, copy } = await begin()
  await original.scan(0.9, NONE)
  const clone = await copy('clone')
  await original.send()
  await clone.scan(0.8, new Set([1]))
  await clone.send()
  await original.scan(0.7, NONE)
  await original.send()
  expect((await viewer.look()).host).toMatchObject({ presence: 'forged', machines: [{ drifted: 0 }, { drifted: 1 }] })
  await viewer.close()
})

test.skipIf(needsNats)('a host that was set back to a snapshot and goes on alone is one machine', async () => {
  const { viewer, original, copy } = await begin()
  await original.scan(0.9, NONE)
  await original.send()
  const snapshot = await copy('snapshot')
  await original.scan(0.8, NONE)
  await original.send()
  for (const hoursAgo of [0.7, 0.6, 0.5]) {
    await snapshot.scan(hoursAgo, NONE)
    await snapshot.send()
  }
  const { host } = await viewer.look()
  expect(host).toMatchObject({ presence: 'reporting', answer: 'compliant' })
  expect(host?.machines).toBeUndefined()
  await viewer.close()
})

const DIGESTS = 'abcdef'

/** The message at this place of a chain; its digest is a letter, 64 times. */
function message(sequence: number, digest: string, previous?: string): LinkedMessage {
  const link = `${sequence} ${previous === undefined ? '-' : previous.repeat(64)}`
  return { link, digest: digest.repeat(64), runId: digest, storedAtMs: sequence }
}

test('messages of one machine are one chain, also where they are read in another order', () => {
  const sent = Array.from(DIGESTS, (digest, at) => message(at + 1, digest, DIGESTS[at - 1]))
  for (const order of [
    [0, 1, 2, 3, 4, 5],
    [1, 0, 2, 3, 4, 5],
    [0, 3, 1, 2, 4, 5],
    [3, 0, 1, 2, 5, 4],
  ]) {
    const { follow } = createChains()
    expect([order, order.map((at) => sent[at] && follow(sent[at]))]).toEqual([order, order.map(() => undefined)])
  }
})

test('a message whose acknowledgement was lost comes again, and is no second machine', () => {
  const { follow, repeat } = createChains()
  expect(follow(message(1, 'a'))).toBeUndefined()
  expect(follow(message(2, 'b', 'a'))).toBeUndefined()
  repeat({ ...message(2, 'c', 'a'), runId: 'b' })
  expect(follow(message(3, 'd', 'c'))).toBeUndefined()
  expect(follow(message(4, 'e', 'd'))).toBeUndefined()
})

test('three machines are three', () => {
  const { follow } = createChains()
  const sent = [message(1, 'a'), message(2, 'b', 'a'), message(2, 'c', 'a'), message(2, 'd', 'a')]
  expect(sent.map(follow)).toEqual([undefined, undefined, undefined, undefined])
  expect(follow(message(3, 'e', 'b'))?.map(({ runId }) => runId)).toEqual(['e', 'c', 'd'])
})
