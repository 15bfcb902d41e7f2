import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { signAssignment } from '../../../src/fleet/nats/assignment.ts'
import { assign } from '../../../src/fleet/nats/assignments.ts'
import { readAudit } from '../../../src/fleet/nats/audit.ts'
import { enter, loginOfContext } from '../../../src/fleet/nats/connect.ts'
import { storedRollout, storeRollout } from '../../../src/fleet/nats/rollouts.ts'
import { withReleased } from '../../../src/fleet/rollout/state.ts'
import { wishOf } from '../../../src/fleet/rollout/wish.ts'
import type { Line } from '../../../src/host/nats/line.ts'
import { makeKeys, readPrivateKey, readPublicKey } from '../../../src/host/signing/keys.ts'
import { needsNats } from '../../support/nats-server.ts'
import { type RolloutFleet, startRolloutFleet } from './support.ts'

const HOUR = 3_600_000
const OPERATOR = { by: 'operator', reason: 'a test' }

/** Every host has the good policy. */
async function startWithGood(): Promise<RolloutFleet> {
  const fleet = await startRolloutFleet({ web02: 'canary' })
  await fleet.begin(await fleet.publish('good'))
  await wishOf(fleet.line, 'finish', OPERATOR)
  for (const name of ['web01', 'web02']) expect(await fleet.turn(name)).toMatchObject({ kind: 'assigned' })
  return fleet
}

/** How often something was stored at a subject of a bucket. */
async function timesStored(line: Line, bucket: string, key: string): Promise<number> {
  const body = JSON.stringify({ subjects_filter: `$KV.${bucket}.${key}` })
  const info: { readonly state: { readonly subjects?: Readonly<Record<string, number>> } } = JSON.parse(
    await line.ask(`$JS.API.STREAM.INFO.KV_${bucket}`, { body, timeoutMs: 5000 }),
  )
  return info.state.subjects?.[`$KV.${bucket}.${key}`] ?? 0
}

test.skipIf(needsNats)(
  'ring after ring gets the policy, each when the one before has reported and soaked',
  async () => {
    const fleet = await startRolloutFleet({ web02: 'canary' })
    const { rollout } = await fleet.begin(await fleet.publish('good'))
    expect(rollout.rings.map(({ name, targets }) => [name, targets.map(({ to }) => to)])).toEqual([
      ['canary', ['ring.canary']],
      ['rest', ['ring.all']],
    ])
    const controller = fleet.controller()
    expect(await fleet.turn('web02')).toMatchObject({ kind: 'none' })

    await controller.look()
    expect(await fleet.turn('web01')).toMatchObject({ kind: 'none' })
    await controller.look()
    expect(controller.seen()?.verdict).toMatchObject({ kind: 'wait', reason: expect.stringContaining('report: web02') })
    expect(await fleet.turn('web02')).toMatchObject({ kind: 'assigned', assignment: { version: 1, to: 'ring.canary' } })
    await controller.look()
    expect(controller.seen()?.verdict).toMatchObject({ kind: 'wait', reason: expect.stringContaining(' left') })

    await controller.look(2 * HOUR)
    expect(controller.seen()?.rollout.rings.every(({ releasedAt }) => releasedAt !== undefined)).toBe(true)
    expect(await fleet.turn('web01')).toMatchObject({ kind: 'assigned', assignment: { version: 1, to: 'ring.all' } })
    await controller.look(5 * HOUR)
    expect(controller.seen()?.rollout.phase).toBe('done')
  },
)

test.skipIf(needsNats)('a bad policy errs in the first ring, and goes no further, and back', async () => {
  const fleet = await startWithGood()
  await fleet.begin(await fleet.publish('broken'))
  const controller = fleet.controller()
  await controller.look()
  expect(await fleet.turn('web02')).toMatchObject({ kind: 'assigned', assignment: { version: 3 } })
  await controller.look()
  expect(controller.seen()?.rollout).toMatchObject({
    phase: 'stopped',
    last: { by: 'controller', what: expect.stringContaining('ring canary: 1 of 1 host had new unknown results') },
  })
  expect(controller.seen()?.rings[0]?.count).toMatchObject({ error: ['web02'], silent: [], 'new-drift': [] })
  await controller.look(100 * HOUR)
  expect(await fleet.turn('web01')).toMatchObject({ assignment: { version: 1 }, changed: false })

  expect((await wishOf(fleet.line, 'back', OPERATOR)).said).toContain('is rolled back')
  expect(await fleet.turn('web02')).toMatchObject({ kind: 'assigned', assignment: { version: 4 }, changed: true })
  expect(await fleet.turn('web01')).toMatchObject({ assignment: { version: 1 }, changed: false })
  await expect(wishOf(fleet.line, 'resume', OPERATOR)).rejects.toThrow('is rolled back, so it cannot be resumed')
})

