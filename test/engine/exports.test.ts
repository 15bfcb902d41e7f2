import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Run } from '../../src/model/run.ts'
import { runPolicies, type RunOptions } from '../../src/engine/run.ts'
import { loadPolicy } from '../../src/policy/load.ts'
import { renderReport } from '../../src/report/index.ts'
import { createLocalTarget } from '../../src/host/live/local-target.ts'
import { type Given, type Sensor, sensorType } from '../support/sensor.ts'
import { EMPTY_MACHINE, NO_HANDS } from '../support/target.ts'
import { temporaryDirectory } from '../support/temporary.ts'

interface Scanned {
  readonly run: Run
  readonly given: Given
  /** By name. */
  readonly results: Readonly<Record<string, Run['policies'][number]['resources'][number]>>
}

/** Scans a policy with these resources, each `- NAME: { ... }`, of sensors. */
async function scan(
  sensors: Record<string, Sensor>,
  resources: readonly string[],
  options: Partial<RunOptions> = {},
): Promise<Scanned> {
  const given: Given = {}
  const types = [sensorType(sensors, given)]
  const file = join(temporaryDirectory(), 'p.yaml')
  writeFileSync(
    file,
    ['ccm:', '  resources:', '    - sensor:', ...resources.map((text) => `        ${text}`)].join('\n'),
  )
  const loaded = await loadPolicy(file, { types })
  if (!loaded.ok) throw new Error(loaded.problems.map(({ message }) => message).join('\n'))
  const run = await runPolicies(loaded.value, { target: EMPTY_MACHINE, types, ...options })
  const results = Object.fromEntries(
    run.policies.flatMap((policy) => policy.resources).map((each) => [each.name, each]),
  )
  return { run, given, results }
}

const ALL = {
  text: 'hello',
  number: 42,
  flag: true,
  list: ['a', 'b'],
  map: { one: 1 },
  free: { deep: [1, { x: null }] },
}

test.each([
  { property: 'count', field: 'number', value: 42 },
  { property: 'loud', field: 'flag', value: true },
  { property: 'tags', field: 'list', value: ['a', 'b'] },
  { property: 'data', field: 'map', value: { one: 1 } },
  { property: 'data', field: 'number', value: 42 },
  { property: 'data', field: 'free', value: { deep: [1, { x: null }] } },
  { property: 'label', field: 'text', value: 'hello' },
  { property: 'label', field: 'number', value: '42' },
  { property: 'label', field: 'list', value: '[a b]' },
])('a $field is a $property, with its type', async ({ property, field, value }) => {
  const member = await scan({ a: { values: ALL } }, [
    '- a: {}',
    `- b: { ${property}: '{{ Resources["sensor#a"].${field} }}' }`,
  ])
  expect(member.given['b']?.[property]).toEqual(value)
  const lookup = await scan({ a: { values: ALL } }, [
    '- a: { alias: first }',
    `- b: { ${property}: '{{ lookup("resources.first.${field}") }}' }`,
  ])
  expect(lookup.given['b']?.[property]).toEqual(value)
})

test.each([
  { written: 'Resources["sensor#a.b"].text', value: 'hello' },
  { written: 'Resources["sensor#first"].text', value: 'hello' },
  { written: 'Resources["first"]["text"]', value: 'hello' },
  { written: '$env.Resources["first"].text', value: 'hello' },
  { written: 'Resources["first"]?.text ?? "none"', value: 'hello' },
  { written: 'lookup("resources.sensor#a.b.text")', value: 'hello' },
  { written: 'lookup("resources.sensor#a\\\\.b.text")', value: 'hello' },
  { written: 'lookup("resources.sensor#first.text")', value: 'hello' },
  { written: 'lookup("resources.first.free.deep.0")', value: '1' },
  { written: 'lookup("resources.first.list.#")', value: '2' },
  { written: 'lookup("resources.first.map.none", "none")', value: 'none' },
  { written: 'Resources["first"].free.deep[0] + 1', value: '2' },
  { written: 'template("<{{ Resources[`first`].text }}>")', value: '<hello>' },
  { written: 'map(Resources["first"].list, # + "!") | join("")', value: 'a!b!' },
])('$written is one way to read a value', async ({ written, value }) => {
  const { given } = await scan({ 'a.b': { values: ALL } }, [
    '- a.b: { alias: first }',
    `- b: { label: '{{ ${written} }}' }`,
  ])
  expect(given['b']?.['label']).toBe(value)
})

