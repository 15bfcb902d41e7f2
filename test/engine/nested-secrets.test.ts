import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Run } from '../../src/model/run.ts'
import { runPolicies } from '../../src/engine/run.ts'
import { defineResource, present, type Decision, type Drift, type ResourceType } from '../../src/index.ts'
import { explain } from '../../src/engine/inspect/explain/index.ts'
import { renderPolicy } from '../../src/engine/inspect/render/index.ts'
import { loadDocuments, type LoadPolicyOptions } from '../../src/policy/load.ts'
import type { PolicyDocument } from '../../src/policy/read/policy.ts'
import { PLAIN } from '../../src/report/format.ts'
import { renderReport, reportFormats } from '../../src/report/index.ts'
import { EMPTY_MACHINE } from '../support/target.ts'
import { temporaryDirectory } from '../support/temporary.ts'

/** What a policy wants, in every form that a value can have, and what the machine has, the secrets of yesterday. */
const PLANTED = {
  wanted: ['nested-hunter2', 'only-the-values', 'deep-hunter2', '471100', '9007199254740993'],
  found: ['yesterday-hunter1', '471099'],
} as const

const text = (summary: string): { readonly kind: 'text'; readonly summary: string } => ({ kind: 'text', summary })

const USERS = { bob: ['nested-hunter2'] }

/** A type that repeats its secrets wherever it can say something, as a careless plugin would. */
const vault: ResourceType = defineResource({
  type: 'test.vault',
  summary: 'A thing with secrets.',
  properties: {
    users: {
      kind: 'map',
      sensitive: true,
      summary: 'Passwords by user.',
      values: { kind: 'list', summary: 'All of them.', items: text('One of them.') },
    },
    tokens: { kind: 'map', summary: 'Tokens.', values: { kind: 'text', sensitive: true, summary: 'One of them.' } },
    free: { kind: 'any', sensitive: true, summary: 'Anything.' },
    pin: { kind: 'integer', sensitive: true, summary: 'A number.' },
    digit: { kind: 'integer', sensitive: true, summary: 'A short number.' },
    flag: { kind: 'boolean', sensitive: true, summary: 'Yes or no.' },
    retries: { kind: 'integer', summary: 'How often.' },
  },
  rules: [
    {
      reads: ['pin', 'retries'],
      at: 'retries',
      check: ({ pin, retries }) => (retries === 9 ? `retries cannot be 9 with pin ${pin}` : undefined),
    },
  ],
  drifts: ['users', 'tokens', 'pin', 'digit', 'flag', 'retries'],
  examples: [],
  observe: () => present('yesterday-hunter1'),
  decide: ({ users, tokens, free, pin, digit, flag, retries }): Decision<string> => {
    const said = `${Object.values(users ?? {}).join()} ${Object.values(tokens ?? {}).join()} ${pin} ${saidOf(free)}`
    const drift: readonly Drift[] = [
      { property: 'users', desired: said, observed: 'yesterday-hunter1', diff: '-yesterday-hunter1' },
      { property: 'tokens', desired: said, observed: 'yesterday-hunter1', note: said },
      { property: 'pin', desired: pin ?? null, observed: 471099, note: said },
      { property: 'digit', desired: digit ?? null, observed: 8 },
      { property: 'flag', desired: flag ?? null, observed: false },
      { property: 'retries', desired: retries ?? null, observed: pin ?? null, note: said, diff: said, path: said },
    ]
    return {
      ensure: { desired: 'present', observed: 'present' },
      drift,
      unknown: [],
      plan: { kind: 'act', action: said, text: `Would have set ${said}`, obstacles: [] },
      messages: [said],
      warnings: [said],
    }
  },
  apply: async () => ({ kind: 'failed', message: 'no' }),
})

function saidOf(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => (typeof item === 'bigint' ? String(item) : item))
}