test.skipIf(needsNats)('drift that was there before is not new, other drift is', async () => {
  const fleet = await startWithGood()
  const limits = { stop: 'new-drift>0 or error>0', soak: '0s' }
  await fleet.begin(await fleet.publish('drifting'), limits)
  const controller = fleet.controller()
  await controller.look()
  await fleet.turn('web02')
  await controller.look()
  expect(controller.seen()?.rollout.phase).toBe('stopped')
  await wishOf(fleet.line, 'finish', OPERATOR)
  for (const name of ['web01', 'web02']) await fleet.turn(name)

  await fleet.begin(await fleet.publish('still drifting'), limits)
  await controller.look()
  await fleet.turn('web02')
  await controller.look()
  expect(controller.seen()?.rings[0]?.count).toMatchObject({ reported: ['web02'], 'new-drift': [] })
  expect(controller.seen()?.rollout).toMatchObject({ phase: 'running', last: { what: 'released ring rest' } })
})

test.skipIf(needsNats)('an attacker in control of the viewer cannot release a policy', async () => {
  const fleet = await startWithGood()
  const bad = await fleet.publish('broken')
  const { rollout } = await fleet.begin(await fleet.publish('better'))
  const viewer = await enter(loginOfContext(join(fleet.fleet, 'viewer/context.json')))
  const put = (subject: string, body: string): Promise<string> => viewer.ask(subject, { body, timeoutMs: 2000 })
  const file = join(fleet.directory, 'stolen.pem')
  writeFileSync(file, makeKeys().privatePem, { mode: 0o600 })
  const policies = [{ name: 'site', sha256: bad }] as const
  const said = {
    to: 'ring.canary',
    version: 900,
    policies,
    reason: 'mine',
    author: 'me',
    at: '2026-11-23T08:00:00Z',
  } as const
  const forged = JSON.stringify(signAssignment(said, readPrivateKey(file)))

  for (const key of ['go.ring.canary', 'back.ring.canary', 'key'].map((each) => `${rollout.id}.${each}`))
    await expect(put(`$KV.ROLLOUT.${key}`, forged)).rejects.toThrow(/permission/i)
  await expect(put(`$KV.POLICY.${bad}`, 'mine')).rejects.toThrow(/permission/i)
  for (const body of ['nothing that is signed', forged]) {
    await put('$KV.ASSIGN.ring.canary', body)
    expect(await fleet.turn('web02')).toMatchObject({ kind: 'kept', assignment: { version: 1 } })
  }
  await viewer.close()

  // The version that it claims keeps nothing that was signed from the hosts.
  const controller = fleet.controller()
  await controller.look()
  expect(await fleet.turn('web02')).toMatchObject({ kind: 'assigned', assignment: { version: 3, author: 'tester' } })
})

test.skipIf(needsNats)('nothing is given while it is paused, and it goes on after', async () => {
  const fleet = await startWithGood()
  await fleet.begin(await fleet.publish('better'), { soak: '0s' })
  const controller = fleet.controller()
  await controller.look()
  await fleet.turn('web02')
  await wishOf(fleet.line, 'pause', OPERATOR)
  await controller.look(HOUR)
  expect(controller.seen()?.rollout).toMatchObject({
    phase: 'paused',
    last: { by: 'operator', what: 'paused: a test' },
  })
  expect(await fleet.turn('web01')).toMatchObject({ assignment: { version: 1 } })
  await expect(fleet.begin(await fleet.publish('good'))).rejects.toThrow('has not ended')
  await wishOf(fleet.line, 'resume', OPERATOR)
  await controller.look(HOUR)
  expect(await fleet.turn('web01')).toMatchObject({ assignment: { version: 3 } })
})

