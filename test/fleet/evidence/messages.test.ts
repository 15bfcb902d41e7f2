import { createPublicKey } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Findings } from '../../../src/fleet/evidence/findings.ts'
import { messageBundle, type MessageBundle } from '../../../src/fleet/evidence/message-bundle.ts'
import { verifyBundle } from '../../../src/fleet/evidence/verify.ts'
import { readAgent } from '../../../src/fleet/nats/connect.ts'
import { hostMessages } from '../../../src/fleet/nats/host-messages.ts'
import { HEADERS, type Message, signatureOf } from '../../../src/fleet/nats/message.ts'
import type { MessageKind } from '../../../src/fleet/nats/names.ts'
import { publicNkey } from '../../../src/fleet/nats/nkey.ts'
import type { Line } from '../../../src/host/nats/line.ts'
import { type Key, makeKey, namedKey } from '../../../src/host/signing/keys.ts'
import { type SendingHost, sendingHost } from '../sending-host.ts'
import { startTestFleet, type TestFleet } from '../support.ts'
import { needsNats } from '../../support/nats-server.ts'

const NONE: ReadonlySet<number> = new Set()

interface Scene {
  readonly fleet: TestFleet
  readonly host: SendingHost
  readonly key: Key
  readonly bundle: (days?: { readonly sinceMs?: number; readonly untilMs?: number }) => Promise<MessageBundle>
}

async function begin(): Promise<Scene> {
  const fleet = await startTestFleet()
  const host = await sendingHost(fleet)
  const line = await fleet.operator()
  return {
    fleet,
    host,
    key: namedKey(createPublicKey(readAgent(fleet.agent).key)),
    bundle: async ({ sinceMs = -Infinity, untilMs = Infinity } = {}) =>
      messageBundle(await hostMessages(line, 'web01'), { host: 'web01', sinceMs, untilMs }),
  }
}

/** Seven messages: whole, beat, changes, beat, whole, changes, beat. */
async function week({ host }: Scene): Promise<void> {
  const drifted = [NONE, NONE, new Set([1]), new Set([1]), new Set([1]), new Set([2]), new Set([2])]
  for (const [at, each] of drifted.entries()) {
    await host.scan([40, 39, 38, 37, 16, 2, 1][at] ?? 0, each)
    await host.send()
  }
}

const kinds = ({ messages }: MessageBundle): readonly MessageKind[] => messages.map(({ kind }) => kind)
const without = (bundle: MessageBundle, ...gone: readonly number[]): MessageBundle => ({
  ...bundle,
  messages: bundle.messages.filter((_, at) => !gone.includes(at)),
})
const told = ({ wrong, unproved }: Findings): object => ({ wrong, unproved })

