import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect, nkeyAuthenticator, type NatsConnection } from '@nats-io/transport-node'
import { expect, onTestFinished, test } from 'vitest'
import { streamsFor } from '../../src/fleet/nats/streams.ts'
import { needsNats } from '../support/nats-server.ts'
import { startTestFleet, type TestFleet, ask } from './support.ts'

interface Stolen {
  readonly operator: NatsConnection
  readonly viewer: NatsConnection
}

/** A fleet with one host, and connections with the keys of its operator and of its viewer. */
async function startStolen(): Promise<Stolen> {
  const fleet = await startTestFleet()
  return { operator: await enter(fleet, 'operator'), viewer: await enter(fleet, 'viewer') }
}

async function enter({ fleet, server }: TestFleet, who: 'operator' | 'viewer'): Promise<NatsConnection> {
  const connection = await connect({
    servers: `127.0.0.1:${server.port}`,
    authenticator: nkeyAuthenticator(Buffer.from(readFileSync(join(fleet, who, 'nats.nk'), 'utf8').trim())),
    tls: { caFile: join(fleet, 'server/ca.pem') },
  })
  onTestFinished(async () => connection.close())
  return connection
}

/** JetStream's API where it is by default, and where a viewer has it. */
function inBothPlaces(subject: string): readonly string[] {
  return [subject, subject.replace('$JS.API', 'dg.v1.api')]
}

async function stored(operator: NatsConnection): Promise<readonly string[]> {
  const all: string[] = []
  for (const { name } of streamsFor({ bytes: 1 })) {
    const info = JSON.parse((await ask(operator, `$JS.API.STREAM.INFO.${name}`)) ?? '{}')
    for (let seq = Math.max(1, info.state.first_seq); seq <= info.state.last_seq; seq += 1) {
      const { message } = JSON.parse((await ask(operator, `$JS.API.STREAM.MSG.GET.${name}`, { seq })) ?? '{}')
      all.push(`${name} ${message.seq} ${message.subject} ${message.data}`)
    }
  }
  return all
}

async function consumersOf(operator: NatsConnection): Promise<readonly string[]> {
  const names: string[] = []
  for (const { name } of streamsFor({ bytes: 1 })) {
    const { consumers } = JSON.parse((await ask(operator, `$JS.API.CONSUMER.NAMES.${name}`)) ?? '{}')
    names.push(...(consumers ?? []))
  }
  return names
}

async function put(connection: NatsConnection, subject: string, text: string): Promise<void> {
  expect(JSON.parse((await ask(connection, subject, text)) ?? '{}')).toHaveProperty('seq')
}

test.skipIf(needsNats)('a viewer creates, lists and removes no consumer, on any stream', async () => {
  const { operator, viewer } = await startStolen()
  await put(operator, '$KV.ORDER.host.web01', 'an order')
  await put(operator, '$KV.ROSTER.web01', 'a host')
  for (const { name } of streamsFor({ bytes: 1 })) {
    const config = { durable_name: 'thief', ack_policy: 'none' }
    const attempts: readonly (readonly [string, object])[] = [
      [`$JS.API.CONSUMER.CREATE.${name}`, { stream_name: name, config: { ack_policy: 'none' } }],
      [`$JS.API.CONSUMER.CREATE.${name}.thief`, { stream_name: name, config: { ...config, name: 'thief' } }],
      [`$JS.API.CONSUMER.DURABLE.CREATE.${name}.thief`, { stream_name: name, config }],
      [`$JS.API.CONSUMER.NAMES.${name}`, {}],
      [`$JS.API.CONSUMER.DELETE.${name}.thief`, {}],
      [`$JS.API.CONSUMER.MSG.NEXT.${name}.thief`, { batch: 1, no_wait: true }],
    ]
    for (const [command, body] of attempts)
      for (const subject of inBothPlaces(command))
        expect([subject, await ask(viewer, subject, body)]).toEqual([subject, undefined])
  }
  expect(await consumersOf(operator)).toEqual([])
})

