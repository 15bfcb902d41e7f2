import { expect, test } from 'vitest'
import type { Child, Declaration, Policy } from '../../src/model/policy.ts'
import type { ResourceResult, Run } from '../../src/model/run.ts'
import type { Progress } from '../../src/engine/progress.ts'
import { runPolicies, type RunOptions } from '../../src/engine/run.ts'
import { apply } from '../../src/subjects/policies/index.ts'
import type { Target } from '../../src/host/target.ts'
import { type Lamp, lamp, lampType } from '../support/lamp.ts'
import { control, declare, policyOf } from '../support/policy.ts'
import { EMPTY_MACHINE, NO_HANDS } from '../support/target.ts'

const FIX = { remediator: NO_HANDS }

function lit(name: string, extra: Partial<Declaration> = {}): Declaration {
  return declare(`lamp#${name}`, { properties: { name, ensure: 'on' }, ...extra })
}

type How = Partial<Omit<Extract<Child, { kind: 'loaded' }>, 'kind' | 'policy'>>

function loaded(policy: Policy, how: How = {}): Child {
  return { kind: 'loaded', policy, noop: false, healthCheckOnly: false, ...how }
}

/** A policy whose apply resources stand for these manifests; the ids are theirs. */
function applying(
  resources: readonly Declaration[],
  children: Readonly<Record<string, Child>>,
  extra: Partial<Policy> = {},
): Policy {
  return policyOf(resources, { children: new Map(Object.entries(children)), ...extra })
}

async function run(policy: Policy, lamps: Record<string, Lamp>, options: Partial<RunOptions> = {}): Promise<Run> {
  return runPolicies([policy], { target: EMPTY_MACHINE, types: [lampType(lamps), apply], ...options })
}

function results(done: Run): readonly ResourceResult[] {
  return done.policies.flatMap(({ resources }) => resources)
}

/** `path > id verdict` of every result. */
function verdicts(done: Run): readonly string[] {
  return results(done).map(({ path = [], id, verdict }) => `${[...path, id].join(' > ')} ${verdict}`)
}

function find(done: Run, id: string): ResourceResult {
  const found = results(done).find((result) => result.id === id)
  if (found === undefined) throw new Error(`there is no ${id}`)
  return found
}

const SUB = declare('apply#sub')

test('the resources of a child follow the resource that applies it, at every level', async () => {
  const inner = policyOf([lit('attic')])
  const outer = applying([lit('hall'), declare('apply#inner')], { 'apply#inner': loaded(inner) })
  const policy = applying([SUB, lit('hall')], { 'apply#sub': loaded(outer) })
  const done = await run(policy, { hall: lamp('on'), attic: lamp('off') })
  expect(verdicts(done)).toEqual([
    'apply#sub drifted',
    'apply#sub > lamp#hall compliant',
    'apply#sub > apply#inner drifted',
    'apply#sub > apply#inner > lamp#attic drifted',
    'lamp#hall compliant',
  ])
  expect(done.summary).toMatchObject({ total: 3, compliant: 2, drifted: 1 })
  expect(done.exit.code).toBe(2)
})

