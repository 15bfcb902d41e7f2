import { gunzipSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { readAgent } from '../../src/fleet/nats/connect.ts'
import { HEADERS, type Message, signatureOf } from '../../src/fleet/nats/message.ts'
import { messageSubject } from '../../src/fleet/nats/names.ts'
import type { Line } from '../../src/host/nats/line.ts'
import { needsNats } from '../support/nats-server.ts'
import { type SendingHost, sendingHost, type Viewer, viewerOf } from './sending-host.ts'
import { startTestFleet, type TestFleet } from './support.ts'

const NONE: ReadonlySet<number> = new Set()

interface Scene {
  readonly fleet: TestFleet
  readonly host: SendingHost
  readonly viewer: Viewer
  /** Sends the newest run as the host does, but with another message, signed unless it says how. */
  readonly sendChanged: (
    change: (message: Message) => Partial<Message> & { readonly signature?: string },
  ) => Promise<void>
}

async function begin(): Promise<Scene> {
  const fleet = await startTestFleet()
  const host = await sendingHost(fleet)
  const { name, key } = readAgent(fleet.agent)
  await host.scan(3, NONE)
  await host.send()
  const sendChanged: Scene['sendChanged'] = async (change) => {
    const ask: Line['ask'] = (subject, asked) => {
      const headers = asked.headers ?? {}
      const [kind = 'full'] = (['full', 'delta', 'beat'] as const).filter((each) => subject.includes(`.${each}.`))
      const message: Message = {
        kind,
        host: name,
        runId: headers[HEADERS.run] ?? '',
        schema: headers[HEADERS.schema] ?? '',
        sentAt: headers[HEADERS.sentAt] ?? '',
        sha256: headers[HEADERS.sha256] ?? '',
        link: headers[HEADERS.link] ?? '',
        body: Buffer.from(asked.body ?? ''),
      }
      const { signature, ...changes } = change(message)
      const changed = { ...message, ...changes }
      const changedHeaders = {
        ...headers,
        [HEADERS.run]: changed.runId,
        [HEADERS.schema]: changed.schema,
        [HEADERS.sentAt]: changed.sentAt,
        [HEADERS.sha256]: changed.sha256,
        [HEADERS.signature]: signature ?? signatureOf(changed, key),
      }
      return host.line.ask(messageSubject(changed.kind, name), {
        ...asked,
        body: changed.body,
        headers: changedHeaders,
      })
    }
    await host.send({ line: { ...host.line, ask } })
  }
  return { fleet, host, viewer: viewerOf(fleet), sendChanged }
}

function withBody(
  { body }: Message,
  change: (value: Record<string, unknown>) => object,
): { readonly body: Uint8Array } {
  return { body: gzipSync(JSON.stringify(change(JSON.parse(gunzipSync(body).toString('utf8'))))) }
}

const OTHER = 'f'.repeat(64)

test.skipIf(needsNats)(
  'an inconsistent message is reported, and its host is undecided until it reports again',
  async () => {
    const { host, viewer, sendChanged } = await begin()
    const changes: readonly (readonly [Parameters<Scene['sendChanged']>[0], string, ReadonlySet<number>])[] = [
      [
        (message) => withBody(message, (delta) => ({ ...delta, base: 'none' })),
        'run none, which it is based on',
        new Set([1]),
      ],
      [(message) => withBody(message, (delta) => ({ ...delta, policies: [] })), 'it does not fit run', new Set([2])],
      [
        (message) => ({ ...withBody(message, (delta) => ({ ...delta, sha256: OTHER })), sha256: OTHER }),
        'it does not fit run',
        new Set([3]),
      ],
      [() => ({ sha256: OTHER }), 'its signed state differs from its content', new Set([4])],
      [(message) => withBody(message, (delta) => ({ ...delta, sender: 1 })), 'it is not a valid delta', new Set([5])],
      [(message) => ({ schema: `${message.schema}0` }), 'is not that of a delta', new Set([6])],
      [() => ({ sentAt: 'today' }), 'has no time or state', new Set([7])],
      [() => ({ runId: 'another' }), 'it is signed as run another but contains run', new Set([8])],
      [() => ({ body: Buffer.from('x') }), 'not JSON', new Set([9])],
    ]
    let hoursAgo = 0.9
    for (const [change, reason, drifted] of changes) {
      await host.scan((hoursAgo -= 0.05), drifted)
      await sendChanged(change)
      const { host: seen, unusable } = await viewer.look()
      expect(unusable).toMatchObject([{ reason: expect.stringContaining(reason), hosts: ['web01'] }])
      expect(seen).toMatchObject({ answer: 'undecided', trouble: expect.stringContaining(reason) })
      await host.scan((hoursAgo -= 0.01), drifted)
      await host.send({ isFullWanted: true })
      expect(await viewer.look()).toMatchObject({ host: { answer: 'drifted', presence: 'reporting' }, unusable: [] })
    }
    await viewer.close()
  },
)

test.skipIf(needsNats)('that nothing has changed is believed only since what came', async () => {
  const { host, viewer, sendChanged } = await begin()
  await host.scan(0.5, NONE)
  await sendChanged((message) => ({
    ...withBody(message, (beat) => ({ ...beat, same: { run: 'r', sha256: OTHER } })),
    sha256: OTHER,
  }))
  const { host: seen } = await viewer.look()
  expect(seen).toMatchObject({ answer: 'undecided', trouble: expect.stringContaining('never arrived') })
  await host.scan(0.4, NONE)
  await host.send()
  expect(await viewer.look()).toMatchObject({ host: { answer: 'compliant', presence: 'reporting' }, unusable: [] })
  await viewer.close()
})

test.skipIf(needsNats)(
  'a message without a valid signature makes its host forged, even after further reports',
  async () => {
    const { host, viewer, sendChanged } = await begin()
    await host.scan(0.5, new Set([1]))
    await sendChanged(() => ({ signature: '' }))
    const forged = { host: { presence: 'forged', answer: 'undecided', trouble: expect.stringContaining('not signed') } }
    expect(await viewer.look()).toMatchObject(forged)
    await host.scan(0.4, NONE)
    await host.send()
    expect(await viewer.look()).toMatchObject(forged)
    await viewer.close()
  },
)

test.skipIf(needsNats)('two machines with one key are told from one that starts again', async () => {
  const { host, viewer } = await begin()
  const sender = (bootId: string): { readonly sender: { readonly version: string; readonly bootId: string } } => ({
    sender: { version: '1', bootId },
  })
  for (const [at, bootId] of ['a', 'b', 'b'].entries()) {
    await host.scan(0.9 - at / 10, NONE)
    await host.send(sender(bootId))
    expect((await viewer.look()).host?.presence).toBe('reporting')
  }
  await host.scan(0.1, NONE)
  await host.send(sender('a'))
  const { host: seen } = await viewer.look()
  expect(seen).toMatchObject({
    presence: 'forged',
    trouble: expect.stringContaining('two machines use the key of web01'),
  })
  await viewer.close()
})

test.skipIf(needsNats)(
  'two machines with one key are told, too, where what one of them says fits nothing',
  async () => {
    const { host, viewer, sendChanged } = await begin()
    const says = async (bootId: string, state: object): Promise<unknown> => {
      await host.scan(0.01, NONE)
      await sendChanged((message) => ({
        ...withBody(message, (beat) => ({ ...beat, sender: { version: '1', spool: 0, lost: 0, bootId }, ...state })),
        ...('same' in state && { sha256: OTHER }),
      }))
      return (await viewer.look()).host?.presence
    }
    const elsewhere = { same: { run: 'r', sha256: OTHER } }
    expect(await says('a', {})).toBe('reporting')
    expect(await says('b', elsewhere)).toBe('reporting')
    expect(await says('b', elsewhere)).toBe('reporting')
    expect(await says('a', {})).toBe('forged')
    await viewer.close()
  },
)

test.skipIf(needsNats)('a clock that is off is told from the time when a message was sent', async () => {
  const { host, viewer, sendChanged } = await begin()
  const shifted = async (minutes: number): Promise<unknown> => {
    await host.scan(0.01, NONE)
    await sendChanged(({ sentAt }) => ({ sentAt: new Date(Date.parse(sentAt) + minutes * 60_000).toISOString() }))
    return (await viewer.look()).host?.presence
  }
  expect(await shifted(-4)).toBe('reporting')
  expect(await shifted(-6)).toBe('clock')
  expect(await shifted(4)).toBe('reporting')
  expect(await shifted(6)).toBe('clock')
  await viewer.close()
})