test.skipIf(needsNats)('messages of a host are proved by its key alone, and every change is detected', async () => {
  const scene = await begin()
  await week(scene)
  const { key, bundle: make } = scene
  const bundle = await make()
  expect(kinds(bundle)).toEqual(['full', 'beat', 'delta', 'beat', 'full', 'delta', 'beat'])
  const verify = (changed: unknown, ...keys: readonly Key[]): Promise<Findings> =>
    verifyBundle(JSON.parse(JSON.stringify(changed)), keys.length === 0 ? [key] : keys)
  const found = await verify(bundle)
  expect(found).toMatchObject({ wrong: [], unproved: [], sent: { first: 1, last: 7, count: 7, runs: 7 } })
  // The order of the messages means nothing.
  expect(told(await verify({ ...bundle, messages: bundle.messages.toReversed() }))).toEqual({ wrong: [], unproved: [] })

  for (const at of [1, 2, 3, 4, 5])
    expect((await verify(without(bundle, at))).wrong).toEqual([`message ${at + 1} is missing`])
  expect((await verify(without(bundle, 2, 3))).wrong).toEqual(['messages 3 to 4 are missing'])
  // Servers keep whole reports for longer than what lies between them.
  const inDays = async (days: number, changed: MessageBundle): Promise<object> =>
    told(await verifyBundle(changed, [key], Date.now() + days * 86_400_000))
  const kept = 'between the whole reports that come first are not in the bundle: servers keep those for 90 days'
  expect(await inDays(91, without(bundle, 1, 2, 3))).toEqual({ wrong: [], unproved: [`3 messages ${kept}`] })
  expect(await inDays(91, without(bundle, 1, 2, 3, 5))).toMatchObject({
    wrong: [],
    unproved: [`4 messages ${kept}`, expect.stringMatching(/^message 7: its unchanged part of/)],
  })
  expect(await inDays(91, without(bundle, 2))).toMatchObject({ wrong: ['message 3 is missing'] })
  expect(await inDays(1, without(bundle, 1, 2, 3))).toEqual({ wrong: ['messages 2 to 4 are missing'], unproved: [] })
  // What is left out at the begin is another bundle, and what builds on it is not proved.
  expect((await verify(without(bundle, 0))).unproved).toEqual([
    expect.stringMatching(/^message 2: its unchanged part of run \S+ is not in the bundle$/),
    expect.stringMatching(/^message 3: its base run \S+ is not in the bundle$/),
  ])

  // One that is altered, in each of its parts.
  const message = bundle.messages[3]
  for (const changed of [
    { ...message, kind: 'delta' },
    { ...message, body: bundle.messages[1]?.body },
    ...Object.values(HEADERS).map((header) => ({
      ...message,
      headers: { ...message?.headers, [header]: bundle.messages[0]?.headers[header] },
    })),
  ]) {
    if (JSON.stringify(changed) === JSON.stringify(message)) continue
    const { wrong } = await verify({ ...bundle, messages: bundle.messages.with(3, changed as never) })
    expect(wrong).toEqual(['message 4 of the bundle: it is not signed by the key of web01', 'message 4 is missing'])
  }
  expect((await verify({ ...bundle, messages: [...bundle.messages, message] })).wrong).toEqual([
    'message 8 of the bundle: it is there twice',
  ])
  expect((await verify({ ...bundle, host: 'db01' })).wrong).toHaveLength(7)
  await expect(verify({ ...bundle, note: 'all fine' })).rejects.toThrow('not an evidence bundle')

  const other = namedKey(createPublicKey(makeKey()))
  expect((await verify(bundle, other)).wrong).toHaveLength(7)
  expect(await verifyBundle(bundle, [])).toMatchObject({
    wrong: [],
    unproved: [expect.stringContaining('no key was named')],
  })
})

test.skipIf(needsNats)('no changed byte of a bundle of messages passes', async () => {
  const scene = await begin()
  await scene.host.scan(2, NONE)
  await scene.host.send()
  await scene.host.scan(1, NONE)
  await scene.host.send()
  const bundle = await scene.bundle({ sinceMs: 0 })
  const text = Buffer.from(JSON.stringify({ ...bundle, messages: bundle.messages.slice(1) }))
  const verify = async (bytes: Buffer): Promise<string> => {
    try {
      return (await verifyBundle(JSON.parse(bytes.toString()), [scene.key])).wrong.join('\n')
    } catch (error) {
      return String(error)
    }
  }
  expect(await verify(text)).toBe('')
  const passed: number[] = []
  for (let at = 0; at < text.length; at++) {
    const changed = Buffer.from(text)
    changed.writeUInt8(changed.readUInt8(at) ^ (1 << (at % 7)), at)
    if ((await verify(changed)) === '') passed.push(at)
  }
  expect(passed).toEqual([])
})