test.each<{ title: string; lamps: Record<string, Lamp>; fix?: boolean; expected: Partial<ResourceResult> }>([
  {
    title: 'all is right',
    lamps: { a: lamp('on'), b: lamp('on') },
    expected: { verdict: 'compliant', drift: [], ensure: { desired: 'present', observed: 'present' } },
  },
  {
    title: 'one drifted',
    lamps: { a: lamp('on'), b: lamp('off') },
    expected: {
      verdict: 'drifted',
      change: 'will',
      drift: [{ property: 'resources', desired: '2 compliant', observed: '1 compliant' }],
      message: 'child manifest: 1 of 2 resources drifted',
    },
  },
  {
    title: 'one drifted and cannot be fixed',
    lamps: { a: lamp('off'), b: lamp('off', { obstacles: [{ reason: 'no bulb' }] }) },
    expected: { verdict: 'drifted', change: 'cannot', changeReason: '1 of 2 resources cannot be fixed' },
  },
  {
    title: 'one cannot be decided',
    lamps: { a: lamp('locked'), b: lamp('off') },
    expected: {
      verdict: 'error',
      reason: 'permission-denied',
      errors: ['child manifest: 1 of 2 resources unknown, 1 drifted'],
    },
  },
  {
    title: 'one was fixed',
    lamps: { a: lamp('on'), b: lamp('off') },
    fix: true,
    expected: {
      verdict: 'fixed',
      drift: [{ property: 'resources', desired: '2 compliant', observed: '1 compliant' }],
      message: 'child manifest: 1 of 2 resources fixed',
    },
  },
  {
    title: 'a fix failed',
    lamps: { a: lamp('off'), b: lamp('off', { jammed: 'stuck' }) },
    fix: true,
    expected: {
      verdict: 'fix-failed',
      drift: [{ property: 'resources', desired: '2 compliant', observed: '0 compliant' }],
      remaining: [{ property: 'resources', desired: '2 compliant', observed: '1 compliant' }],
      errors: ['child manifest: 1 of 2 resources failed to fix, 1 fixed'],
    },
  },
])('the verdict of an apply resource is the worst of its child: $title', async ({ lamps, fix, expected }) => {
  const policy = applying([SUB], { 'apply#sub': loaded(policyOf([lit('a'), lit('b')])) })
  // A fix switches them, and the table is there for every run of the test.
  const done = await run(policy, structuredClone(lamps), fix === true ? FIX : {})
  expect(results(done)[0]).toMatchObject({ id: 'apply#sub', provider: 'ccmmanifest', ...expected })
})

test('resources that do not apply to this machine do not count in a child', async () => {
  const expander = {
    control: ({ id }: Declaration) =>
      id === 'lamp#a' ? ({ kind: 'not-managed', because: 'no' } as const) : ({ kind: 'managed' } as const),
    expand: ({ properties }: Declaration) => ({ kind: 'expanded', properties }) as const,
  }
  const child = policyOf([lit('a'), lit('b')], { expander })
  const policy = applying([SUB], { 'apply#sub': loaded(child) })
  expect(find(await run(policy, { b: lamp('off') }), 'apply#sub').message).toBe(
    'child manifest: 1 of 1 resource drifted',
  )
  const done = await run(applying([SUB], { 'apply#sub': loaded(policyOf([lit('a')], { expander })) }), {})
  expect(verdicts(done)).toEqual(['apply#sub not-applicable', 'apply#sub > lamp#a not-applicable'])
  expect(done.exit.code).toBe(5)
})

test.each<[string, Child, Partial<ResourceResult>, number]>([
  [
    'ruled out',
    { kind: 'ruled-out', because: 'control.if is false: 1 > 2' },
    { verdict: 'not-applicable', message: 'control.if is false: 1 > 2' },
    5,
  ],
  [
    'not to be evaluated',
    { kind: 'failed', reason: 'template', errors: ['name: broken'] },
    { verdict: 'error', reason: 'template', errors: ['name: broken'] },
    3,
  ],
])('an apply resource that is %s stands alone', async (_title, child, expected, code) => {
  const done = await run(applying([SUB], { 'apply#sub': child }), {})
  expect(results(done)).toMatchObject([expected])
  expect(done.summary.total).toBe(1)
  expect(done.exit.code).toBe(code)
})

test('noop only audits a child, and what is below it, in a fix too', async () => {
  const inner = policyOf([lit('attic')])
  const outer = applying([lit('hall'), declare('apply#inner')], { 'apply#inner': loaded(inner) })
  const policy = applying([SUB, lit('stair')], { 'apply#sub': loaded(outer, { noop: true }) })
  const lamps = { hall: lamp('off'), attic: lamp('off'), stair: lamp('off') }
  const done = await run(policy, lamps, FIX)
  expect(verdicts(done)).toEqual([
    'apply#sub drifted',
    'apply#sub > lamp#hall drifted',
    'apply#sub > apply#inner drifted',
    'apply#sub > apply#inner > lamp#attic drifted',
    'lamp#stair fixed',
  ])
  expect([lamps.hall.switched, lamps.attic.switched, lamps.stair.switched]).toEqual([0, 0, 1])
  expect(done.exit.code).toBe(2)
})

