import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type FleetSettings, openFleet } from '../../src/fleet/fleet.ts'
import { type Assignment, signAssignment } from '../../src/fleet/nats/assignment.ts'
import { type AssignmentsReader, assignmentsReader } from '../../src/fleet/nats/assignments-reader.ts'
import { loginOfContext } from '../../src/fleet/nats/connect.ts'
import type { Addressee } from '../../src/fleet/nats/names.ts'
import { storeBundle } from '../../src/fleet/nats/stored-policies.ts'
import type { Line } from '../../src/host/nats/line.ts'
import { sha256 } from '../../src/host/signing/digest.ts'
import { makeKeys, readPrivateKey, readPublicKey } from '../../src/host/signing/keys.ts'
import { pack } from '../support/bundles.ts'
import { needsNats, startNats } from '../support/nats-server.ts'
import { policyResult } from '../support/run.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { ownCertificates } from '../support/web-server.ts'
import { startRolloutFleet } from './rollout/support.ts'
import { sendingHost } from './sending-host.ts'
import { startTestFleet, succeed, type TestFleet } from './support.ts'

const manifestOf = (id: string): string => JSON.stringify({ policy: { id }, ccm: { resources: [] } })
/** Packed once each: the bytes of an archive change with the time. */
const BUNDLES = new Map<string, Buffer>()
const textOf = (id: string): string => sha256(Buffer.from(manifestOf(id)))

function bundleOf(id: string): Buffer {
  const bundle = BUNDLES.get(id) ?? readFileSync(pack(`${id}.tar.gz`, { 'manifest.yaml': manifestOf(id) }))
  BUNDLES.set(id, bundle)
  return bundle
}

interface Signed {
  readonly version: number
  readonly ids: readonly string[]
  readonly to?: Addressee
  readonly key?: string
  readonly interval?: string
}

/** Puts an assignment of these policies where hosts look. */
async function assign(
  { fleet }: TestFleet,
  line: Line,
  { version, ids, to = 'ring.all', key, ...more }: Signed,
): Promise<void> {
  const policies = ids.map((name) => ({ name, sha256: sha256(bundleOf(name)) })) as unknown as Assignment['policies']
  const said = { to, version, policies, reason: 'a test', author: 'tester', at: '2026-11-23T08:00:00Z', ...more }
  const envelope = signAssignment(said, readPrivateKey(key ?? join(fleet, 'operator/policy.pem')))
  await line.ask(`$KV.ASSIGN.${to}`, { body: JSON.stringify(envelope), timeoutMs: 5000 })
}

function readerOf({ fleet }: TestFleet): AssignmentsReader {
  const { policyKey, ...login } = loginOfContext(join(fleet, 'viewer/context.json'))
  if (policyKey === undefined) throw new Error('the viewer does not know what signs assignments')
  const reader = assignmentsReader(login, policyKey)
  onTestFinished(reader.close)
  return reader
}

test.skipIf(needsNats)('a viewer counts what the operator has signed, and nothing else', async () => {
  const fleet = await startTestFleet()
  const line = await fleet.operator()
  for (const id of ['one', 'two']) await storeBundle(line, bundleOf(id))
  const reader = readerOf(fleet)
  const textsOf = async (name: string, ring = 'all'): Promise<readonly string[] | undefined> =>
    (await reader.read())({ name, ring })?.texts
  expect(await textsOf('web01')).toBeUndefined()

  const before = Date.now()
  await assign(fleet, line, { version: 3, ids: ['one'] })
  const assigned = (await reader.read())({ name: 'web01', ring: 'all' })
  expect(assigned).toEqual({ texts: [textOf('one')], sinceMs: expect.any(Number), former: new Set() })
  expect(assigned?.sinceMs).toBeGreaterThanOrEqual(before - 1)
  expect(await textsOf('web01', 'other')).toBeUndefined()
  expect((await reader.read())({ name: 'web01' })).toBeUndefined()

  await assign(fleet, line, { version: 4, ids: ['two', 'one'], to: 'host.web01', interval: '15m' })
  expect((await reader.read())({ name: 'web01', ring: 'all' })?.intervalMs).toBe(900_000)
  expect(await textsOf('web01')).toEqual([textOf('two'), textOf('one')])
  expect(await textsOf('web02')).toEqual([textOf('one')])

  const other = join(fleet.directory, 'other.pem')
  writeFileSync(other, makeKeys().privatePem, { mode: 0o600 })
  await assign(fleet, line, { version: 9, ids: ['two'], key: other })
  await assign(fleet, line, { version: 2, ids: ['two'] })
  await line.ask('$KV.ASSIGN.ring.all', { body: 'no JSON', timeoutMs: 5000 })
  expect(await textsOf('web02')).toEqual([textOf('one')])
  expect(
    await readerOf(fleet)
      .read()
      .then((of) => of({ name: 'web02', ring: 'all' })?.texts),
  ).toEqual([textOf('one')])

  await line.ask('$KV.ASSIGN.host.web01', { body: '', headers: { 'KV-Operation': 'DEL' }, timeoutMs: 5000 })
  expect(await textsOf('web01')).toEqual([textOf('one')])
  expect((await reader.read())({ name: 'web01', ring: 'all' })?.former).toEqual(
    new Set([`two-${sha256(bundleOf('two'))}.tar.gz`]),
  )

  // The content of a missing bundle is unknown: its host is not judged by the bundle of its ring.
  await assign(fleet, line, { version: 10, ids: ['one', 'three'], to: 'host.web01' })
  expect(await textsOf('web01')).toBeUndefined()
  await storeBundle(line, bundleOf('three'))
  expect(await textsOf('web01')).toEqual([textOf('one'), textOf('three')])
})

