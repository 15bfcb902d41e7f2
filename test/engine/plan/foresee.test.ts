import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Expectation, SavedPlan } from '../../../src/model/saved-plan.ts'
import { findSurprises } from '../../../src/engine/plan/outcome.ts'
import { createPlanning, type Planning, type Resources } from '../../support/planning.ts'
import '../../support/seed.ts'
import { cases } from '../../support/soak.ts'
import { temporaryDirectory } from '../../support/temporary.ts'

const OWN = { owner: String(process.getuid?.()), group: String(process.getgid?.()) }

function file(content: string, extra: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  return { ensure: 'present', content, ...OWN, mode: '0644', ...extra }
}

interface Site extends Planning {
  readonly at: (name: string) => string
}

function makeSite(): Site {
  const directory = temporaryDirectory()
  return { ...createPlanning(directory), at: (name) => join(directory, name) }
}

/** What is expected, by the last part of the id. */
function expectedOf({ expected = [] }: SavedPlan): Readonly<Record<string, Omit<Expectation, 'policy' | 'id'>>> {
  return Object.fromEntries(
    expected.map(({ policy: _policy, id, ...others }) => [id.replace(/^.*[/#]/, ''), others] as const),
  )
}

test('a reader is judged by the value after a certain change, and its verdict in the audit is unchanged', async () => {
  const site = makeSite()
  const one = site.at('one')
  const read = (field: string): string => `{{ Resources["file#${one}"].${field} }}\n`
  const names = ['mode', 'size', 'checksum', 'exists', 'type']
  site.write([
    ['file', one, file('first\n', { mode: '0600' })],
    ...names.map((field) => ['file', site.at(field), file(read(field))] as const),
    ['file', site.at('right'), file(read('mode'))],
  ])
  // What is as wanted now, and will not be; and the other way round.
  writeFileSync(one, 'other\n', { mode: 0o644 })
  writeFileSync(site.at('mode'), '0644\n', { mode: 0o644 })
  writeFileSync(site.at('right'), '0600\n', { mode: 0o644 })
  const plan = await site.plan()
  const audit = plan.audit.policies.flatMap(({ resources }) => resources.map(({ verdict }) => verdict))
  expect(audit).toEqual(['drifted', 'compliant', ...Array.from({ length: 5 }, () => 'drifted')])
  expect(expectedOf(plan)).toEqual({
    one: { verdict: 'compliant' },
    mode: { verdict: 'drifted', message: expect.stringMatching(/^content: want sha256 /) as string },
    ...Object.fromEntries(
      ['size', 'checksum', 'exists', 'type', 'right'].map((name) => [name, { verdict: 'compliant' }]),
    ),
  })
  const fix = await site.fix(plan)
  expect(findSurprises(plan, fix, await site.audit())).toEqual([])
  // sha256 of "first\n", by sha256sum.
  expect(['size', 'checksum', 'exists', 'type', 'mode'].map((name) => readFileSync(site.at(name), 'utf8'))).toEqual([
    '6\n',
    'b640e840b19d378660b32fb51ae18d67dccb4a8596a29e7bd72c1b2ae5928f41\n',
    'true\n',
    'file\n',
    '0644\n',
  ])
})

test('a verdict that depends on an unforeseeable change is assumed, with the ids of its causes', async () => {
  const site = makeSite()
  const id = (name: string): string => `file#${site.at(name)}`
  writeFileSync(site.at('there'), 'there\n', { mode: 0o644 })
  site.write([
    ['file', site.at('dir'), { ensure: 'directory', ...OWN, mode: '0755' }],
    ['file', site.at('dir/in'), file('in\n')],
    ['file', site.at('source'), file('source\n')],
    ['file', site.at('copy'), { ensure: 'present', source: site.at('source'), ...OWN, mode: '0644' }],
    ['file', site.at('there'), file('there\n', { require: [id('source')] })],
    ['file', site.at('after'), file('after\n', { require: [id('there')] })],
    ['file', site.at('reader'), file(`{{ Resources["${id('there')}"].mode }}\n`)],
    ['file', site.at('free'), file('free\n')],
    ['exec', 'tell', { command: 'true', subscribe: [id('free')], refreshonly: true }],
  ])
  const plan = await site.plan()
  expect(expectedOf(plan)).toEqual({
    dir: { verdict: 'compliant' },
    in: { verdict: 'compliant', hangsOn: [id('dir')] },
    source: { verdict: 'compliant' },
    copy: { verdict: 'compliant', hangsOn: [id('source')] },
    there: { verdict: 'compliant', hangsOn: [id('source')] },
    after: { verdict: 'compliant', hangsOn: [id('there')] },
    reader: { verdict: 'compliant', hangsOn: [id('there')] },
    free: { verdict: 'compliant' },
    tell: { hangsOn: [id('free')] },
  })
  expect(findSurprises(plan, await site.fix(plan), await site.audit())).toEqual([])
})

test('a resource that a fix cannot repair stays drifted, as do the resources that require it', async () => {
  const site = makeSite()
  mkdirSync(site.at('wrong'))
  const id = (name: string): string => `file#${site.at(name)}`
  site.write([
    ['file', site.at('wrong'), file('wrong\n')],
    ['file', site.at('next'), file('next\n', { require: [id('wrong')] })],
    ['file', site.at('last'), file('last\n', { require: [id('next')] })],
    ['file', site.at('free'), file('free\n')],
  ])
  const plan = await site.plan()
  const kept = (by: string): object => ({
    verdict: 'drifted',
    message: `a fix does not reach it because of ${id(by)}`,
  })
  expect(expectedOf(plan)).toEqual({ next: kept('wrong'), last: kept('next'), free: { verdict: 'compliant' } })
  const fix = await site.fix(plan)
  expect(fix.policies.flatMap(({ resources }) => resources.map(({ verdict }) => verdict))).toEqual([
    'fix-failed',
    'blocked',
    'blocked',
    'fixed',
  ])
  expect(findSurprises(plan, fix, await site.audit())).toEqual([])
})

test.each([
  { title: 'expected', require: [] },
  { title: 'assumed', require: ['dir'] },
])('an outcome that differs from the one $title is a warning that names both', async ({ title, require }) => {
  const site = makeSite()
  site.write([
    ['file', site.at('dir'), { ensure: 'directory', ...OWN, mode: '0755' }],
    ['file', site.at('one'), file('one\n', { require: require.map((name) => `file#${site.at(name)}`) })],
  ])
  const plan = await site.plan()
  const fix = await site.fix(plan)
  chmodSync(site.at('one'), 0o666)
  expect(findSurprises(plan, fix, await site.audit())).toEqual([
    {
      problem: {
        severity: 'warning',
        message: `file#${site.at('one')}: the plan ${title} compliant after the fix, but it is drifted: mode: want 0644, found 0666`,
      },
      isUndone: true,
    },
  ])
})

test('what is not in the plan does not react to a change of the plan, and says so', async () => {
  const site = makeSite()
  const one = ['file', site.at('one'), file('one\n')] as const
  site.write([one])
  const plan = await site.plan()
  const subscribed = { command: `touch ${site.at('told')}`, subscribe: [`file#${site.at('one')}`], refreshonly: true }
  site.write([one, ['exec', 'tell', subscribed]])
  const [, tell] = (await site.fix(plan)).policies.flatMap(({ resources }) => resources)
  expect(tell).toMatchObject({
    verdict: 'compliant',
    actions: [],
    warnings: ['does not react to the change of a resource it subscribes to: it is not in the plan'],
  })
  expect(existsSync(site.at('told'))).toBe(false)
})

/** A file of a generated policy: what it reads of which earlier one, if it does, and how it is found. */
const FILE = fc.record({
  reads: fc.option(
    fc.record({ of: fc.nat(), field: fc.constantFrom('mode', 'size', 'checksum', 'exists', 'owner', 'uid', 'type') }),
  ),
  requires: fc.option(fc.nat(), { freq: 4 }),
  mode: fc.constantFrom('0600', '0644'),
  now: fc.constantFrom('absent', 'right', 'wrong', 'mode', 'directory'),
})

test('in generated policies every prediction that is certain comes true', async () => {
  let certain = 0
  await fc.assert(
    fc.asyncProperty(fc.array(FILE, { minLength: 2, maxLength: 8 }), async (files) => {
      const site = makeSite()
      const name = (index: number): string => site.at(`f${index}`)
      const earlier = (choice: number, index: number): string => `file#${name(choice % index)}`
      const resources: Resources = files.map(({ reads, requires, mode }, index) => {
        const value =
          reads === null || index === 0
            ? `f${index}`
            : `{{ Resources["${earlier(reads.of, index)}"].${reads.field} ?? "-" }}`
        const require = requires === null || index === 0 ? [] : [earlier(requires, index)]
        return ['file', name(index), file(`${value}\n`, { mode, require })]
      })
      site.write(resources)
      for (const [index, { now, mode }] of files.entries()) {
        const other = mode === '0600' ? 0o644 : 0o600
        if (now === 'directory') mkdirSync(name(index))
        else if (now !== 'absent') {
          writeFileSync(name(index), now === 'wrong' ? 'wrong' : `f${index}\n`)
          chmodSync(name(index), now === 'mode' ? other : Number.parseInt(mode, 8))
        }
      }
      const plan = await site.plan()
      certain += (plan.expected ?? []).filter(({ hangsOn }) => hangsOn === undefined).length
      const fix = await site.fix(plan)
      const surprises = findSurprises(plan, fix, await site.audit())
      expect(surprises.filter(({ problem }) => problem.message.includes('the plan expected'))).toEqual([])
    }),
    { numRuns: cases({ usual: 60, soak: 2_000 }) },
  )
  expect(certain).toBeGreaterThan(60)
})
