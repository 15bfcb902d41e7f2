import { chmodSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { keepUp } from '../../src/fleet/nats/assigned.ts'
import { type Assignment, signAssignment } from '../../src/fleet/nats/assignment.ts'
import type { Addressee } from '../../src/fleet/nats/names.ts'
import { storeBundle } from '../../src/fleet/nats/stored-policies.ts'
import type { Line } from '../../src/host/nats/line.ts'
import { sha256 } from '../../src/host/signing/digest.ts'
import { makeKeys, readPrivateKey } from '../../src/host/signing/keys.ts'
import { cannotMount, mount } from '../support/mount.ts'
import { needsNats, startNats } from '../support/nats-server.ts'
import { startTestFleet, succeed, type TestFleet } from './support.ts'

const BASE = Buffer.from('the bundle of a policy')
const OTHER = Buffer.from('another bundle')

interface Signed {
  readonly version: number
  readonly bundles?: readonly Uint8Array[]
  /** Who signs; the operator where it is absent. */
  readonly key?: string
  /** The key that the value is put at; that of the addressee where it is absent. */
  readonly at?: Addressee
}

/** Puts an assignment on the server, and gives it. */
async function assign(fleet: TestFleet, to: Addressee, { version, bundles = [BASE], key, at = to }: Signed) {
  const line = await fleet.operator()
  const named = bundles.map((bytes, index) => ({ name: `policy-${index}`, sha256: sha256(bytes) }))
  const policies = named as unknown as Assignment['policies']
  const said = { to, version, policies, reason: 'a test', author: 'tester', at: '2026-11-23T08:00:00Z' }
  const signing = readPrivateKey(key ?? join(fleet.fleet, 'operator/policy.pem'))
  await put(line, at, JSON.stringify(signAssignment(said, signing)))
  return said
}

async function put(line: Line, key: string, body: string | Uint8Array, bucket = 'ASSIGN'): Promise<void> {
  expect(JSON.parse(await line.ask(`$KV.${bucket}.${key}`, { body, timeoutMs: 5000 }))).toHaveProperty('seq')
}

async function startFleet(): Promise<TestFleet & { readonly line: Line }> {
  const fleet = await startTestFleet()
  for (const bytes of [BASE, OTHER]) await storeBundle(await fleet.operator(), bytes)
  return { ...fleet, line: await fleet.web01() }
}

function kept({ agent }: TestFleet): readonly string[] {
  return readdirSync(join(agent, 'assigned')).toSorted()
}

test.skipIf(needsNats)('a host takes what its ring is assigned, once, and keeps only that', async () => {
  const fleet = await startFleet()
  const assignment = await assign(fleet, 'ring.all', { version: 1, bundles: [BASE, OTHER] })
  const first = await keepUp(fleet.line, fleet.agent)
  const policies = [BASE, OTHER].map((bytes, index) =>
    join(fleet.agent, `assigned/policy-${index}-${sha256(bytes)}.tar.gz`),
  )
  expect(first).toEqual({ kind: 'assigned', assignment: expect.objectContaining(assignment), policies, changed: true })
  expect(policies.map((path) => readFileSync(path))).toEqual([BASE, OTHER])
  expect(await keepUp(fleet.line, fleet.agent)).toEqual({ ...first, changed: false })

  await assign(fleet, 'ring.all', { version: 2, bundles: [OTHER] })
  const path = join(fleet.agent, `assigned/policy-0-${sha256(OTHER)}.tar.gz`)
  expect(await keepUp(fleet.line, fleet.agent)).toMatchObject({ policies: [path], changed: true })
  expect(kept(fleet)).toEqual(['assignment.json', basename(path)])
  expect(statSync(join(fleet.agent, 'assigned')).mode & 0o777).toBe(0o700)
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test.skipIf(needsNats)('an assignment to the host takes precedence over one to its ring', async () => {
  const fleet = await startFleet()
  await assign(fleet, 'ring.all', { version: 3 })
  await assign(fleet, 'host.web01', { version: 2, bundles: [OTHER] })
  expect(await keepUp(fleet.line, fleet.agent)).toMatchObject({ assignment: { to: 'host.web01', version: 2 } })
})

test.skipIf(needsNats)('an assignment with an invalid signature or version changes nothing', async () => {
  const fleet = await startFleet()
  const other = join(fleet.directory, 'other.pem')
  writeFileSync(other, makeKeys().privatePem, { mode: 0o600 })
  const line = await fleet.operator()
  const signed = await assign(fleet, 'ring.all', { version: 5 })
  await keepUp(fleet.line, fleet.agent)
  const good = JSON.parse(
    Buffer.from(
      (await fleet.line.last('$JS.API.DIRECT.GET.KV_ASSIGN.$KV.ASSIGN.ring.all', 5000))?.bytes ?? [],
    ).toString(),
  )
  const payload = Buffer.from(JSON.stringify({ ...signed, schema: 'driftgate.assignment/v1', version: 9 })).toString(
    'base64',
  )

  const offers: readonly (readonly [offer: () => Promise<unknown>, reason: string])[] = [
    [() => assign(fleet, 'ring.all', { version: 6, key: other }), 'it is not signed with the policy key'],
    [() => put(line, 'ring.all', JSON.stringify({ ...good, payload })), 'it is not signed with the policy key'],
    [() => assign(fleet, 'ring.canary', { version: 6, at: 'ring.all' }), 'it is for ring.canary'],
    [() => assign(fleet, 'ring.all', { version: 4 }), 'its version 4 is not newer than 5'],
    [() => assign(fleet, 'ring.all', { version: 5, bundles: [OTHER] }), 'its version 5 is not newer than 5'],
    [
      () => assign(fleet, 'ring.all', { version: 6, bundles: [Buffer.from('nowhere')] }),
      'the server has no policy bundle',
    ],
    [() => put(line, 'ring.all', 'no JSON'), 'the envelope is not a DSSE envelope'],
    [() => put(line, 'ring.all', JSON.stringify({ ...good, payloadType: 'text/plain' })), 'has another type'],
    [() => assign(fleet, 'host.db01', { version: 7, at: 'host.web01' }), 'it is for host.db01'],
    [() => assign(fleet, 'host.web01', { version: 5 }), 'its version 5 is not newer than 5, accepted for ring.all'],
  ]
  for (const [offer, reason] of offers) {
    await offer()
    expect(await keepUp(fleet.line, fleet.agent)).toMatchObject({
      kind: 'kept',
      assignment: signed,
      policies: [expect.stringContaining(sha256(BASE))],
      reason: expect.stringContaining(reason),
      since: expect.stringMatching(/^20\d\d-.*Z$/),
    })
    expect(kept(fleet)).toEqual(['assignment.json', `policy-0-${sha256(BASE)}.tar.gz`])
  }
  await assign(fleet, 'host.web01', { version: 6 })
  expect(await keepUp(fleet.line, fleet.agent)).toMatchObject({ kind: 'assigned', changed: true })
})

test.skipIf(needsNats)('an older assignment stays refused when that of the host itself disappears', async () => {
  const fleet = await startFleet()
  await assign(fleet, 'ring.all', { version: 1 })
  await assign(fleet, 'host.web01', { version: 2, bundles: [OTHER] })
  await keepUp(fleet.line, fleet.agent)
  await (await fleet.operator()).ask('$KV.ASSIGN.host.web01', { headers: { 'KV-Operation': 'DEL' }, timeoutMs: 5000 })
  expect(await keepUp(fleet.line, fleet.agent)).toMatchObject({
    kind: 'kept',
    assignment: { to: 'host.web01' },
    reason: expect.stringContaining('its version 1 is not newer than 2, accepted for host.web01'),
  })
})

test.skipIf(needsNats)('a bundle of other bytes is not kept, whole or in parts', async () => {
  const fleet = await startFleet()
  const line = await fleet.operator()
  const large = Buffer.alloc(2_000_000, 'driftgate')
  const digest = await storeBundle(line, large)
  await assign(fleet, 'ring.all', { version: 1, bundles: [large] })
  const parts = JSON.parse(
    Buffer.from((await line.last(`$JS.API.DIRECT.GET.KV_POLICY.$KV.POLICY.${digest}`, 5000))?.bytes ?? []).toString(),
  ).parts
  expect(parts).toHaveLength(3)
  const forgeries: readonly (readonly [key: string, body: string | Buffer])[] = [
    [parts[1], 'x'],
    [digest, 'x'],
    [digest, JSON.stringify({ schema: 'driftgate.parts/v1', parts: parts.toReversed() })],
    [digest, JSON.stringify({ schema: 'driftgate.parts/v1', parts: ['*', '>'] })],
  ]
  for (const [key, body] of forgeries) {
    await storeBundle(line, large)
    await put(line, key, body, 'POLICY')
    expect(await keepUp(fleet.line, fleet.agent)).toMatchObject({
      kind: 'none',
      reason: expect.stringMatching(/^the server has different content for the policy bundle/),
    })
    expect(kept(fleet)).toEqual([])
  }
  await storeBundle(line, large)
  const taken = await keepUp(fleet.line, fleet.agent)
  expect(taken).toMatchObject({ kind: 'assigned' })
  if (taken.kind === 'assigned') expect(sha256(readFileSync(taken.policies[0] ?? ''))).toBe(digest)
})

test.skipIf(needsNats)(
  'without a server, or with another one that is empty, the last assignment stays in force',
  async () => {
    const fleet = await startFleet()
    expect(await keepUp(undefined, fleet.agent)).toEqual({ kind: 'none', reason: 'the server is unreachable' })
    expect(await keepUp(fleet.line, fleet.agent)).toMatchObject({
      kind: 'none',
      reason: expect.stringContaining('no assignment for'),
    })
    await assign(fleet, 'ring.all', { version: 1 })
    const { policies } = (await keepUp(fleet.line, fleet.agent)) as { readonly policies: readonly string[] }
    const keeps = { kind: 'kept', assignment: { version: 1 }, policies }

    await fleet.server.kill()
    expect(await keepUp(fleet.line, fleet.agent)).toMatchObject({
      ...keeps,
      reason: expect.stringContaining('the server did not return host.web01'),
    })
    expect(await keepUp(undefined, fleet.agent)).toMatchObject({ ...keeps, reason: 'the server is unreachable' })

    rmSync(join(fleet.directory, 'store'), { recursive: true })
    await startNats(join(fleet.fleet, 'server/nats-server.conf'))
    await succeed('fleet', 'prepare', '--fleet', fleet.fleet)
    const reason = expect.stringContaining('the server has no assignment for host.web01 or ring.all')
    expect(await keepUp(await fleet.web01(), fleet.agent)).toMatchObject({ ...keeps, reason })
  },
)

test.skipIf(needsNats ?? cannotMount)('a full disk keeps what was taken before (needs to mount)', async () => {
  const fleet = await startFleet()
  mount(['-t', 'tmpfs', '-o', 'size=16k,mode=0700', 'tmpfs'], join(fleet.agent, 'assigned'))
  await assign(fleet, 'ring.all', { version: 1 })
  const { policies } = (await keepUp(fleet.line, fleet.agent)) as { readonly policies: readonly string[] }
  const large = Buffer.alloc(64 * 1024)
  await storeBundle(await fleet.operator(), large)
  await assign(fleet, 'ring.all', { version: 2, bundles: [large] })
  expect(await keepUp(fleet.line, fleet.agent)).toMatchObject({
    kind: 'kept',
    assignment: { version: 1 },
    policies,
    reason: expect.stringContaining('no space left on the device'),
  })
  expect(kept(fleet)).toEqual(['assignment.json', basename(policies[0] ?? '')])
})

test.skipIf(needsNats)(
  'a bundle that was changed on the host is fetched again, and without a server nothing is in force',
  async () => {
    const fleet = await startFleet()
    await assign(fleet, 'ring.all', { version: 1 })
    const taken = await keepUp(fleet.line, fleet.agent)
    const [path = ''] = taken.kind === 'assigned' ? taken.policies : []
    writeFileSync(path, 'changed')
    expect(await keepUp(undefined, fleet.agent)).toEqual({
      kind: 'none',
      reason: 'the server is unreachable; the bundle of policy-0 that was stored is missing or damaged',
    })
    expect(await keepUp(fleet.line, fleet.agent)).toMatchObject({ kind: 'assigned', changed: false })
    expect(readFileSync(path)).toEqual(BASE)
  },
)

test.skipIf(needsNats)('a host without a place to keep it takes nothing', async () => {
  const fleet = await startFleet()
  await assign(fleet, 'ring.all', { version: 1 })
  const folder = join(fleet.agent, 'assigned')
  writeFileSync(folder, '')
  expect(await keepUp(fleet.line, fleet.agent)).toMatchObject({
    kind: 'none',
    reason: expect.stringContaining(`cannot keep assignments in ${folder}`),
  })
  rmSync(folder)
  await keepUp(fleet.line, fleet.agent)
  chmodSync(folder, 0o770)
  expect(await keepUp(fleet.line, fleet.agent)).toMatchObject({
    kind: 'none',
    reason: expect.stringContaining('other users can write to'),
  })
  chmodSync(folder, 0o700)
  writeFileSync(join(folder, 'assignment.json'), '{"schema":')
  expect(await keepUp(fleet.line, fleet.agent)).toMatchObject({
    kind: 'none',
    reason: expect.stringContaining('is damaged'),
  })
})

test.skipIf(needsNats)('an assignment of a former key does not count once the host trusts another', async () => {
  const fleet = await startFleet()
  await assign(fleet, 'ring.all', { version: 9_000_000 })
  await keepUp(fleet.line, fleet.agent)
  const { privatePem, publicPem } = makeKeys()
  const key = join(fleet.directory, 'new.pem')
  writeFileSync(key, privatePem, { mode: 0o600 })
  writeFileSync(join(fleet.agent, 'policy.pub'), publicPem)
  expect(await keepUp(undefined, fleet.agent)).toMatchObject({
    kind: 'none',
    reason: 'the stored assignment is not used: it is not signed with the policy key; the server is unreachable',
  })
  await assign(fleet, 'ring.all', { version: 1, key })
  expect(await keepUp(fleet.line, fleet.agent)).toMatchObject({ kind: 'assigned', assignment: { version: 1 } })
})
