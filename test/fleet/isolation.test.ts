import { succeed, ask } from './support.ts'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect, nkeyAuthenticator, type NatsConnection } from '@nats-io/transport-node'
import { expect, onTestFinished, test } from 'vitest'
import { readPrivateKey, seedOf } from '../../src/fleet/nats/nkey.ts'
import { streamConfig, streamsFor } from '../../src/fleet/nats/streams.ts'
import { runInProcess } from '../support/command-line.ts'
import { freePort, needsNats, startNats } from '../support/nats-server.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { ownCertificates } from '../support/web-server.ts'

/** A fleet of two hosts on a real server. */
interface Fleet {
  readonly operator: NatsConnection
  readonly web01: NatsConnection
}

/** `change` edits the configuration before the server starts. */
async function startFleet(change: (config: string, hosts: string) => string = (config) => config): Promise<Fleet> {
  const directory = temporaryDirectory()
  const fleet = join(directory, 'fleet')
  const address = `127.0.0.1:${await freePort()}`
  const place = ['--listen', address, '--store', join(directory, 'store'), '--size', '64MiB']
  await succeed('fleet', 'init', fleet, '--server', address, ...place)
  for (const name of ['web01', 'db01']) {
    const invitation = await succeed('fleet', 'enrol', name, '--fleet', fleet)
    const answer = await succeed('fleet', 'join', invitation, '--agent', join(directory, name))
    await succeed('fleet', 'accept', answer, '--fleet', fleet)
  }
  const config = join(fleet, 'server/nats-server.conf')
  const hosts = readFileSync(join(fleet, 'server/hosts.conf'), 'utf8')
  writeFileSync(config, change(readFileSync(config, 'utf8'), hosts))
  await startNats(config)
  const enter = async (seed: string, inboxPrefix?: string): Promise<NatsConnection> => {
    const connection = await connect({
      servers: address,
      authenticator: nkeyAuthenticator(Buffer.from(seed)),
      tls: { caFile: join(fleet, 'server/ca.pem') },
      ...(inboxPrefix !== undefined && { inboxPrefix }),
    })
    onTestFinished(async () => connection.close())
    return connection
  }
  const operator = await enter(readFileSync(join(fleet, 'operator/nats.nk'), 'utf8').trim())
  for (const plan of streamsFor({ bytes: 64 * 1024 * 1024 })) {
    const config = streamConfig(plan)
    expect(JSON.parse((await ask(operator, `$JS.API.STREAM.CREATE.${plan.name}`, config)) ?? '{}')).not.toHaveProperty(
      'error',
    )
  }
  const key = readPrivateKey(readFileSync(join(directory, 'web01/host.pem'), 'utf8'))
  const web01 = await enter(key === undefined ? '' : seedOf(key), '_INBOX.web01')
  return { operator, web01 }
}

/** All that the streams hold, as text by subject and sequence. */
async function stored(operator: NatsConnection): Promise<ReadonlyMap<string, string>> {
  const all = new Map<string, string>()
  for (const { name } of streamsFor({ bytes: 1 })) {
    const info = JSON.parse((await ask(operator, `$JS.API.STREAM.INFO.${name}`)) ?? '{}')
    for (let seq = Math.max(1, info.state.first_seq); seq <= info.state.last_seq; seq += 1) {
      const { message } = JSON.parse((await ask(operator, `$JS.API.STREAM.MSG.GET.${name}`, { seq })) ?? '{}')
      all.set(`${name} ${message.seq} ${message.subject}`, Buffer.from(message.data ?? '', 'base64').toString())
    }
  }
  return all
}

async function put(operator: NatsConnection, subject: string, text: string): Promise<void> {
  expect(JSON.parse((await ask(operator, subject, text)) ?? '{}')).toHaveProperty('seq')
}

test.skipIf(needsNats)('a host sends its own reports and reads what is meant for it', async () => {
  const { operator, web01 } = await startFleet()
  await put(operator, '$KV.ASSIGN.ring.all', 'for all')
  await put(operator, '$KV.ASSIGN.host.web01', 'for web01')
  await put(operator, '$KV.POLICY.abc', 'a policy')

  for (const kind of ['full', 'delta', 'beat']) {
    expect(JSON.parse((await ask(web01, `dg.v1.${kind}.web01`, 'mine')) ?? '{}')).toHaveProperty('seq')
  }
  expect(await ask(web01, '$JS.API.DIRECT.GET.KV_ASSIGN.$KV.ASSIGN.ring.all')).toBe('for all')
  expect(await ask(web01, '$JS.API.DIRECT.GET.KV_ASSIGN.$KV.ASSIGN.host.web01')).toBe('for web01')
  expect(await ask(web01, '$JS.API.DIRECT.GET.KV_POLICY.$KV.POLICY.abc')).toBe('a policy')
  const notices = web01.subscribe('$KV.ASSIGN.ring.*', { max: 1 })
  await web01.flush()
  await put(operator, '$KV.ASSIGN.ring.all', 'newer')
  for await (const notice of notices) expect(notice.subject).toBe('$KV.ASSIGN.ring.all')

  const orders = web01.subscribe('$KV.ORDER.host.web01', { max: 1 })
  await web01.flush()
  await put(operator, '$KV.ORDER.host.web01', 'an order')
  for await (const notice of orders) expect(notice.subject).toBe('$KV.ORDER.host.web01')
  expect(await ask(web01, '$JS.API.DIRECT.GET.KV_ORDER.$KV.ORDER.host.web01')).toBe('an order')
  expect(JSON.parse((await ask(web01, 'dg.v1.answer.web01', 'done')) ?? '{}')).toHaveProperty('seq')
})

