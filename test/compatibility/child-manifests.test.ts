import { filesIn } from '../support/bundles.ts'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { LoadPolicyOptions, ResourceResult, ScanOptions } from '../../src/index.ts'
import { loadSound, problemsOf, resultsOf, scanWith } from './support.ts'

const LEAF = 'ccm: { resources: [{ file: { name: /nowhere, ensure: absent } }] }\n'

/** A policy that applies one manifest, with what its resource says beside the name. */
function applying(name: string, body = '{}'): string {
  return `ccm: { resources: [{ apply: [{ ${name}: ${body} }] }] }\n`
}

async function results(
  directory: string,
  text: string,
  options: ScanOptions & LoadPolicyOptions = {},
): Promise<readonly ResourceResult[]> {
  return resultsOf(await scanWith(directory, text, { environ: {}, ...options }))
}

test('manifests have at most ten nesting levels', async () => {
  const levels = Array.from({ length: 10 }, (_, level) => [`${level + 1}.yaml`, applying(`${level + 2}.yaml`)])
  const directory = filesIn({ ...Object.fromEntries(levels), '10.yaml': LEAF })
  expect((await results(directory, applying('1.yaml'))).at(-1)?.path).toHaveLength(10)
  writeFileSync(join(directory, '10.yaml'), applying('11.yaml'))
  writeFileSync(join(directory, '11.yaml'), LEAF)
  expect(await problemsOf(directory, applying('1.yaml'))).toEqual([
    expect.stringContaining('is nested deeper than 10 levels'),
  ])
})

test('a manifest that applies itself is an error of the policy', async () => {
  const directory = filesIn({ 'a.yaml': applying('policy.yaml') })
  const [problem = ''] = await problemsOf(directory, applying('a.yaml'))
  expect(problem.replaceAll(`${directory}/`, '')).toContain('applies itself: policy.yaml -> a.yaml -> policy.yaml')
})

test('a manifest that cannot be applied is an error of the policy', async () => {
  const directory = filesIn({ 'a.yaml': applying('b.yaml'), 'b.yaml': LEAF, 'broken.yaml': 'ccm: {}\n' })
  expect(await problemsOf(directory, applying('missing.yaml'))).toEqual([expect.stringContaining('cannot be read')])
  expect(await problemsOf(directory, applying('broken.yaml'))).toEqual([expect.stringContaining('list of resources')])
  expect(await problemsOf(directory, applying('a.yaml', '{ allow_apply: false }'))).toEqual([
    expect.stringContaining('allow_apply'),
  ])
  expect(await results(directory, applying('missing.yaml', '{ control: { if: "false" } }'))).toMatchObject([
    { verdict: 'not-applicable' },
  ])
})

test('resources of a manifest are only known within it', async () => {
  const above = '{ file: { name: /a, ensure: absent } }'
  const policy = `ccm: { resources: [${above}, { apply: { name: child.yaml } }] }\n`
  const child = (require: string): string =>
    `ccm: { resources: [{ file: { name: /b, ensure: absent } }, { file: { name: /a, ensure: absent, require: [${require}] } }] }\n`
  expect(await problemsOf(filesIn({ 'child.yaml': child('file#/c') }), policy)).toHaveLength(1)
  const own = await results(filesIn({ 'child.yaml': child('file#/b') }), policy)
  expect(own.map(({ path = [], id }) => [...path, id].join(' > '))).toEqual([
    'file#/a',
    'apply#child.yaml',
    'apply#child.yaml > file#/b',
    'apply#child.yaml > file#/a',
  ])
  const foreign = LEAF.replace('absent', 'absent, require: [file#/a]')
  expect(await problemsOf(filesIn({ 'child.yaml': foreign }), policy)).toEqual([
    expect.stringContaining('no resource "file#/a"'),
  ])
})

test('noop and health_check_only can be set together', async () => {
  const directory = filesIn({ 'child.yaml': LEAF })
  const both = applying('child.yaml', '{ noop: true, health_check_only: true }')
  const child = { verdict: 'not-applicable', message: expect.stringContaining('no health check') }
  expect(await results(directory, both)).toMatchObject([{ id: 'apply#child.yaml' }, child])
  expect(await results(directory, applying('child.yaml', '{ health_check_only: true }'))).toMatchObject([{}, child])
})

test('monitoring runs the checks of child manifests', async () => {
  const check = 'health_checks: [{ command: "/bin/sh -c \'exit 2\'" }]'
  const directory = filesIn({ 'child.yaml': LEAF.replace('absent', `absent, ${check}`) })
  expect(await results(directory, applying('child.yaml'), { monitorOnly: true })).toMatchObject([
    { verdict: 'drifted' },
    { verdict: 'drifted', health: [{ status: 'CRITICAL' }] },
  ])
})

test('data of the operator reaches child manifests once', async () => {
  const directory = filesIn({
    'child.yaml': `data: { list: [c] }
ccm: { resources: [{ file: { name: "/{{ join(Data.list, '-') }}", ensure: absent } }] }
`,
  })
  const policy = `data: { list: [p] }\n${applying('child.yaml')}`
  const [policyLoaded] = await loadSound(directory, policy, { environ: {}, set: ['list=[o]'] })
  const child = policyLoaded?.children?.get('apply#child.yaml')
  expect(child).toMatchObject({ policy: { resources: [{ name: '/c-p-o' }] } })
})