test.skipIf(needsNats)('known assignments stay while the server is away, or has lost its data', async () => {
  const fleet = await startTestFleet()
  const line = await fleet.operator()
  for (const id of ['one', 'two']) await storeBundle(line, bundleOf(id))
  await assign(fleet, line, { version: 3, ids: ['one'] })
  const reader = readerOf(fleet)
  const texts = async (): Promise<readonly string[] | undefined> =>
    (await reader.read())({ name: 'web01', ring: 'all' })?.texts
  expect(await texts()).toEqual([textOf('one')])
  await fleet.server.kill()
  expect(await texts()).toEqual([textOf('one')])
  rmSync(join(fleet.directory, 'store'), { recursive: true })
  await startNats(join(fleet.fleet, 'server/nats-server.conf'))
  await succeed('fleet', 'prepare', '--fleet', fleet.fleet)
  expect(await texts()).toEqual([textOf('one')])
  const again = await fleet.operator()
  await storeBundle(again, bundleOf('two'))
  await assign(fleet, again, { version: 4, ids: ['two'] })
  expect(await texts()).toEqual([textOf('two')])
})

test.skipIf(needsNats)(
  'a host with a made-up text makes no other one outdated where the viewer knows the key',
  async () => {
    const fleet = await startRolloutFleet({ web02: 'all' })
    const bundle = await fleet.publish('good')
    const policy = ['--policy', bundle, '--reason', 'a test', '--fleet', fleet.fleet]
    await succeed('fleet', 'assign', '--to', 'ring.all', ...policy)
    await fleet.turn('web02')
    const from = loginOfContext(join(fleet.fleet, 'viewer/context.json'))
    const look = async (settings: Pick<FleetSettings, 'from'>) => {
      const viewed = openFleet({ ...settings, rosterFile: fleet.roster, intervalMs: 86_400_000 })
      await viewed.look('everywhere')
      const found = viewed.view(Date.now()).hosts.find(({ name }) => name === 'web02')
      await viewed.close()
      return found
    }
    const { policies: [site] = [] } = (await look({ from })) ?? {}
    const liar = await sendingHost(fleet)
    for (const [hours, text] of [
      [100, site?.sha256],
      [60, 'f'.repeat(64)],
    ] as const) {
      await liar.scan(hours, new Set(), { policies: [policyResult({ id: 'site', sha256: text ?? '' })] })
      await liar.send()
    }
    const { policyKey: _key, ...without } = from
    expect(await look({ from: without })).toMatchObject({ presence: 'outdated', answer: 'undecided' })
    expect(await look({ from })).toMatchObject({ presence: 'reporting', answer: 'compliant' })
  },
)

test('the key lies beside the context, and one that others could change is refused', async () => {
  const fleet = join(temporaryDirectory(), 'fleet')
  await succeed('fleet', 'init', fleet, '--server', '127.0.0.1:4222', ...ownCertificates('localhost'))
  const context = join(fleet, 'viewer/context.json')
  const beside = join(fleet, 'viewer/policy.pub')
  expect(loginOfContext(context).policyKey?.id).toBe(readPublicKey(join(fleet, 'operator/policy.pub')).id)
  chmodSync(beside, 0o666)
  expect(() => loginOfContext(context)).toThrow('policy.pub is not used')
  chmodSync(beside, 0o644)
  writeFileSync(beside, 'no key')
  expect(() => loginOfContext(context)).toThrow('does not contain an Ed25519 key')
  rmSync(beside)
  expect(loginOfContext(context)).not.toHaveProperty('policyKey')
})