test('an audit knows that a fix will not touch what has noop', async () => {
  const policy = applying([SUB, lit('stair', { subscribe: ['apply#sub'] })], {
    'apply#sub': loaded(policyOf([lit('hall')]), { noop: true }),
  })
  const done = await run(policy, { hall: lamp('off'), stair: lamp('on') })
  expect(find(done, 'apply#sub')).toMatchObject({ verdict: 'drifted', change: 'cannot' })
  expect(find(done, 'lamp#hall')).toMatchObject({
    verdict: 'drifted',
    change: 'cannot',
    changeReason: 'apply#sub has noop and is only audited',
    actions: ['Would have switched on'],
  })
  expect(find(done, 'lamp#stair').actions).toEqual([])
})

test('a noop child provides nothing, so its pending fixes do not count', async () => {
  const missing = lamp('off', { obstacles: [{ reason: 'no hall', missing: '/lamps/hall' }] })
  const policy = (noop: boolean): Policy =>
    applying([SUB, lit('stair')], { 'apply#sub': loaded(policyOf([lit('hall')]), { noop }) })
  const lamps = { hall: lamp('off'), stair: missing }
  expect(find(await run(policy(false), lamps), 'lamp#stair').change).toBe('may')
  expect(find(await run(policy(true), lamps), 'lamp#stair').change).toBe('cannot')
})

test.each<{ state: Lamp['state']; options: Partial<RunOptions>; triggered: boolean }>([
  { state: 'off', options: FIX, triggered: true },
  { state: 'on', options: FIX, triggered: false },
  { state: 'off', options: {}, triggered: false },
])('a subscriber reacts to what a fix changed in a child: $#', async ({ state, options, triggered }) => {
  const policy = applying([SUB, lit('stair', { subscribe: ['apply#sub'] })], {
    'apply#sub': loaded(policyOf([lit('hall')])),
  })
  const lamps = { hall: lamp(state), stair: lamp('on') }
  const done = await run(policy, lamps, options)
  expect(lamps.stair.switched).toBe(triggered ? 1 : 0)
  expect(find(done, 'lamp#stair').actions.length).toBe(state === 'off' ? 1 : 0)
})

test('a resource that requires a child which failed is blocked', async () => {
  const policy = applying([SUB, lit('stair', { require: ['apply#sub'] })], {
    'apply#sub': loaded(policyOf([lit('hall')])),
  })
  const done = await run(policy, { hall: lamp('locked'), stair: lamp('off') })
  expect(find(done, 'lamp#stair')).toMatchObject({ verdict: 'blocked', blockedBy: ['apply#sub'] })
})

test('nothing in a child is evaluated whose resource is blocked', async () => {
  const policy = applying([lit('hall'), declare('apply#sub', { require: ['lamp#hall'] })], {
    'apply#sub': loaded(applying([declare('apply#inner')], { 'apply#inner': loaded(policyOf([lit('attic')])) })),
  })
  const lamps = { hall: lamp('locked'), attic: lamp('off') }
  const done = await run(policy, lamps, FIX)
  expect(verdicts(done)).toEqual([
    'lamp#hall error',
    'apply#sub blocked',
    'apply#sub > apply#inner blocked',
    'apply#sub > apply#inner > lamp#attic blocked',
  ])
  expect(find(done, 'lamp#attic').message).toBe('requires lamp#hall (error)')
  expect(lamps.attic.switched).toBe(0)
})

test('fail_on_error of a child stops the child only', async () => {
  const child = policyOf([lit('a'), lit('b')], { failOnError: true })
  const policy = applying([SUB, lit('c')], { 'apply#sub': loaded(child) })
  const done = await run(policy, { a: lamp('locked'), b: lamp('on'), c: lamp('on') })
  expect(verdicts(done)).toEqual([
    'apply#sub error',
    'apply#sub > lamp#a error',
    'apply#sub > lamp#b blocked',
    'lamp#c compliant',
  ])
})

