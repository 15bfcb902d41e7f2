import { expect, test } from 'vitest'
import type { Declaration, Policy } from '../../src/model/policy.ts'
import type { ResourceResult, Run } from '../../src/model/run.ts'
import { runPolicies, type RunOptions } from '../../src/engine/run.ts'
import { type Lamp, lamp, lampType } from '../support/lamp.ts'
import { control, declare, policyOf } from '../support/policy.ts'
import { EMPTY_MACHINE, NO_HANDS } from '../support/target.ts'

function lit(name: string, extra: Partial<Declaration> = {}, properties: Record<string, unknown> = {}): Declaration {
  return declare(`lamp#${name}`, { properties: { name, ensure: 'on', ...properties }, ...extra })
}

async function run(
  policies: Policy | readonly Policy[],
  lamps: Record<string, Lamp>,
  options: Partial<RunOptions> = {},
): Promise<Run> {
  const list = 'resources' in policies ? [policies] : policies
  return runPolicies(list, { target: EMPTY_MACHINE, types: [lampType(lamps)], ...options })
}

function first(result: Run): ResourceResult {
  const [resource] = result.policies.flatMap(({ resources }) => resources)
  if (resource === undefined) throw new Error('the run has no result')
  return resource
}

const FIX = { remediator: NO_HANDS }

test('a resource in its desired state is compliant, and nothing is done to it', async () => {
  const lamps = { hall: lamp('on') }
  const result = await run(policyOf([lit('hall')]), lamps, FIX)
  expect(first(result)).toMatchObject({ verdict: 'compliant', drift: [], actions: [] })
  expect(result.exit).toEqual({ code: 0, reasons: [] })
  expect(lamps.hall.switched).toBe(0)
})

test('an audit reports drift with both values and the plan, and changes nothing', async () => {
  const lamps = { hall: lamp('off') }
  const result = await run(policyOf([lit('hall', {}, { label: 'exit' })]), lamps)
  expect(first(result)).toMatchObject({
    verdict: 'drifted',
    change: 'will',
    provider: 'hand',
    ensure: { desired: 'on', observed: 'off' },
    drift: [
      { property: 'ensure', desired: 'on', observed: 'off' },
      { property: 'label', desired: 'exit', observed: 'plain' },
    ],
    actions: ['Would have switched on'],
    message: 'ensure: want on, found off; label: want exit, found plain',
  })
  expect(result.exit.code).toBe(2)
  expect(lamps.hall).toEqual(lamp('off'))
})

test('a fix acts once, proves the result with a fresh look and says what was done', async () => {
  const lamps = { hall: lamp('off') }
  const result = await run(policyOf([lit('hall')]), lamps, FIX)
  expect(first(result)).toMatchObject({
    verdict: 'fixed',
    drift: [{ property: 'ensure', observed: 'off' }],
    actions: ['Switched on'],
  })
  expect(result.run.mode).toBe('fix')
  expect(result.exit.code).toBe(0)
  expect(lamps.hall.switched).toBe(1)
})

test('success that the machine does not confirm is a failed fix', async () => {
  const result = await run(policyOf([lit('hall')]), { hall: lamp('off', { lies: true }) }, FIX)
  expect(first(result)).toMatchObject({
    verdict: 'fix-failed',
    remaining: [{ property: 'ensure', desired: 'on', observed: 'off' }],
    message: 'failed to reach the desired state: ensure',
  })
  expect(result.exit.code).toBe(4)
})

test('an impossible change is reported and does not prevent the other changes', async () => {
  const policy = policyOf([lit('hall', {}, { label: 'exit' })])
  const lamps = { hall: lamp('off', { engraved: 'the label is engraved' }) }
  expect(first(await run(policy, lamps))).toMatchObject({
    verdict: 'drifted',
    change: 'cannot',
    changeReason: 'the label is engraved',
    actions: ['Would have switched on'],
  })
  const fixed = await run(policy, lamps, FIX)
  expect(first(fixed)).toMatchObject({
    verdict: 'fix-failed',
    change: 'cannot',
    remaining: [{ property: 'label', desired: 'exit', observed: 'plain' }],
    message: 'Switched on, but the label is engraved',
  })
  expect(fixed.exit.code).toBe(4)
  expect(lamps.hall).toMatchObject({ state: 'on', switched: 1 })
})

