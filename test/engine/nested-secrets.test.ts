import { expect, test } from 'vitest'
import { defineResource, differences, present, type ResourceType } from '../../src/index.ts'
import { runPolicies } from '../../src/engine/run.ts'
import { parsePolicy } from '../../src/policy/read/policy.ts'
import { compilePolicySchema } from '../../src/policy/schema/compile.ts'
import { EMPTY_MACHINE } from '../support/target.ts'

const text = (summary: string): { readonly kind: 'text'; readonly summary: string } => ({ kind: 'text', summary })

/** A type that repeats its secrets in the note of a difference and in its lines, as a careless plugin would. */
const vault: ResourceType = defineResource({
  type: 'test.vault',
  summary: 'A thing with secrets.',
  properties: {
    users: {
      kind: 'map',
      sensitive: true,
      summary: 'Passwords by user.',
      values: { kind: 'list', sensitive: true, summary: 'All of them.', items: text('One of them.') },
    },
    pin: { kind: 'integer', sensitive: true, summary: 'A number.' },
    mode: { kind: 'integer', base: 8, summary: 'Permissions.' },
  },
  drifts: ['mode'],
  examples: [],
  observe: () => present(0o644),
  decide: (desired, observed) => {
    const original = observed.kind === 'present' ? observed.state : null
    const note = `${JSON.stringify(desired.users)} ${desired.pin}`
    const found = differences([{ property: 'mode', original, desired: desired.mode }], {
      fix: { action: desired.mode, text: 'Would have set the mode' },
    })
    return { ...found, drift: found.drift.map((drift) => ({ ...drift, note, diff: note })) }
  },
  apply: async () => ({ kind: 'done' }),
})

const SHOWN = '{"bob":["(secret)"]} (secret)'

test('secrets in lists, in maps and in numbers of a type appear nowhere', async () => {
  const policy = 'ccm: {resources: [{test.vault: {name: a, mode: 0600, users: {bob: [nested-hunter2]}, pin: 471100}}]}'
  const types = [vault]
  const options = { file: 'p.yaml', workingDirectory: '/', types, validate: compilePolicySchema(types) }
  const parsed = parsePolicy(policy, options)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
  const run = await runPolicies([parsed.value], { target: EMPTY_MACHINE, types })
  expect(run.policies[0]?.resources).toMatchObject([{ verdict: 'drifted', drift: [{ note: SHOWN, diff: SHOWN }] }])
  expect(JSON.stringify(run)).not.toMatch(/nested-hunter2|471100/)
})