test('fail_on_error stops at a child that failed, and nothing in the next one is evaluated', async () => {
  const policy = applying(
    [SUB, declare('apply#next')],
    { 'apply#sub': loaded(policyOf([lit('a'), lit('b')])), 'apply#next': loaded(policyOf([lit('c')])) },
    { failOnError: true },
  )
  const done = await run(policy, { a: lamp('locked'), b: lamp('on'), c: lamp('on') })
  expect(verdicts(done)).toEqual([
    'apply#sub error',
    'apply#sub > lamp#a error',
    'apply#sub > lamp#b compliant',
    'apply#next blocked',
    'apply#next > lamp#c blocked',
  ])
})

test('ids of a child do not clash with those of the policy', async () => {
  const child = policyOf([lit('hall'), lit('stair', { require: ['lamp#hall'] })])
  const policy = applying([lit('hall'), SUB, lit('stair', { require: ['lamp#hall'] })], { 'apply#sub': loaded(child) })
  const done = await run(policy, { hall: lamp('locked'), stair: lamp('on') })
  expect(verdicts(done)).toEqual([
    'lamp#hall error',
    'apply#sub error',
    'apply#sub > lamp#hall error',
    'apply#sub > lamp#stair blocked',
    'lamp#stair blocked',
  ])
})

test('everything in a child supports the controls of the resource that applies it', async () => {
  const child = policyOf([lit('a'), lit('b')], { controls: [control('own', ['lamp#a'], { severity: 'critical' })] })
  const policy = applying(
    [SUB, lit('c')],
    { 'apply#sub': loaded(child) },
    { controls: [control('all', ['apply#sub'], { severity: 'high', tags: ['t'] }), control('other', ['lamp#c'])] },
  )
  const done = await run(policy, { a: lamp('on'), b: lamp('off'), c: lamp('on') })
  expect(find(done, 'lamp#a')).toMatchObject({ severity: 'critical', controls: ['all', 'own'], tags: ['t'] })
  expect(find(done, 'lamp#b')).toMatchObject({ severity: 'high', controls: ['all'] })
  expect(find(done, 'apply#sub')).toMatchObject({ severity: 'high', controls: ['all'] })
  expect(done.policies[0]?.controls).toMatchObject([
    { id: 'all', verdict: 'drifted', resources: ['apply#sub'] },
    { id: 'other', verdict: 'compliant' },
    { id: 'own', path: ['apply#sub'], verdict: 'compliant', resources: ['lamp#a'] },
  ])
})

test('only what is selected of a child is evaluated, and rolled up', async () => {
  const policy = applying([SUB, lit('c')], { 'apply#sub': loaded(policyOf([lit('a'), lit('b')])) })
  const seen: Progress[] = []
  const done = await run(
    policy,
    { a: lamp('off'), b: lamp('on'), c: lamp('on') },
    { selection: { only: ['lamp#b'], skip: [] }, onProgress: (progress) => seen.push(progress) },
  )
  expect(verdicts(done)).toEqual(['apply#sub compliant', 'apply#sub > lamp#b compliant'])
  expect(seen).toMatchObject([{ total: 1, current: 'lamp#b' }])
})

test('unscanned requirements are counted as skipped: controls, and resources without a control', async () => {
  const child = policyOf([lit('a'), lit('b')], { controls: [control('own', ['lamp#a'])] })
  const policy = applying(
    [SUB, lit('c'), lit('d'), lit('e')],
    { 'apply#sub': loaded(child) },
    {
      controls: [control('both', ['lamp#c', 'lamp#d']), control('person', [], { manual: true })],
    },
  )
  const lamps = { a: lamp('on'), b: lamp('on'), c: lamp('on'), d: lamp('on'), e: lamp('on') }
  const skippedOf = async (only: readonly string[], options: Partial<RunOptions> = {}): Promise<number | undefined> =>
    (await run(policy, lamps, { selection: { only, skip: [] }, ...options })).policies[0]?.skipped
  expect(await skippedOf([])).toBeUndefined()
  // There are the controls "own", "both" and "person", and the lamps b and e without one.
  expect(await skippedOf(['lamp#c'])).toBe(4)
  expect(await skippedOf(['apply#sub'])).toBe(3)
  expect(await skippedOf(['person', 'lamp#e'])).toBe(3)
  const controller = new AbortController()
  const interrupted = { signal: controller.signal, onProgress: () => controller.abort('SIGINT') }
  // Reached were lamp a, so "own", and what only a person can look at.
  expect(await skippedOf([], interrupted)).toBe(3)
})