test('a failed action keeps its own message and does not stop the others', async () => {
  const lamps = { hall: lamp('off', { jammed: 'the switch is stuck' }), door: lamp('off') }
  const result = await run(policyOf([lit('hall'), lit('door')]), lamps, FIX)
  expect(result.policies[0]?.resources.map(({ verdict, message }) => [verdict, message])).toEqual([
    ['fix-failed', 'the switch is stuck'],
    ['fixed', 'ensure: want on, found off'],
  ])
})

test('an action that failed and then cannot be verified says both', async () => {
  const hall: Lamp = {
    switched: 0,
    jammed: 'the switch is stuck',
    get state() {
      return this.switched === 0 ? 'off' : 'locked'
    },
  }
  expect(first(await run(policyOf([lit('hall')]), { hall }, FIX))).toMatchObject({
    verdict: 'fix-failed',
    message: 'the switch is stuck; could not be verified: hall is behind a locked door',
  })
})

test('a defect in what applies is a failed fix that says it', async () => {
  const hall: Lamp = {
    state: 'off',
    switched: 0,
    get jammed(): string {
      throw new TypeError('the switch has no knob')
    },
  }
  const result = first(await run(policyOf([lit('hall')]), { hall }, FIX))
  expect(result.verdict).toBe('fix-failed')
  expect(result.message).toContain('the switch has no knob')
})

test('an unreadable resource is an error, never compliant and never absent', async () => {
  const result = await run(policyOf([lit('hall')]), { hall: lamp('locked') })
  expect(first(result)).toMatchObject({
    verdict: 'error',
    reason: 'permission-denied',
    errors: ['hall is behind a locked door'],
    drift: [],
  })
  expect(result.exit.code).toBe(3)
})

test('an unreadable property makes an error only where nothing else drifts', async () => {
  const drifted = await run(policyOf([lit('hall')]), { hall: lamp('off', { dim: true }) })
  expect(first(drifted)).toMatchObject({ verdict: 'drifted', unknown: [{ property: 'label', detail: 'too dark' }] })
  const matching = await run(policyOf([lit('hall')]), { hall: lamp('on', { dim: true }) })
  expect(first(matching)).toMatchObject({ verdict: 'error', reason: 'not-observable', message: 'label: too dark' })
})

test('a defect in a type costs its own resource only', async () => {
  const result = await run(policyOf([lit('hall'), lit('door')]), {
    hall: lamp('on', { broken: true }),
    door: lamp('on'),
  })
  expect(result.policies[0]?.resources.map(({ verdict, reason }) => [verdict, reason])).toEqual([
    ['error', 'internal'],
    ['compliant', undefined],
  ])
})

test('an obstacle shared by several actions is reported once', async () => {
  const obstacles = ['there is no bulb', 'the wire is cut', 'there is no bulb'].map((reason) => ({ reason }))
  const audit = await run(policyOf([lit('hall')]), { hall: lamp('off', { obstacles }) })
  expect(first(audit)).toMatchObject({ changeReason: 'there is no bulb; the wire is cut' })
})

test('an obstacle makes a change impossible, and a fix does not try', async () => {
  const lamps = { hall: lamp('off', { obstacles: [{ reason: 'there is no bulb' }] }) }
  const audit = await run(policyOf([lit('hall')]), lamps)
  expect(first(audit)).toMatchObject({ verdict: 'drifted', change: 'cannot', changeReason: 'there is no bulb' })
  const fix = await run(policyOf([lit('hall')]), lamps, FIX)
  expect(first(fix)).toMatchObject({ verdict: 'fix-failed', message: 'there is no bulb', change: 'cannot' })
  expect(lamps.hall.switched).toBe(0)
})

test('a dependency provided by an earlier pending fix turns "cannot" into "may"', async () => {
  const lamps = {
    plug: lamp('off'),
    hall: lamp('off', { obstacles: [{ reason: 'there is no plug', missing: '/lamps/plug' }] }),
  }
  const result = await run(policyOf([lit('plug'), lit('hall')]), lamps)
  expect(result.policies[0]?.resources.map(({ change }) => change)).toEqual(['will', 'may'])
  const alone = await run(policyOf([lit('hall'), lit('plug')]), lamps)
  expect(alone.policies[0]?.resources.map(({ change }) => change)).toEqual(['cannot', 'will'])
})