test.skipIf(needsNats)('a viewer reads the reports and the record, and neither orders nor the roster', async () => {
  const { operator, viewer } = await startStolen()
  await put(operator, 'dg.v1.full.web01', 'a report')
  await put(operator, '$KV.ORDER.host.web01', 'an order')
  await put(operator, '$KV.ROSTER.web01', 'a host')
  expect(await ask(viewer, 'dg.v1.api.STREAM.MSG.GET.DG_FULL', { seq: 1 })).toContain('"subject":"dg.v1.full.web01"')
  const refused = [
    '$JS.API.STREAM.MSG.GET.KV_ORDER',
    '$JS.API.STREAM.MSG.GET.KV_ROSTER',
    '$JS.API.STREAM.MSG.GET.KV_POLICY',
    '$JS.API.DIRECT.GET.KV_ORDER',
    '$JS.API.DIRECT.GET.KV_ORDER.$KV.ORDER.host.web01',
    '$JS.API.DIRECT.GET.KV_ROSTER',
    '$JS.API.STREAM.INFO.KV_ROSTER',
    '$JS.API.STREAM.NAMES',
    '$JS.API.STREAM.LIST',
    '$JS.API.STREAM.PURGE.DG_FULL',
    '$JS.API.STREAM.DELETE.DG_FULL',
    '$JS.API.STREAM.SNAPSHOT.KV_ORDER',
    '$JS.API.STREAM.MSG.DELETE.KV_ORDER',
    '$KV.ORDER.host.web01',
    '$KV.POLICY.abc',
    '$KV.ROSTER.web01',
    '$KV.ROLLOUT.other',
    'dg.v1.full.web01',
    'dg.v1.answer.web01',
    'dg.v1.audit.assign',
  ]
  const before = await stored(operator)
  for (const subject of refused.flatMap(inBothPlaces))
    expect([subject, await ask(viewer, subject, { seq: 1, deliver_subject: 'x' })]).toEqual([subject, undefined])
  expect(await stored(operator)).toEqual(before)
})

test.skipIf(needsNats)('the answers of the server go to no place that a viewer names', async () => {
  const { operator, viewer } = await startStolen()
  await put(operator, 'dg.v1.full.web01', 'a report')
  await put(viewer, '$KV.ASSIGN.ring.all', 'chosen bytes')
  const before = (await stored(operator)).filter((each) => !each.includes(' $KV.ASSIGN.ring.all '))
  for (const reply of ['$KV.ORDER.host.web01', '$KV.POLICY.abc', 'dg.v1.full.web01', 'dg.v1.audit.assign']) {
    for (const subject of inBothPlaces('$JS.API.DIRECT.GET.KV_ASSIGN.$KV.ASSIGN.ring.all'))
      viewer.publish(subject, '', { reply })
    for (const subject of inBothPlaces('$JS.API.STREAM.MSG.GET.DG_FULL'))
      viewer.publish(subject, '{"seq":1}', { reply })
    for (const subject of inBothPlaces('$JS.API.STREAM.INFO.DG_FULL')) viewer.publish(subject, '', { reply })
    viewer.publish('$KV.ASSIGN.ring.all', 'chosen bytes', { reply })
  }
  // The server answers what came last once all before it is done.
  await ask(viewer, 'dg.v1.api.STREAM.INFO.DG_FULL')
  expect((await stored(operator)).filter((each) => !each.includes(' $KV.ASSIGN.ring.all '))).toEqual(before)
})

test.skipIf(needsNats)(
  'a viewer hears that a host has sent something, and nothing that the operator is answered',
  async () => {
    const { operator, viewer } = await startStolen()
    const heard: string[] = []
    const reports = viewer.subscribe('dg.v1.beat.*', { max: 1 })
    for (const subject of ['_INBOX.>', '>', '$KV.>', '$KV.ORDER.>'])
      viewer.subscribe(subject, { callback: (error, message) => void (error ?? heard.push(message.subject)) })
    await viewer.flush()
    await put(operator, '$KV.ORDER.host.web01', 'an order')
    await put(operator, 'dg.v1.beat.web01', 'a beat')
    for await (const { subject } of reports) expect(subject).toBe('dg.v1.beat.web01')
    expect(heard).toEqual([])
  },
)