test('types are told what the run will ask of them in children, too', async () => {
  const told: (readonly string[])[] = []
  const type = { ...lampType({}), announce: (_target: unknown, names: readonly string[]) => void told.push(names) }
  const policy = applying([lit('c'), SUB], { 'apply#sub': loaded(policyOf([lit('a'), lit('b')])) })
  const selection = { only: [], skip: ['lamp#b'] }
  await runPolicies([policy], { target: EMPTY_MACHINE, types: [type, apply], selection })
  expect(told).toEqual([['c', 'a']])
})

test('secrets of a child are hidden in the whole report', async () => {
  const child = policyOf([lit('sesame-hall')], { secrets: ['sesame'], notes: ['a note'] })
  const done = await run(applying([SUB], { 'apply#sub': loaded(child) }), {})
  expect(JSON.stringify(done)).not.toContain('sesame')
  expect(done.notes).toEqual(['a note'])
})

test('an interruption inside a child ends the run after the current resource', async () => {
  const controller = new AbortController()
  const policy = applying([SUB, lit('c')], { 'apply#sub': loaded(policyOf([lit('a'), lit('b')])) })
  const done = await run(
    policy,
    { a: lamp('on'), b: lamp('on'), c: lamp('on') },
    { signal: controller.signal, onProgress: () => controller.abort('SIGINT') },
  )
  expect(verdicts(done)).toEqual(['apply#sub compliant', 'apply#sub > lamp#a compliant'])
  expect(done.exit.code).toBe(130)
})

const CHECK = { name: 'check', argv: ['true'], tries: 1, pauseMs: 0, timeoutMs: 1000 } as const

function machineWhereCommandsExit(exitCode: number): Target {
  return { ...EMPTY_MACHINE, run: async () => ({ kind: 'exited', exitCode, stdout: '', stderr: '', output: '' }) }
}

test('health_check_only looks at nothing in a child and runs its health checks', async () => {
  const child = policyOf([lit('a', { healthChecks: [CHECK] }), lit('b')])
  const policy = applying([SUB, lit('c')], { 'apply#sub': loaded(child, { healthCheckOnly: true }) })
  const lamps = { a: lamp('off'), b: lamp('off'), c: lamp('on') }
  const target = machineWhereCommandsExit(0)
  const done = await run(policy, lamps, { ...FIX, target })
  expect(verdicts(done)).toEqual([
    'apply#sub compliant',
    'apply#sub > lamp#a compliant',
    'apply#sub > lamp#b not-applicable',
    'lamp#c compliant',
  ])
  expect(lamps.a.switched).toBe(0)
})

test.each<{ how: How; exitCode: number; options: Partial<RunOptions>; verdict: string; code: number }>([
  { how: {}, exitCode: 0, options: {}, verdict: 'compliant', code: 0 },
  { how: {}, exitCode: 2, options: {}, verdict: 'drifted', code: 2 },
  { how: {}, exitCode: 2, options: FIX, verdict: 'fix-failed', code: 4 },
  { how: { noop: true }, exitCode: 2, options: FIX, verdict: 'drifted', code: 2 },
  { how: {}, exitCode: 2, options: { monitorOnly: true }, verdict: 'drifted', code: 2 },
])('an apply resource answers for its own health checks: $#', async ({ how, exitCode, options, verdict, code }) => {
  const checked = declare('apply#sub', { healthChecks: [CHECK] })
  const policy = applying([checked], { 'apply#sub': loaded(policyOf([lit('a')]), how) })
  const done = await run(policy, { a: lamp('on') }, { ...options, target: machineWhereCommandsExit(exitCode) })
  expect(find(done, 'apply#sub')).toMatchObject({ verdict, health: [{ name: 'check' }] })
  expect(done.exit.code).toBe(code)
})
