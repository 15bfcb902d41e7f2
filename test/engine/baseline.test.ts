import { expect, test } from 'vitest'
import type { Declaration, Policy } from '../../src/model/policy.ts'
import type { Run } from '../../src/model/run.ts'
import { runPolicies, type RunOptions } from '../../src/engine/run.ts'
import { createBaseline } from '../../src/model/findings/baseline.ts'
import { type Lamp, lamp, lampType } from '../support/lamp.ts'
import { control, declare, policyOf } from '../support/policy.ts'
import { EMPTY_MACHINE, NO_HANDS } from '../support/target.ts'

const on = (name: string, ensure = 'on'): Declaration => declare(`lamp#${name}`, { properties: { name, ensure } })
const POLICY = policyOf([on('hall'), on('attic')])
const BOTH_OFF = { hall: lamp('off'), attic: lamp('off') }
const HALL_OFF = { hall: lamp('off'), attic: lamp('on') }

async function run(
  lamps: Record<string, Lamp>,
  options: Partial<RunOptions> = {},
  policy: Policy = POLICY,
): Promise<Run> {
  return runPolicies([policy], { target: EMPTY_MACHINE, types: [lampType(lamps)], ...options })
}

async function against(before: Run, lamps: Record<string, Lamp>, options: Partial<RunOptions> = {}): Promise<Run> {
  return run(lamps, { ...options, baseline: createBaseline(before, 'main.json') })
}

function classes({ policies }: Run): readonly (readonly [string, string | undefined])[] {
  return policies.flatMap(({ resources }) => resources.map(({ id, drift: [drift] }) => [id, drift?.baseline] as const))
}

test('drift that is in the baseline stays visible and does not fail the gate', async () => {
  const result = await against(await run(HALL_OFF), HALL_OFF)
  expect(classes(result)).toEqual([
    ['lamp#hall', 'unchanged'],
    ['lamp#attic', undefined],
  ])
  expect(result.summary.drifted).toBe(1)
  expect(result.exit).toEqual({ code: 0, reasons: ['1 resource drifted as in the baseline'] })
})

test('new drift fails the gate and is the only drift that counts', async () => {
  const result = await against(await run(HALL_OFF), BOTH_OFF)
  expect(result.exit).toEqual({
    code: 2,
    reasons: [
      '1 resource drifted at or above severity info beyond the baseline',
      '1 resource drifted as in the baseline',
    ],
  })
  expect(result.baseline?.counts).toEqual({ new: 1, changed: 0, unchanged: 1, resolved: 0, incomparable: 0 })
})

test('the threshold of severity goes with the baseline', async () => {
  const high = policyOf([on('hall'), on('attic')], { controls: [control('c', ['lamp#attic'], { severity: 'high' })] })
  const before = await run({ hall: lamp('on'), attic: lamp('on') }, {}, high)
  const baseline = createBaseline(before, 'main.json')
  expect((await run(HALL_OFF, { baseline, failOn: 'high' }, high)).exit.code).toBe(0)
  expect((await run(BOTH_OFF, { baseline, failOn: 'high' }, high)).exit.code).toBe(2)
})

test('drift that the baseline run did not observe is new', async () => {
  const before = await run(BOTH_OFF, { selection: { only: ['lamp#hall'], skip: [] } })
  expect(classes(await against(before, BOTH_OFF))).toEqual([
    ['lamp#hall', 'unchanged'],
    ['lamp#attic', 'new'],
  ])
})

test('drift that is gone is resolved, and an unselected resource is incomparable', async () => {
  const before = await run(BOTH_OFF)
  const lit = { hall: lamp('on'), attic: lamp('on') }
  const all = await against(before, lit)
  expect(all.baseline?.resolved.map(({ resource }) => resource)).toEqual(['lamp#hall', 'lamp#attic'])
  const some = await against(before, lit, { selection: { only: ['lamp#hall'], skip: [] } })
  expect(some.baseline?.resolved.map(({ resource }) => resource)).toEqual(['lamp#hall'])
  expect(some.baseline?.incomparable.map(({ resource, why }) => [resource, why])).toEqual([
    ['lamp#attic', 'the resource was not selected'],
  ])
})

test('a fix repairs what the baseline knows, too, and it is resolved then', async () => {
  const result = await against(await run(HALL_OFF), { ...HALL_OFF, hall: lamp('off') }, { remediator: NO_HANDS })
  expect(result.summary.fixed).toBe(1)
  expect(result.baseline?.counts).toMatchObject({ new: 0, unchanged: 0, resolved: 1 })
})

test('fingerprints are the same in every run and differ between resources', async () => {
  const prints = async (lamps: Record<string, Lamp>): Promise<readonly (string | undefined)[]> =>
    (await run(lamps)).policies.flatMap(({ resources }) => resources.map(({ drift: [drift] }) => drift?.fingerprint))
  const first = await prints(BOTH_OFF)
  expect(first).toEqual(await prints(BOTH_OFF))
  expect(new Set(first).size).toBe(2)
  expect(first.every((print) => /^[0-9a-f]{32}$/.test(print ?? ''))).toBe(true)
})