test.skipIf(needsNats)('several controllers release each ring once, and go on where one was killed', async () => {
  const fleet = await startWithGood()
  await fleet.begin(await fleet.publish('better'), { soak: '0s' })
  const known = await storedRollout(fleet.line)
  if (known.rollout === undefined) throw new Error('no rollout')
  // What a controller that is killed right behind it leaves: the ring counts as released, and has nothing.
  const act = { at: new Date().toISOString(), by: 'controller', what: 'released ring canary' }
  const changed = withReleased(known.rollout, 'canary', act)
  if ('message' in changed) throw new Error(changed.message)
  expect(await storeRollout(fleet.line, changed.rollout, known.sequence)).toBe(true)

  const controllers = [fleet.controller(), fleet.controller(), fleet.controller()]
  const before = await timesStored(fleet.line, 'ASSIGN', 'ring.canary')
  await Promise.all(controllers.map((each) => each.look()))
  expect(await timesStored(fleet.line, 'ASSIGN', 'ring.canary')).toBe(before + 1)
  expect(await fleet.turn('web02')).toMatchObject({ kind: 'assigned', assignment: { version: 3 } })

  const changes = await timesStored(fleet.line, 'ROLLOUT', 'state')
  await Promise.all(controllers.map((each) => each.look()))
  await Promise.all(controllers.map((each) => each.look()))
  expect(await timesStored(fleet.line, 'ROLLOUT', 'state')).toBe(changes + 1)
  expect(await fleet.turn('web01')).toMatchObject({ kind: 'assigned', assignment: { version: 3 } })
  await Promise.all(controllers.map((each) => each.look()))
  expect(await timesStored(fleet.line, 'ROLLOUT', 'state')).toBe(changes + 2)
  for (const each of controllers) await each.look()
  for (const each of controllers) expect(each.seen()?.rollout.phase).toBe('done')
  // Each act once, that of the one that was killed before it had noted it, too.
  const keys = { operator: readPublicKey(join(fleet.fleet, 'operator/policy.pub')) }
  const viewer = readPublicKey(join(fleet.fleet, 'operator/viewer.pub'))
  const texts = (await readAudit(fleet.line, { ...keys, viewer })).map(({ said }) => 'entry' in said && said.entry.text)
  expect(texts.slice(-3)).toEqual(['released ring canary', 'released ring rest', 'done: every ring has the policies'])
  for (const { said } of (await readAudit(fleet.line, keys)).slice(-3)) expect(said).toHaveProperty('message')
})

test.skipIf(needsNats)('a later assignment by the operator is left unchanged', async () => {
  const fleet = await startWithGood()
  const [good, better] = [await fleet.publish('good'), await fleet.publish('better')]
  await fleet.begin(better)
  const key = readPrivateKey(join(fleet.fleet, 'operator/policy.pem'))
  const about = { to: 'ring.canary', bundles: [good], reason: 'CHG-2', author: 'anna', atLeast: 4 } as const
  expect(await assign(fleet.line, key, about)).toMatchObject({ version: 5 })
  const controller = fleet.controller()
  await controller.look()
  expect(controller.seen()?.later).toEqual(['ring.canary'])
  expect(await fleet.turn('web02')).toMatchObject({ assignment: { version: 5, reason: 'CHG-2' } })
  expect((await wishOf(fleet.line, 'back', OPERATOR)).said).toContain('ring.canary has a later assignment')
})

test.skipIf(needsNats)('a share of a ring gets it by addresses of its own, and keeps those', async () => {
  const fleet = await startRolloutFleet({ web02: 'all', web03: 'all' })
  const { rollout } = await fleet.begin(await fleet.publish('good'), { ring: 'canary:1%,rest' })
  const [canary, rest] = rollout.rings
  const [address] = canary?.targets.map(({ to }) => to) ?? []
  expect(address).toMatch(/^host\.web0[123]$/)
  expect(rest?.targets.map(({ to }) => to)).toEqual(['ring.all'])
  const name = address?.slice('host.'.length) ?? ''
  await fleet.controller().look()
  for (const host of ['web01', 'web02', 'web03'])
    expect([host, (await fleet.turn(host)).kind]).toEqual([host, host === name ? 'assigned' : 'none'])

  await wishOf(fleet.line, 'finish', OPERATOR)
  const next = await fleet.begin(await fleet.publish('better'), { ring: 'all' })
  expect(next.rollout.rings[0]?.targets.map(({ to }) => to)).toEqual([address, 'ring.all'])
  await wishOf(fleet.line, 'finish', OPERATOR)
  for (const host of ['web01', 'web02', 'web03'])
    expect(await fleet.turn(host)).toMatchObject({ kind: 'assigned', assignment: { version: 3 } })
})
