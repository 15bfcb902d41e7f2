import { Ajv } from 'ajv'
import { expect, test } from 'vitest'
import { defineResource, differences, present, type ResourceType } from '../../src/index.ts'
import { renderReport } from '../../src/report/index.ts'
import { runPolicies } from '../../src/engine/run.ts'
import { compilePolicySchema, SCHEMA_OPTIONS } from '../../src/policy/schema/compile.ts'
import { editorSchema } from '../../src/policy/schema/editor.ts'
import { parsePolicy } from '../../src/policy/read/policy.ts'
import { EMPTY_MACHINE } from '../support/target.ts'

const types: readonly ResourceType[] = ['file', 'file.body', 'file.owner', 'common.alias'].map((type) =>
  defineResource({
    type,
    summary: 'A thing with an owner.',
    properties: {
      user: { kind: 'text', aliases: ['owner'], summary: 'Who.' },
      uid: { kind: 'integer', summary: 'Who, by number.' },
      mode: { kind: 'integer', base: 8, summary: 'Permissions.' },
    },
    exclusive: [['user', 'uid']],
    drifts: ['mode'],
    examples: [],
    observe: () => present(0o644),
    decide: (desired, observed) =>
      differences(
        [{ property: 'mode', original: observed.kind === 'present' ? observed.state : null, desired: desired.mode }],
        {
          fix: { action: desired.mode, text: 'Would have set the mode' },
        },
      ),
    apply: async () => ({ kind: 'done' }),
  }),
)

const validate = compilePolicySchema(types)
const edit = new Ajv(SCHEMA_OPTIONS).compile(editorSchema(types))

function read(resources: string): ReturnType<typeof parsePolicy> {
  const text = `ccm:\n  resources:\n${resources}`
  return parsePolicy(text, { file: 'p.yaml', workingDirectory: '/', types, validate })
}

function problems(resources: string): string[] {
  const result = read(resources)
  return result.ok
    ? []
    : result.problems.map(({ position, message }) => `${position?.line}:${position?.column} ${message}`)
}

/** What an editor thinks of the body of a `file.owner`. */
function accepts(body: Record<string, unknown>): boolean {
  return edit({ ccm: { resources: [{ 'file.owner': [{ a: body }] }] } })
}

test('a type with dots in its name is referred to, selected and reported like any other', async () => {
  const result = read(`    - file.owner:
        - a: {mode: 0644}
        - b: {mode: 0600, require: [file.owner#a]}
    - file: {name: c, require: ['file.owner#b']}
`)
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  expect(result.value.resources.map(({ id, require }) => [id, require])).toEqual([
    ['file.owner#a', []],
    ['file.owner#b', ['file.owner#a']],
    ['file#c', ['file.owner#b']],
  ])
  const run = await runPolicies([result.value], {
    target: EMPTY_MACHINE,
    types,
    selection: { only: ['file.owner#*'], skip: ['file.owner#a'] },
  })
  expect(run.policies[0]?.resources).toMatchObject([
    { id: 'file.owner#b', type: 'file.owner', verdict: 'drifted', drift: [{ desired: 0o600, observed: 0o644 }] },
  ])
  for (const format of ['text', 'json', 'junit']) expect(await renderReport(run, format)).toContain('file.owner#b')
})

test('types whose names begin alike keep their own schemas', () => {
  expect(problems('    - file.body: {name: x, user: a}\n    - file: {name: x, user: a}\n')).toEqual([])
  expect(problems('    - common.alias: {name: x, bogus: a}\n')).toEqual([
    '3:31 unknown property "bogus" of type common.alias',
  ])
  expect(problems('    - file.ownr: {name: x}\n')).toEqual([
    '3:7 unknown resource type "file.ownr", did you mean "file.owner"?',
  ])
})

test('everything that is wrong with a resource is told at once, where it stands', () => {
  expect(problems('    - file.owner: {name: x, user: a, uid: b, usr: c, mode: 9}\n')).toEqual([
    '3:43 uid must be a whole number, found text "b"',
    '3:43 only one of "user" or "uid" can be set',
    '3:46 unknown property "usr" of type file.owner, did you mean "user"?',
    '3:60 mode must be a whole number in base 8, found text "9"',
  ])
})

test.each([
  [true, { user: 'a' }],
  [true, { user: 'a', uid: null }],
  [false, { user: 'a', uid: 1 }],
  [false, { owner: 'a', uid: 1 }],
  [true, { mode: '0644' }],
  [true, { mode: 644 }],
  [false, { mode: [] }],
])('an editor says %s to %j', (sound, body) => {
  expect(accepts(body)).toBe(sound)
})