test('a fatal obstacle is an error unless an earlier fix would remove it', async () => {
  const obstacles = [{ reason: 'no drawing of it', missing: '/lamps/plug', fatal: 'invalid' as const }]
  const lamps = { plug: lamp('off'), hall: lamp('off', { obstacles }) }
  const alone = await run(policyOf([lit('hall')]), lamps)
  expect(first(alone)).toMatchObject({ verdict: 'error', reason: 'invalid', message: 'no drawing of it' })
  const both = await run(policyOf([lit('plug'), lit('hall')]), lamps)
  expect(both.policies[0]?.resources[1]).toMatchObject({ verdict: 'drifted', change: 'may' })
})

test('a requirement in trouble blocks, and blocks on', async () => {
  const policy = policyOf([lit('a'), lit('b', { require: ['lamp#a'] }), lit('c', { require: ['lamp#b'] }), lit('d')])
  const result = await run(policy, { a: lamp('locked'), b: lamp('on'), c: lamp('on'), d: lamp('on') })
  expect(result.policies[0]?.resources.map(({ verdict, message }) => [verdict, message])).toEqual([
    ['error', 'a is behind a locked door'],
    ['blocked', 'requires lamp#a (error)'],
    ['blocked', 'requires lamp#b (blocked)'],
    ['compliant', undefined],
  ])
  expect(result.policies[0]?.resources[1]?.blockedBy).toEqual(['lamp#a'])
})

test('a drifted requirement does not block an audit; its dependent may change', async () => {
  const policy = policyOf([lit('a'), lit('b', { require: ['lamp#a'] })])
  const result = await run(policy, { a: lamp('off'), b: lamp('off') })
  expect(result.policies[0]?.resources[1]).toMatchObject({
    verdict: 'drifted',
    change: 'may',
    changeReason: 'requires lamp#a, which drifted',
  })
})

test('a failed fix blocks what requires it', async () => {
  const lamps = { a: lamp('off', { jammed: 'stuck' }), b: lamp('off') }
  const result = await run(policyOf([lit('a'), lit('b', { require: ['lamp#a'] })]), lamps, FIX)
  expect(result.policies[0]?.resources.map(({ verdict }) => verdict)).toEqual(['fix-failed', 'blocked'])
  expect(lamps.b.switched).toBe(0)
})

test('fail_on_error stops its own policy at an error, and the rest are blocked with that reason', async () => {
  const strict = policyOf([lit('a'), lit('b')], { failOnError: true })
  const other = policyOf([lit('b')], { id: 'other' })
  const result = await run([strict, other], { a: lamp('locked'), b: lamp('on') })
  expect(result.policies.map(({ resources }) => resources.map(({ verdict }) => verdict))).toEqual([
    ['error', 'blocked'],
    ['compliant'],
  ])
  expect(result.policies[0]?.resources[1]?.message).toContain('fail_on_error stopped the policy at lamp#a')
})

test('fail_on_error is not concerned by drift', async () => {
  const strict = policyOf([lit('a'), lit('b')], { failOnError: true })
  const result = await run(strict, { a: lamp('off'), b: lamp('off') })
  expect(result.policies[0]?.resources.map(({ verdict }) => verdict)).toEqual(['drifted', 'drifted'])
})

test('controls take the worst verdict of their resources, and resources the gravest severity of their controls', async () => {
  const policy = policyOf([lit('a'), lit('b'), lit('c')], {
    controls: [
      control('one', ['lamp#a', 'lamp#b'], { severity: 'low', tags: ['light'] }),
      control('two', ['lamp#b'], { severity: 'critical' }),
      control('three', ['lamp#c'], { severity: 'high' }),
    ],
  })
  const result = await run(policy, { a: lamp('on'), b: lamp('off'), c: lamp('on') })
  expect(result.policies[0]?.controls.map(({ id, verdict }) => [id, verdict])).toEqual([
    ['one', 'drifted'],
    ['two', 'drifted'],
    ['three', 'compliant'],
  ])
  expect(result.policies[0]?.resources.map(({ severity, controls, tags }) => [severity, controls, tags])).toEqual([
    ['low', ['one'], ['light']],
    ['critical', ['one', 'two'], ['light']],
    ['high', ['three'], undefined],
  ])
})