test('after a fix a value is that of the fresh look', async () => {
  const sensors = { a: { values: { number: 1 }, sound: false, fixed: { number: 2 } }, b: { values: ALL } }
  const { given, results } = await scan(sensors, ['- a: {}', `- b: { count: '{{ Resources["sensor#a"].number }}' }`], {
    remediator: NO_HANDS,
  })
  expect(results['a']?.verdict).toBe('fixed')
  expect(results['b']?.verdict).toBe('compliant')
  expect(given['b']?.['count']).toBe(2)
})

test('after a fix that did not reach its goal a value is what was seen last', async () => {
  const { given, results } = await scan(
    { a: { values: { number: 1 }, sound: false }, b: { values: ALL } },
    ['- a: {}', `- b: { count: '{{ Resources["sensor#a"].number }}' }`],
    { remediator: NO_HANDS },
  )
  expect(results['a']?.verdict).toBe('fix-failed')
  expect(given['b']?.['count']).toBe(1)
})

const READER = `- b: { label: '{{ Resources["sensor#a"].text }}' }`

test('a reader that drifted may change where what it reads drifted', async () => {
  const drifted = { values: ALL, sound: false }
  const { results } = await scan({ a: drifted, b: { ...drifted, obstacle: 'the wire is too short' } }, [
    '- a: {}',
    READER,
  ])
  expect(results['b']).toMatchObject({
    verdict: 'drifted',
    change: 'may',
    changeReason: 'reads text of sensor#a, which drifted',
  })
})

test('a reader that drifted may change where what it reads has a pending change', async () => {
  const { results } = await scan(
    { z: { values: ALL, sound: false }, a: { values: ALL }, b: { values: ALL, sound: false } },
    ['- z: {}', '- a: { subscribe: [sensor#z] }', READER],
  )
  expect(results['a']).toMatchObject({ verdict: 'compliant', actions: ['Would have set it'] })
  expect(results['b']).toMatchObject({
    change: 'may',
    changeReason: 'reads text of sensor#a, which has a pending change',
  })
})

test('a reader of what is as it should be changes for certain', async () => {
  const { results } = await scan({ a: { values: ALL }, b: { values: ALL, sound: false } }, ['- a: {}', READER])
  expect(results['b']).toMatchObject({ verdict: 'drifted', change: 'will' })
})

test.each([
  { why: 'is unknown', a: { values: 'locked' }, body: '{}' },
  { why: 'is not applicable', a: { values: ALL }, body: '{ control: { if: "false" } }' },
  { why: 'is blocked', a: { values: ALL }, body: '{ require: [sensor#locked] }' },
  { why: 'has no value', a: { values: { number: 1 } }, body: '{}' },
  { why: 'has no value before it is fixed', a: { values: 'gone' }, body: '{}' },
  {
    why: 'has no usable value: the exported value "text" must be a text',
    a: { values: { text: 1 } },
    body: '{}',
  },
] as const)('a reader is blocked where what it reads $why', async ({ why, a, body }) => {
  const { results, given } = await scan({ a, b: { values: ALL }, locked: { values: 'locked' } }, [
    '- locked: {}',
    `- a: ${body}`,
    READER,
    `- c: { control: { if: 'Resources["sensor#a"].text == "hello"' } }`,
  ])
  const message = `it reads text of sensor#a, which ${why}`
  for (const name of ['b', 'c']) {
    expect(results[name]).toMatchObject({ verdict: 'blocked', blockedBy: ['sensor#a'] })
    expect(results[name]?.message).toContain(message)
    expect(given[name]).toBeUndefined()
  }
  // The text starts in column 26, and the field is at its 23rd character.
  expect(results['b']?.message).toMatch(/^label: .*p\.yaml:6:49 it reads/)
  expect(results['c']?.message).toMatch(/^control\.if: .*p\.yaml:7:/)
})

test('a reader is blocked after a fix whose outcome cannot be observed', async () => {
  const sensors = { a: { values: ALL, sound: false, fixed: 'locked' }, b: { values: ALL } } as const
  const { results } = await scan({ a: { ...sensors.a }, b: { ...sensors.b } }, ['- a: {}', READER], {
    remediator: NO_HANDS,
  })
  expect(results['a']?.verdict).toBe('fix-failed')
  expect(results['b']?.message).toContain('it reads text of sensor#a, which could not be observed after its fix')
})

