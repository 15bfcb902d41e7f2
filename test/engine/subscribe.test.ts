import { expect, test } from 'vitest'
import type { Declaration } from '../../src/model/policy.ts'
import type { ResourceResult } from '../../src/model/run.ts'
import { runPolicies, type RunOptions } from '../../src/engine/run.ts'
import { type Lamp, lamp, lampType } from '../support/lamp.ts'
import { declare, policyOf } from '../support/policy.ts'
import { EMPTY_MACHINE, NO_HANDS } from '../support/target.ts'

const AGAIN = 'Would have switched on again via subscribe'

function lit(name: string, subscribe: readonly string[] = []): Declaration {
  const ids = subscribe.map((other) => `lamp#${other}`)
  return declare(`lamp#${name}`, { properties: { name, ensure: 'on' }, subscribe: ids })
}

async function resultsOf(
  declarations: readonly Declaration[],
  lamps: Record<string, Lamp>,
  options: Partial<RunOptions> = {},
): Promise<Record<string, ResourceResult>> {
  const run = await runPolicies([policyOf(declarations)], {
    target: EMPTY_MACHINE,
    types: [lampType(lamps)],
    ...options,
  })
  return Object.fromEntries(run.policies.flatMap(({ resources }) => resources).map((result) => [result.name, result]))
}

test('an audit plans what a drifted resource asks of its subscriber, whose state is right', async () => {
  const { stair } = await resultsOf([lit('hall'), lit('stair', ['hall'])], { hall: lamp('off'), stair: lamp('on') })
  expect(stair).toMatchObject({ verdict: 'compliant', drift: [], actions: [AGAIN] })
})

test('a plan made for a subscription plans on', async () => {
  const lamps = { hall: lamp('off'), stair: lamp('on'), attic: lamp('on') }
  const { attic } = await resultsOf([lit('hall'), lit('stair', ['hall']), lit('attic', ['stair'])], lamps)
  expect(attic).toMatchObject({ verdict: 'compliant', actions: [AGAIN] })
})

test.each([
  { why: 'is compliant', hall: lamp('on') },
  { why: 'cannot be fixed', hall: lamp('off', { obstacles: [{ reason: 'the bulb is gone' }] }) },
  { why: 'is unknown', hall: lamp('locked') },
])('nothing is planned where the subscribed resource $why', async ({ hall }) => {
  const { stair } = await resultsOf([lit('hall'), lit('stair', ['hall'])], { hall, stair: lamp('on') })
  expect(stair).toMatchObject({ verdict: 'compliant', actions: [] })
})

test('a fix triggers a subscriber exactly once, however many of its resources were fixed', async () => {
  const lamps = { hall: lamp('off'), cellar: lamp('off'), stair: lamp('on') }
  const { stair } = await resultsOf([lit('hall'), lit('cellar'), lit('stair', ['hall', 'cellar'])], lamps, {
    remediator: NO_HANDS,
  })
  expect(stair).toMatchObject({ verdict: 'fixed', drift: [], actions: ['Switched on again via subscribe'] })
  expect(lamps.stair.switched).toBe(1)
})

test('a failed fix triggers nothing', async () => {
  const lamps = { hall: lamp('off', { jammed: 'it is stuck' }), stair: lamp('on') }
  const { stair } = await resultsOf([lit('hall'), lit('stair', ['hall'])], lamps, { remediator: NO_HANDS })
  expect(stair).toMatchObject({ verdict: 'compliant', actions: [] })
  expect(lamps.stair.switched).toBe(0)
})

test('a triggered action that fails is a failed fix although nothing had drifted', async () => {
  const lamps = { hall: lamp('off'), stair: lamp('on', { jammed: 'it is stuck' }) }
  const { stair } = await resultsOf([lit('hall'), lit('stair', ['hall'])], lamps, { remediator: NO_HANDS })
  expect(stair).toMatchObject({ verdict: 'fix-failed', drift: [], message: 'it is stuck' })
})

test('a triggered action that is not possible is not tried', async () => {
  const lamps = { hall: lamp('off'), stair: lamp('on', { obstacles: [{ reason: 'the bulb is gone' }] }) }
  const { stair } = await resultsOf([lit('hall'), lit('stair', ['hall'])], lamps, { remediator: NO_HANDS })
  expect(stair).toMatchObject({ verdict: 'fix-failed', change: 'cannot', message: 'the bulb is gone' })
  expect(lamps.stair.switched).toBe(0)
})

test('a type learns all its names before the first look, and bulk reads are dropped after each change', async () => {
  const log: string[] = []
  const lamps = { hall: lamp('off'), stair: lamp('on') }
  const type = { ...lampType(lamps), announce: (_target: unknown, names: readonly string[]) => log.push(names.join()) }
  const target = { ...EMPTY_MACHINE, forget: () => log.push('forget') }
  const onProgress = ({ current }: { current: string }): void => void log.push(current)
  const policies = [policyOf([lit('hall')]), policyOf([lit('stair')], { id: 'other' })]
  await runPolicies(policies, { target, types: [type], remediator: NO_HANDS, onProgress })
  expect(log).toEqual(['hall,stair', 'lamp#hall', 'forget', 'lamp#stair'])
})