test('a control says of itself what the policy says of it, and no more', async () => {
  const said = {
    title: 'Light',
    description: 'Somebody has to see.',
    remediation: 'Switch it on.',
    references: { CIS: ['1.1'] },
    tags: ['light'],
  }
  const policy = policyOf([lit('a')], {
    controls: [control('told', ['lamp#a'], said), control('bare', ['lamp#a'])],
  })
  const [told, bare] = (await run(policy, { a: lamp('on') })).policies[0]?.controls ?? []
  const rest = { verdict: 'compliant', resources: ['lamp#a'] }
  expect(told).toStrictEqual({ id: 'told', severity: told?.severity, ...said, ...rest })
  expect(bare).toStrictEqual({ id: 'bare', severity: bare?.severity, ...rest })
})

test('only what is selected is looked at, and controls without a selected resource are left out', async () => {
  const policy = policyOf([lit('a'), lit('b')], { controls: [control('one', ['lamp#a']), control('two', ['lamp#b'])] })
  const lamps = { a: lamp('on'), b: lamp('locked') }
  const result = await run(policy, lamps, { selection: { only: ['one'], skip: [] } })
  expect(result.policies[0]?.resources.map(({ id }) => id)).toEqual(['lamp#a'])
  expect(result.policies[0]?.controls.map(({ id }) => id)).toEqual(['one'])
  expect(result.exit.code).toBe(0)
})

test('a selector that names nothing stops the scan with a suggestion', async () => {
  const warning = { message: 'told while loading', severity: 'warning' } as const
  const options = { selection: { only: ['lamp#hal'], skip: [] }, problems: [warning] }
  const result = await run(policyOf([lit('hall')]), {}, options)
  expect(result.exit.code).toBe(1)
  expect(result.policies).toEqual([])
  expect(result.exit.reasons).toEqual(['the scan was not performed: 1 problem'])
  expect(result.problems?.map(({ message }) => message)).toEqual([
    'told while loading',
    'selector "lamp#hal" has no match, did you mean "lamp#hall"?',
  ])
})

test('tags of controls are suggested, too', async () => {
  const policy = policyOf([lit('a')], { controls: [control('one', ['lamp#a'], { tags: ['light'] })] })
  const stopped = await run(policy, {}, { selection: { only: ['tag:ligth'], skip: [] } })
  expect(stopped.exit.reasons).toEqual(['the scan was not performed: 1 problem'])
  expect(stopped.problems?.map(({ message }) => message)).toEqual([
    'selector "tag:ligth" has no match, did you mean "tag:light"?',
  ])
  const bare = await run(policy, {}, { selection: { only: ['light'], skip: [] } })
  expect(bare.problems?.map(({ message }) => message)).toEqual([
    'selector "light" has no match: tags are selected by tag:light',
  ])
})

test('empty fields are left out of the run, and load problems are in it', async () => {
  const lamps = { a: lamp('on') }
  const silent = await run(policyOf([lit('a')]), lamps)
  for (const field of ['problems', 'notes', 'waivers', 'baseline']) expect(silent).not.toHaveProperty(field)
  for (const field of ['title', 'version']) expect(silent.policies[0]).not.toHaveProperty(field)
  const warning = { message: 'old', severity: 'warning' } as const
  const extra = { title: 'Light', version: '1.2.3', notes: ['a note'] }
  const telling = await run(policyOf([lit('a')], extra), lamps, { problems: [warning] })
  expect(telling).toMatchObject({ problems: [warning], notes: ['a note'] })
  expect(telling.policies[0]).toMatchObject({ title: 'Light', version: '1.2.3' })
})

test('a selection that leaves nothing is not a success', async () => {
  const result = await run(policyOf([lit('hall')]), { hall: lamp('on') }, { selection: { only: [], skip: ['lamp#*'] } })
  expect(result.exit).toEqual({ code: 5, reasons: ['nothing was evaluated: no resource matches the selection'] })
})

test('control rules a resource out with its expression, or fails it alone', async () => {
  const policy = policyOf([lit('a'), lit('b'), lit('c')], {
    expander: {
      control: ({ name }) =>
        name === 'a'
          ? { kind: 'not-managed', because: 'if: 1 == 2' }
          : name === 'b'
            ? { kind: 'failed', message: 'unknown name x' }
            : { kind: 'managed' },
      expand: ({ properties }) => ({ kind: 'expanded', properties }),
    },
  })
  const result = await run(policy, { a: lamp('off'), b: lamp('off'), c: lamp('on') })
  expect(result.policies[0]?.resources.map(({ verdict, message }) => [verdict, message])).toEqual([
    ['not-applicable', 'if: 1 == 2'],
    ['error', 'unknown name x'],
    ['compliant', undefined],
  ])
})