test.skipIf(needsNats)('messages that a server lost, changed or forged are detected', async () => {
  const scene = await begin()
  const { fleet, host, key } = scene
  await host.scan(5, NONE)
  await host.send()
  // A server that says that it has stored a run, and has not.
  const drop: Line['ask'] = () => Promise.resolve('{"seq":9}')
  await host.scan(4, new Set([1]))
  await host.send({ line: { ...host.line, ask: drop } })
  await host.scan(3, new Set([2]))
  await host.send()
  expect((await verifyBundle(await scene.bundle(), [key])).wrong).toEqual(['message 2 is missing'])

  // An attacker in control of the server can store anything there, signed by a key of their own.
  const forger = makeKey()
  const [stored] = await hostMessages(await fleet.operator(), 'web01')
  if (stored === undefined) throw new Error('nothing is stored')
  const { run: runId, schema, sentAt, sha256, link } = stored.headers
  const message: Message = { kind: 'full', host: 'web01', runId, schema, sentAt, sha256, link, body: stored.body }
  const headers = Object.fromEntries(
    Object.entries(HEADERS).map(([name, header]) => [header, stored.headers[name as keyof typeof HEADERS]]),
  )
  const signature = signatureOf(message, forger)
  const forged = { ...headers, [HEADERS.key]: publicNkey(forger), [HEADERS.signature]: signature }
  const operator = await fleet.operator()
  await operator.ask('dg.v1.full.web01', { body: stored.body, headers: forged, timeoutMs: 5000 })
  await operator.ask('dg.v1.full.web01', { body: 'x', headers, timeoutMs: 5000 })
  expect((await verifyBundle(await scene.bundle(), [key])).wrong.toSorted()).toEqual([
    'message 2 is missing',
    `message 3 of the bundle: signed by an unknown key: ${publicNkey(forger)}`,
    'message 4 of the bundle: it is not signed by the key of web01',
  ])
})

test.skipIf(needsNats)('a bundle of some days has what its messages build on', async () => {
  const scene = await begin()
  await week(scene)
  const nowMs = Date.now()
  const HOUR = 3_600_000
  const verified = async (sinceHours: number, untilHours: number): Promise<readonly MessageKind[]> => {
    const bundle = await scene.bundle({ sinceMs: nowMs - sinceHours * HOUR, untilMs: nowMs - untilHours * HOUR })
    expect(told(await verifyBundle(bundle, [scene.key]))).toEqual({ wrong: [], unproved: [] })
    return kinds(bundle)
  }
  expect(await verified(16.5, 0)).toEqual(['full', 'delta', 'beat'])
  expect(await verified(2.5, 1.5)).toEqual(['full', 'delta'])
  // That nothing has changed builds on what has, and that on a whole report.
  expect(await verified(37.5, 36.5)).toEqual(['full', 'beat', 'delta', 'beat'])
  await expect(verified(500, 400)).rejects.toThrow('no message of web01 about a run in this time')
})

test.skipIf(needsNats)('a lost acknowledgement is no gap, a host that forgot what it sent is told', async () => {
  const scene = await begin()
  const { fleet, host, key } = scene
  const verified = async (): Promise<object> => told(await verifyBundle(await scene.bundle(), [key]))
  const unheard: Line['ask'] = async (...asked) => {
    await host.line.ask(...asked)
    throw new Error('timeout')
  }
  for (const hoursAgo of [5, 4]) {
    await host.scan(hoursAgo, new Set([hoursAgo]))
    await expect(host.send({ line: { ...host.line, ask: unheard } })).rejects.toThrow('timeout')
    await host.send()
  }
  expect((await scene.bundle()).messages).toHaveLength(4)
  expect(await verified()).toEqual({ wrong: [], unproved: [] })

  rmSync(join(fleet.agent, 'outbox.json'))
  await host.scan(3, NONE)
  await host.send()
  expect(await verified()).toEqual({
    wrong: [],
    unproved: ['the host restarted at message 1: its last messages before the restart may be missing'],
  })
})

test.skipIf(needsNats)('a host that never sent some of its runs says so', async () => {
  const scene = await begin()
  const { fleet, host, key } = scene
  await host.scan(5, NONE)
  await host.send()
  const outbox = { sent: [], waiting: ['gone'], evidence: [], lost: 2 }
  const before = JSON.parse(readFileSync(join(fleet.agent, 'outbox.json'), 'utf8'))
  writeFileSync(join(fleet.agent, 'outbox.json'), JSON.stringify({ ...before, ...outbox, sent: before.sent }))
  await host.scan(4, NONE)
  await host.send()
  expect(told(await verifyBundle(await scene.bundle(), [key]))).toEqual({
    wrong: [],
    unproved: ['the host reports 3 more runs that it never sent'],
  })
})