function policyWith(retries: number | string): string {
  const values = {
    users: USERS,
    tokens: { api: 'only-the-values' },
    free: { list: [{ password: 'deep-hunter2' }] },
    pin: 471100,
    digit: 7,
    flag: true,
    retries,
  }
  const body = JSON.stringify(values).replace('"free":{', '"free":{"wide":9007199254740993,')
  return `policy: {id: p}\nccm: {resources: [{test.vault: [{a: ${body}}]}]}\n`
}

type Loaded = Awaited<ReturnType<typeof loadDocuments>>

async function load(retries: number | string, options: LoadPolicyOptions = {}): Promise<Loaded> {
  const file = join(temporaryDirectory(), 'p.yaml')
  writeFileSync(file, policyWith(retries))
  return loadDocuments([file], { environ: {}, types: [vault], target: EMPTY_MACHINE, beside: '', ...options })
}

async function documentWith(retries: number | string): Promise<PolicyDocument> {
  const loaded = await load(retries)
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems))
  const [document] = loaded.value
  if (document === undefined) throw new Error('there is no policy')
  return document
}

async function auditOf({ policy }: PolicyDocument): Promise<Run> {
  return runPolicies([policy], { target: EMPTY_MACHINE, types: [vault] })
}

function expectNothingOf(shown: string, where: string): void {
  for (const secret of Object.values(PLANTED).flat())
    expect(shown.includes(secret), `${secret} in ${where}`).toBe(false)
}

// A template leaves the values unsettled until the resource's turn comes.
test.each([3, '{{ 1 + 2 }}'])('secrets of any form in a type appear in no report (%s)', async (retries) => {
  const run = await auditOf(await documentWith(retries))
  expectNothingOf(JSON.stringify(run), 'the run')
  for (const { name } of reportFormats) {
    expectNothingOf(await renderReport(run, name, { ...PLAIN, verbose: true }), name)
  }
})

const SHOWN = '(secret) (secret) (secret) {"wide":"(secret)","list":[{"password":"(secret)"}]}'

test('a document with a secret is hidden as a whole, however short, and other properties are shown', async () => {
  const run = await auditOf(await documentWith(3))
  const hidden = { desired: { redacted: true }, observed: { redacted: true } }
  expect(run.policies[0]?.resources[0]?.drift).toMatchObject([
    ...['users', 'tokens', 'pin', 'digit', 'flag'].map((property) => ({ property, ...hidden })),
    { property: 'retries', desired: 3, observed: { redacted: true }, note: SHOWN, diff: SHOWN, path: SHOWN },
  ])
})

test('a short number is not looked for in other values', async () => {
  const run = await auditOf(await documentWith(7))
  expect(run.policies[0]?.resources[0]?.drift.at(-1)).toMatchObject({ property: 'retries', desired: 7 })
})

test('an explanation and a rendered policy hold none of them either', async () => {
  const document = await documentWith('{{ 1 + 2 }}')
  const explained = await explain(document, 'test.vault#a', {
    types: [vault],
    target: EMPTY_MACHINE,
    audit: async (policy) => runPolicies([policy], { target: EMPTY_MACHINE, types: [vault] }),
  })
  expect(explained.ok).toBe(true)
  expectNothingOf(JSON.stringify(explained), 'the explanation')
  const rendered = renderPolicy(document, { types: [vault], secrets: 'hide' })
  expectNothingOf(rendered.text, 'the rendered policy')
  expect(rendered.text).not.toMatch(/digit: 7|flag: true/)
  expect(rendered.hidesSecrets).toBe(true)
})

test.each([9, '{{ 4 + 5 }}'])(
  'no problem quotes them: what a rule of a type says is searched, too (%s)',
  async (retries) => {
    const loaded = await load(retries)
    const told = loaded.ok ? await auditOf(await documentWith(retries)) : loaded.problems
    expect(JSON.stringify(told)).toContain('retries cannot be 9 with pin (secret)')
    expectNothingOf(JSON.stringify(told), 'the problems')
  },
)