test('a reader is blocked where what it reads was not selected', async () => {
  const selection = { only: ['sensor#b'], skip: [] }
  const { results } = await scan({ a: { values: ALL } }, ['- a: {}', READER], { selection })
  expect(results['b']?.message).toContain('it reads text of sensor#a, which was not evaluated')
})

test.each([
  { a: 'is not there', values: 'gone' as const, default: 'blue' },
  { a: 'has another value', values: { number: 1 }, default: 'blue' },
  { a: 'has it', values: ALL, default: 'hello' },
])('a default stands for a value that is certainly not there: $a', async ({ values, default: expected }) => {
  for (const read of ['lookup("resources.sensor#a.text", "blue")', 'Resources["sensor#a"].text ?? "blue"']) {
    const { given } = await scan({ a: { values } }, ['- a: { ensure: any }', `- b: { label: '{{ ${read} }}' }`])
    expect(given['b']?.['label']).toBe(expected)
  }
})

test('no default stands for what could not be seen', async () => {
  for (const read of ['lookup("resources.sensor#a.text", "blue")', 'Resources["sensor#a"].text ?? "blue"']) {
    const { results } = await scan({ a: { values: 'locked' } }, ['- a: {}', `- b: { label: '{{ ${read} }}' }`])
    expect(results['b']?.verdict).toBe('blocked')
  }
})

test('a condition keeps a value from being read', async () => {
  const label = `'{{ Resources["sensor#a"].flag ? Resources["sensor#a"].text : "none" }}'`
  const { given } = await scan({ a: { values: { flag: false } } }, ['- a: {}', `- b: { label: ${label} }`])
  expect(given['b']?.['label']).toBe('none')
})

test('a condition that reads a value rules out, or lets in', async () => {
  const { results } = await scan({ a: { values: ALL } }, [
    '- a: {}',
    `- in: { ensure: any, control: { if: 'Resources["sensor#a"].flag' } }`,
    `- out: { control: { unless: 'lookup("resources.sensor#a.number") == 42' } }`,
  ])
  expect(results['in']?.verdict).toBe('compliant')
  expect(results['out']?.verdict).toBe('not-applicable')
})

test('an export without a reader is not evaluated', async () => {
  const sensors: Record<string, Sensor> = { a: { values: ALL }, b: { values: ALL }, c: { values: ALL } }
  await scan(sensors, ['- a: {}', READER, '- c: {}'])
  expect(Object.values(sensors).map(({ asked }) => asked)).toEqual([1, undefined, undefined])
})

const SECRETS = { token: 'open sesame', pin: 314_159, text: 'plain' }

test.each(['token', 'pin'])('a secret %s shows up in no report', async (field) => {
  const { run, given } = await scan({ a: { values: SECRETS }, b: { values: ALL, sound: false } }, [
    '- a: {}',
    `- b: { label: 'it is {{ Resources["sensor#a"].${field} }}' }`,
    `- c: { count: '{{ Resources["sensor#a"].token }}' }`,
    `- d: { ensure: any, count: '{{ Resources["sensor#a"].pin }}' }`,
  ])
  expect(given['b']?.['label']).toContain(field === 'token' ? 'open sesame' : '314159')
  expect(given['d']?.['count']).toBe(314_159)
  for (const format of ['text', 'json', 'junit'] as const) {
    const report = await renderReport(run, format)
    expect(report).not.toMatch(/open sesame|314159/)
  }
})

test('an export of a sensitive resource makes its reader sensitive', async () => {
  const { results } = await scan({ a: { values: ALL }, b: { values: ALL, sound: false } }, [
    '- a: { sensitive: true }',
    READER,
  ])
  expect(results['b']?.drift).toMatchObject([{ property: 'label', desired: { redacted: true } }])
})

test('health checks of a reader run where nothing is looked at', async () => {
  const health = "health_checks: [{ command: '/bin/true' }]"
  const resources = [`- a: {}`, `- b: { label: '{{ Resources["sensor#a"].text }}', ${health} }`]
  const { results } = await scan({ a: { values: ALL } }, resources, {
    monitorOnly: true,
    target: createLocalTarget(),
  })
  expect(results['b']).toMatchObject({ verdict: 'compliant', provider: 'hand' })
  expect(results['b']?.health).toHaveLength(1)
})
