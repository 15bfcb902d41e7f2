import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  absent,
  defineProperties,
  defineResource,
  differences,
  formatProblem,
  loadPolicy,
  missing,
  present,
  renderReport,
  scan,
} from '../../src/index.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const properties = defineProperties({
  name: { kind: 'text', required: true, summary: 'The directive.' },
  value: {
    kind: 'text',
    required: true,
    pattern: { expression: '[a-z0-9]+', describes: 'letters' },
    summary: 'Its value.',
  },
})

/** Directives of which every machine has one value, of which those called `…pass` are secrets. */
const directive = defineResource({
  type: 'acme.directive',
  summary: 'A directive.',
  properties,
  drifts: ['ensure', 'value'],
  secretWhen: (name) => name.endsWith('pass'),
  examples: [{ title: 'One', yaml: 'acme.directive:\n  - bind:\n      value: x' }],
  observe: (_target, { name }) => (name.startsWith('no') ? absent() : present({ value: 'hunter2' })),
  decide: (desired, seen) => {
    const fix = { action: desired.value, effects: [{ kind: 'set', object: desired.name }] } as const
    if (seen.kind === 'absent') return missing({ fix })
    return differences([{ property: 'value', original: seen.state.value, desired: desired.value }], { fix })
  },
  apply: async () => ({ kind: 'done' }),
})

async function load(name: string, value: string) {
  const path = join(temporaryDirectory(), 'policy.yaml')
  const data = 'data: { kind: requirepass }\n'
  writeFileSync(path, `${data}ccm:\n  resources:\n    - acme.directive:\n        - "${name}": { value: "${value}" }\n`)
  return await loadPolicy(path, { types: [directive] })
}

const FORMATS = ['json', 'text', 'junit', 'markdown', 'html', 'sarif'] as const

test.each([
  ['bind', true],
  ['requirepass', false],
  ["{{ lookup('data.kind') }}", false],
])('of the directive %s values are shown: %s', async (name, isShown) => {
  const loaded = await load(name, 'swordfish')
  if (!loaded.ok) throw new Error(loaded.problems.map(formatProblem).join('\n'))
  const run = await scan(loaded.value)
  expect(run.summary.drifted).toBe(1)
  for (const format of FORMATS) {
    const report = await renderReport(run, format)
    expect([format, /hunter2/.test(report), /swordfish/.test(report)]).toEqual([format, isShown, isShown])
  }
})

test('absence is no secret', async () => {
  const loaded = await load('nopass', 'swordfish')
  if (!loaded.ok) throw new Error('not loaded')
  const report = JSON.parse(await renderReport(await scan(loaded.value), 'json'))
  expect(report.policies[0].resources[0].drift).toMatchObject([
    { property: 'ensure', desired: 'present', observed: 'absent' },
  ])
})

test('a problem of a secret does not contain the secret', async () => {
  const loaded = await load('requirepass', 'Sword-Fish')
  if (loaded.ok) throw new Error('loaded')
  const text = loaded.problems.map(formatProblem).join('\n')
  expect(text).toContain('value')
  expect(text).not.toContain('Sword-Fish')
})