test.skipIf(needsNats)('a host with a stolen key is refused everything else', async () => {
  const { operator, web01 } = await startFleet()
  await put(operator, '$KV.ASSIGN.host.db01', 'for db01')
  await put(operator, '$KV.ORDER.host.db01', 'an order')
  await put(operator, 'dg.v1.full.db01', 'of db01')
  const before = await stored(operator)

  const refused = [
    'dg.v1.full.db01',
    'dg.v1.beat.db01',
    'dg.v1.answer.db01',
    'dg.v1.audit.host.web01',
    '$KV.ASSIGN.host.web01',
    '$KV.ASSIGN.ring.all',
    '$KV.POLICY.abc',
    '$KV.ORDER.host.web01',
    '$KV.ROSTER.web01',
    '$JS.API.DIRECT.GET.KV_ASSIGN.$KV.ASSIGN.host.db01',
    '$JS.API.DIRECT.GET.KV_ORDER.$KV.ORDER.host.db01',
    '$JS.API.DIRECT.GET.KV_ASSIGN',
    '$JS.API.DIRECT.GET.DG_FULL.dg.v1.full.web01',
    '$JS.API.STREAM.MSG.GET.DG_FULL',
    '$JS.API.STREAM.NAMES',
    '$JS.API.STREAM.PURGE.DG_FULL',
    '$JS.API.STREAM.DELETE.DG_FULL',
    '$JS.API.CONSUMER.CREATE.DG_FULL',
    '$JS.API.CONSUMER.CREATE.KV_POLICY',
    '$JS.API.STREAM.INFO.KV_POLICY',
    '$JS.API.DIRECT.GET.KV_POLICY',
    '$JS.API.INFO',
  ]
  for (const subject of refused) expect([subject, await ask(web01, subject, '{"seq":1}')]).toEqual([subject, undefined])
  expect(await stored(operator)).toEqual(before)
})

/** Tries to have the server store its own answers under the names of others, and gives what is stored then and was not before. */
async function escape({ operator, web01 }: Fleet): Promise<readonly string[]> {
  await put(operator, '$KV.ASSIGN.ring.all', 'chosen bytes')
  await put(operator, '$KV.ASSIGN.host.db01', 'for db01')
  const before = await stored(operator)
  const targets = ['dg.v1.full.db01', '$KV.ASSIGN.host.db01', '$KV.ASSIGN.ring.all', '$KV.ORDER.host.db01']
  for (const reply of targets) {
    web01.publish('dg.v1.full.web01', 'mine', { reply })
    web01.publish('$JS.API.DIRECT.GET.KV_ASSIGN.$KV.ASSIGN.ring.all', '', { reply })
  }
  // The server answers what came last once all before it is done.
  await ask(web01, 'dg.v1.beat.web01', 'the last')
  const after = await stored(operator)
  return [...after.keys()].filter((key) => !before.has(key) && !key.endsWith('.web01'))
}

test.skipIf(needsNats)('the answers of the server go to no place that a host names', async () => {
  expect(await escape(await startFleet())).toEqual([])
})

test.skipIf(needsNats)('they would if hosts were in the account that stores', async () => {
  const merged = await startFleet((config, hosts) => {
    const users = hosts.slice(hosts.indexOf('[') + 1, hosts.lastIndexOf(']'))
    return config
      .replace('    users: [\n', `    users: [\n${users}`)
      .replace('users: $driftgate_hosts', 'users: []')
      .replace(/^include.*$/m, '')
  })
  expect(await escape(merged)).not.toEqual([])
})

test.each(['*', '>', 'a.b', 'A', '', '-a', 'a-', 'a b', 'x'.repeat(64), 'web01\n'])(
  '%j is refused as the name of a host',
  async (name) => {
    const fleet = join(temporaryDirectory(), 'fleet')
    await succeed('fleet', 'init', fleet, '--server', 'nats.example.com', ...ownCertificates('nats.example.com'))
    expect(await runInProcess('fleet', 'enrol', '--fleet', fleet, '--', name)).toMatchObject({ code: 1, stdout: '' })
  },
)
