import { expect, test } from 'vitest'
import type { Declaration } from '../../src/model/policy.ts'
import type { ResourceResult, Run } from '../../src/model/run.ts'
import { runPolicies, type RunOptions } from '../../src/engine/run.ts'
import { type Lamp, lamp, lampType } from '../support/lamp.ts'
import { control, declare, policyOf } from '../support/policy.ts'
import { EMPTY_MACHINE, NO_HANDS } from '../support/target.ts'

function lit(name: string): Declaration {
  return declare(`lamp#${name}`, { properties: { name, ensure: 'on' } })
}

const CONTROLS = [control('1', ['lamp#hall']), control('2', ['lamp#stair'])]

function fix(lamps: Record<string, Lamp>, options: Partial<RunOptions> = {}): Promise<Run> {
  const policy = policyOf(Object.keys(lamps).map(lit), { controls: CONTROLS })
  return runPolicies([policy], {
    target: EMPTY_MACHINE,
    types: [lampType(lamps)],
    remediator: NO_HANDS,
    ...options,
  })
}

function resultsOf(run: Run): Readonly<Record<string, ResourceResult>> {
  return Object.fromEntries(run.policies.flatMap(({ resources }) => resources).map((result) => [result.name, result]))
}

test.each([
  { was: 'fixed', hall: lamp('off'), drift: 1 },
  { was: 'compliant', hall: lamp('on'), drift: 0 },
])('a resource that was $was and is undone by a later change has failed', async ({ hall, drift }) => {
  const run = await fix({ hall, stair: lamp('off', { darkens: ['hall'] }) })
  expect(resultsOf(run)).toMatchObject({
    hall: {
      verdict: 'fix-failed',
      message: 'undone by lamp#stair: ensure drifted again',
      remaining: [{ property: 'ensure', desired: 'on', observed: 'off' }],
    },
    stair: { verdict: 'fixed' },
  })
  expect(resultsOf(run)['hall']?.drift).toHaveLength(drift)
  expect(run.exit.code).toBe(4)
  expect(run.summary).toMatchObject({ fixed: 1, 'fix-failed': 1 })
  expect(run.policies[0]?.controls.map(({ verdict }) => verdict)).toEqual(['fix-failed', 'fixed'])
})

test('the change that failed is named, too, and those before the resource are not', async () => {
  const lamps = {
    porch: lamp('off'),
    hall: lamp('off'),
    stair: lamp('off'),
    attic: lamp('off', { lies: true, darkens: ['hall'] }),
  }
  expect(resultsOf(await fix(lamps))).toMatchObject({
    porch: { verdict: 'fixed' },
    hall: { message: 'undone by lamp#attic or lamp#stair: ensure drifted again' },
    stair: { verdict: 'fixed' },
    attic: { verdict: 'fix-failed', message: 'failed to reach the desired state: ensure' },
  })
})

test.each([
  [['c', 'b', 'a'], 'lamp#c or lamp#b or lamp#a'],
  [['d', 'c', 'b', 'a'], 'lamp#d or lamp#c or lamp#b or 1 other'],
  [['e', 'd', 'c', 'b', 'a'], 'lamp#e or lamp#d or lamp#c or 2 others'],
])('of the changes %j that may have undone it three are named', async (latestFirst, named) => {
  const later = latestFirst.toReversed().map((name) => [name, lamp('off', { darkens: ['hall'] })] as const)
  const told = resultsOf(await fix({ hall: lamp('off'), ...Object.fromEntries(later) }))
  expect(told['hall']?.message).toBe(`undone by ${named}: ensure drifted again`)
})

test('a change of another type is named only where it may change anything', async () => {
  const lamps = { hall: lamp('off'), stair: lamp('off', { darkens: ['hall'] }), attic: lamp('off') }
  const type = lampType(lamps)
  const all = [
    lit('hall'),
    ...['exec#stair', 'sign#attic'].map((id) => declare(id, { properties: { name: id.slice(5), ensure: 'on' } })),
  ]
  const run = await runPolicies([policyOf(all)], {
    target: EMPTY_MACHINE,
    types: [type, { ...type, type: 'exec' }, { ...type, type: 'sign' }],
    remediator: NO_HANDS,
  })
  expect(resultsOf(run)['hall']?.message).toBe('undone by exec#stair: ensure drifted again')
})

test('a resource that cannot be observed any more at the end has failed', async () => {
  const hall = lamp('off')
  const onResult = (_policy: string, { name }: ResourceResult): void => {
    if (name === 'hall') hall.state = 'locked'
  }
  const told = resultsOf(await fix({ hall, stair: lamp('off') }, { onResult }))
  expect(told['hall']).toMatchObject({
    verdict: 'fix-failed',
    message: 'undone by lamp#stair: it could not be verified at the end of the fix: hall is behind a locked door',
  })
})

test('a resource that no later change can have touched is not observed again', async () => {
  const counted = { observed: 0 }
  const lamps = { hall: lamp('off', counted), stair: lamp('off', counted), attic: lamp('on', counted) }
  await fix(lamps)
  expect(Object.values(lamps).map(({ observed }) => observed)).toEqual([3, 2, 1])
})

test('the progress callback receives the undone resource once more', async () => {
  const told: string[] = []
  const onResult = (_policy: string, { name, verdict }: ResourceResult): void => void told.push(`${name} ${verdict}`)
  await fix({ hall: lamp('off'), stair: lamp('off', { darkens: ['hall'] }) }, { onResult })
  expect(told).toEqual(['hall fixed', 'stair fixed', 'hall fix-failed'])
})

test('an undone resource of a child manifest counts in the resource that applies it and in its controls', async () => {
  const lamps = { hall: lamp('off'), stair: lamp('off', { darkens: ['hall'] }) }
  const child = policyOf([lit('hall')], { id: 'child' })
  const applying = declare('apply#child')
  const policy = policyOf([applying, lit('stair')], {
    controls: [control('1', ['apply#child'])],
    children: new Map([[applying.id, { kind: 'loaded', policy: child, noop: false, healthCheckOnly: false }]]),
  })
  const { resourceTypes } = await import('../support/resource-types.ts')
  const run = await runPolicies([policy], {
    target: EMPTY_MACHINE,
    types: [lampType(lamps), ...resourceTypes],
    remediator: NO_HANDS,
  })
  const [result] = run.policies
  expect(result?.resources.map(({ id, verdict }) => `${id} ${verdict}`)).toEqual([
    'apply#child fix-failed',
    'lamp#hall fix-failed',
    'lamp#stair fixed',
  ])
  expect(result?.controls).toMatchObject([{ verdict: 'fix-failed' }])
})