test('a condition that nothing evaluates does not hold by that', async () => {
  const gated = { ...lit('a'), control: { if: 'Facts.x' } }
  expect(first(await run(policyOf([gated]), { a: lamp('on') }))).toMatchObject({ verdict: 'error', reason: 'template' })
})

test('values that come out of templates are checked for that resource alone', async () => {
  const policy = policyOf([lit('a'), lit('b')], {
    expander: {
      control: () => ({ kind: 'managed' }),
      expand: ({ name, properties }) => ({
        kind: 'expanded',
        properties: name === 'a' ? { ...properties, ensure: 'purple' } : properties,
      }),
    },
  })
  const result = await run(policy, { a: lamp('on'), b: lamp('on') })
  expect(result.policies[0]?.resources.map(({ verdict, reason }) => [verdict, reason])).toEqual([
    ['error', 'invalid'],
    ['compliant', undefined],
  ])
})

test('a provider that does not work on this platform is an error that names it', async () => {
  const target = { ...EMPTY_MACHINE, system: { ...EMPTY_MACHINE.system, platform: 'plan9' } }
  const result = await run(policyOf([lit('a')]), { a: lamp('on') }, { target })
  expect(first(result)).toMatchObject({
    verdict: 'error',
    reason: 'no-provider',
    errors: ['no usable provider of type lamp on plan9'],
  })
  const named = await run(policyOf([lit('a', { provider: 'foot' })]), { a: lamp('on') })
  expect(first(named)).toMatchObject({ reason: 'no-provider', errors: ['provider foot cannot be used on linux'] })
})

test('an interruption ends the run after the current resource and is said', async () => {
  const controller = new AbortController()
  const lamps = { a: lamp('on'), b: lamp('on') }
  const result = await run(policyOf([lit('a'), lit('b')]), lamps, {
    signal: controller.signal,
    onProgress: () => controller.abort('SIGTERM'),
  })
  expect(result.run.interrupted).toBe(true)
  expect(result.policies[0]?.resources.map(({ id }) => id)).toEqual(['lamp#a'])
  expect(result.exit.code).toBe(143)
})

test('progress tells how far the run is', async () => {
  const seen: unknown[] = []
  const lamps = { a: lamp('off'), b: lamp('on') }
  await run(policyOf([lit('a'), lit('b')]), lamps, { onProgress: (progress) => seen.push(progress) })
  expect(seen).toEqual([
    { done: 0, total: 2, drifted: 0, current: 'lamp#a' },
    { done: 1, total: 2, drifted: 1, current: 'lamp#b' },
  ])
})

test('a sensitive resource shows that it drifted but no value, and still what is no secret', async () => {
  const policy = policyOf([lit('hall', { sensitive: true }, { label: 'hunter2' })])
  const result = await run(policy, { hall: lamp('off') })
  expect(JSON.stringify(result)).not.toContain('hunter2')
  expect(first(result).drift.map(({ property, desired }) => [property, typeof desired])).toEqual([
    ['ensure', 'string'],
    ['label', 'object'],
  ])
})

test.each([
  { sensitive: false, warnings: ['its label hunter2 is loose'] },
  { sensitive: true, warnings: ['a warning is hidden because the resource is sensitive'] },
])('a warning is shown, and of a sensitive resource only that there is one ($sensitive)', async (row) => {
  const policy = policyOf([lit('hall', { sensitive: row.sensitive })])
  const result = await run(policy, { hall: lamp('on', { warns: 'its label hunter2 is loose' }) })
  expect(first(result).warnings).toEqual(row.warnings)
})

test('the same machine and policy give the same run, but for its times and id', async () => {
  const policy = policyOf([lit('a', { sensitive: true }, { label: 'x' }), lit('b')])
  const timeless = ({ run: _run, policies, ...rest }: Run): unknown => ({
    ...rest,
    policies: policies.map((p) => ({
      ...p,
      resources: p.resources.map(({ durationMs: _ms, ...resource }) => resource),
    })),
  })
  const lamps = { a: lamp('off'), b: lamp('on') }
  expect(timeless(await run(policy, lamps))).toEqual(timeless(await run(policy, lamps)))
})
