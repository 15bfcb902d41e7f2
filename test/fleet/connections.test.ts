import { createPublicKey } from 'node:crypto'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { enter, loginOfContext, readAgent } from '../../src/fleet/nats/connect.ts'
import { connectionsOf } from '../../src/fleet/nats/connections.ts'
import { natsSource } from '../../src/fleet/nats/nats-source.ts'
import { seedOf } from '../../src/fleet/nats/nkey.ts'
import { makeKey } from '../../src/host/signing/keys.ts'
import { needsNats } from '../support/nats-server.ts'
import { portFromElsewhere, startTestFleet } from './support.ts'

const MINUTE_MS = 60_000

test.skipIf(needsNats)('a key that is in use from two addresses at once is told, once that is no move', async () => {
  const fleet = await startTestFleet()
  const viewer = loginOfContext(join(fleet.fleet, 'viewer/context.json'))
  const { login, key } = readAgent(fleet.agent)
  const keys = new Map([['web01', createPublicKey(key)]])
  const connections = connectionsOf(viewer, keys)
  if (connections === undefined) throw new Error('nobody may ask for connections')
  onTestFinished(connections.close)
  const now = Date.now()
  await fleet.web01()
  expect(await connections.shared(now + 11 * MINUTE_MS)).toEqual([])

  const thief = await enter({ ...login, url: `tls://127.0.0.1:${await portFromElsewhere(fleet.server.port)}` })
  expect(await connections.shared(now + 2 * MINUTE_MS)).toEqual([])
  expect(await connections.shared(now + 13 * MINUTE_MS)).toEqual([
    {
      place: 'connections of web01',
      reason: 'the key of web01 is in use from 127.0.0.1 and 127.0.0.2 at once',
      storedAtMs: now + 13 * MINUTE_MS,
      hosts: ['web01'],
      isForged: true,
    },
  ])
  await thief.close()
  let minute = 15
  await expect.poll(() => connections.shared(now + minute++ * MINUTE_MS)).toEqual([])
})

test.skipIf(needsNats)('that a server does not tell its connections is told, and what it stores is read', async () => {
  const fleet = await startTestFleet()
  const viewer = loginOfContext(join(fleet.fleet, 'viewer/context.json'))
  // A key that may not ask, and one that is not let in.
  for (const connectionsSeed of [viewer.seed, seedOf(makeKey())]) {
    const source = natsSource({ ...viewer, connectionsSeed }, new Map())
    const listener = { add: () => undefined, still: () => undefined, gone: () => undefined }
    expect(await source.news(listener, 'everywhere')).toEqual([
      {
        place: '$SYS.REQ.SERVER.PING.CONNZ',
        reason: expect.stringMatching(
          /^it is unknown where keys are used: (permissions violation|cannot connect .* authorization violation)/,
        ),
        hosts: [],
      },
    ])
    await source.close()
  }
})
