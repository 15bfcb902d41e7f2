import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Run } from '../../../src/model/run.ts'
import { scan } from '../../../src/engine/local.ts'
import { checkTemplates } from '../../../src/engine/inspect/check-templates.ts'
import { loadDocuments, loadPolicy, type LoadPolicyOptions } from '../../../src/policy/load.ts'
import { renderPolicy } from '../../../src/engine/inspect/render/index.ts'
import { resourceTypes } from '../../support/resource-types.ts'
import { filesIn, packDirectory } from '../../support/bundles.ts'
import { identifiedMachine } from '../../support/identified.ts'

const MANIFEST = 'data:\n  names: [a, b]\nccm:\n  resources_jet_file: resources.jet\n'

/** A directory with a policy and its template. */
function policyOf(jet: string, manifest = MANIFEST): string {
  return filesIn({ 'policy.yaml': manifest, 'resources.jet': jet })
}

/** The problems of a policy, the directory left out. */
async function problemsOf(root: string, options: LoadPolicyOptions = {}): Promise<string[]> {
  const loaded = await loadPolicy(join(root, 'policy.yaml'), { target: identifiedMachine(), ...options })
  if (loaded.ok) throw new Error('there should be a problem')
  return loaded.problems.map(({ position, message }) =>
    `${position?.file}:${position?.line}:${position?.column} ${message}`.replaceAll(`${root}/`, ''),
  )
}

async function scanOf(root: string, options: LoadPolicyOptions = {}): Promise<Run> {
  const loaded = await loadPolicy(join(root, 'policy.yaml'), { target: identifiedMachine(), ...options })
  if (!loaded.ok) throw new Error(loaded.problems.map(({ message }) => message).join())
  return scan(loaded.value)
}

const idsOf = (run: Run): string[] => run.policies.flatMap(({ resources }) => resources.map(({ id }) => id))

test('the list of resources is rendered from data, facts and the environment', async () => {
  const root = policyOf(`[[ range _, name := Data.names ]]
- file:
    name: /nowhere/[[ name ]]-[[ .Data.names[0] ]]-[[ facts.role ]]-[[ environ.STAGE ]]-[[ lookup("facts.role") ]]
    ensure: absent
[[ end ]]`)
  const run = await scanOf(root, { fact: ['role=web'], environ: { STAGE: 'test' } })
  expect(idsOf(run)).toEqual(['file#/nowhere/a-a-web-test-web', 'file#/nowhere/b-a-web-test-web'])
  expect(run.exit.code).toBe(0)
})

test('nothing is escaped, and the mark of expressions is left for the resources', async () => {
  const root = policyOf(
    `- file: {name: "/nowhere/[[ "<&>" ]]{{ Data.names[1] }}", ensure: absent, control: {if: "len(Data.names) == 2"}}`,
  )
  expect(idsOf(await scanOf(root))).toEqual(['file#/nowhere/<&>b'])
})

test('resources have their place in the rendered text, and controls may name them', async () => {
  const root = policyOf(
    `[[- range _, name := Data.names ]]
- file: {name: /nowhere/[[ name ]], ensure: absent}
[[- end ]]`,
    `${MANIFEST}policy: {controls: [{id: c, resources: ['file#/nowhere/b']}]}\n`,
  )
  const run = await scanOf(root)
  expect(run.policies[0]).toMatchObject({
    resources: [
      { source: { file: join(root, 'resources.jet (rendered)'), line: 2 } },
      { source: { file: join(root, 'resources.jet (rendered)'), line: 3 } },
    ],
    controls: [{ id: 'c', resources: ['file#/nowhere/b'], verdict: 'compliant' }],
  })
})

test.each([
  [
    '[[ if false ]]x[[ end ]]\n',
    ['policy.yaml:4:23 resources jet template produced no output, check for syntax errors'],
  ],
  ['- file: {name: [[ ] ]], ensure: absent}', [expect.stringMatching(/^resources\.jet:1:1\d /)]],
  ['\n- file: {name: "[[ nothing ]]"}', [expect.stringMatching(/^resources\.jet:2:\d+ .*nothing/)]],
  ['a: b', ['resources.jet (rendered):1:1 ccm.resources must be a list, found a map']],
  ['[]', ['resources.jet (rendered):1:1 ccm.resources must not be empty']],
  ['- a: [', [expect.stringMatching(/^resources\.jet \(rendered\):1:\d/)]],
  [
    '[[ range _, name := Data.names ]]\n- fiel: {name: /[[ name ]]}\n[[ end ]]',
    [
      'resources.jet (rendered):2:3 unknown resource type "fiel", did you mean "file"?',
      'resources.jet (rendered):4:3 unknown resource type "fiel", did you mean "file"?',
    ],
  ],
  [
    '- file: {name: /a, ensure: absent, moed: 1}\n- file: {name: /a, ensure: absent}',
    [
      'resources.jet (rendered):1:36 unknown property "moed" of type file, did you mean "mode"?',
      'resources.jet (rendered):2:16 file#/a was already declared on line 1, column 16: give each its own alias',
    ],
  ],
])('a problem of %j has its place', async (jet, problems) => {
  expect(await problemsOf(policyOf(jet))).toEqual(problems)
})

test('a control that names an unknown resource has its place in the policy', async () => {
  const root = policyOf(
    '- file: {name: /nowhere, ensure: absent}',
    `${MANIFEST}policy: {controls: [{id: c, resources: ['file#/b']}]}\n`,
  )
  expect(await problemsOf(root)).toEqual([expect.stringMatching(/^policy\.yaml:5:41 no resource "file#\/b"/)])
})

test('a template in a rendered resource fails at its rendered place', async () => {
  const root = policyOf(
    '- file: {name: /nowhere/x, ensure: absent}\n- file:\n    name: /x\n    ensure: "{{ nope( }}"\n',
  )
  const run = await scanOf(root)
  expect(run.policies[0]?.resources[1]).toMatchObject({
    verdict: 'error',
    reason: 'template',
    errors: [expect.stringContaining(`${join(root, 'resources.jet (rendered)')}:4:`)],
  })
})

test('a policy has resources of its own or rendered ones', async () => {
  const root = policyOf('- file: {name: /a, ensure: absent}', `${MANIFEST}  resources: []\n`)
  expect(await problemsOf(root)).toContain('policy.yaml:4:3 resources and resources_jet_file cannot be used together')
})

test('a template that is not there is a problem', async () => {
  const root = filesIn({ 'policy.yaml': MANIFEST })
  expect(await problemsOf(root)).toEqual([
    expect.stringMatching(/^policy\.yaml:4:23 resources_jet_file cannot be read: ENOENT/),
  ])
})

test('secret data that was rendered is in no problem', async () => {
  const root = policyOf(
    '- file: {name: /a, ensure: absent, mode: "[[ Data.key ]]"}\n- [[ Data.key ]]: {name: /b}\n',
    'data:\n  # @sensitive\n  key: open-sesame\nccm:\n  resources_jet_file: resources.jet\n',
  )
  const loaded = await loadPolicy(join(root, 'policy.yaml'))
  expect(loaded.ok || loaded.problems.length).toBeGreaterThan(1)
  expect(JSON.stringify(loaded)).not.toContain('open-sesame')
})

test('templates and conditions of rendered resources are checked at their rendered place', async () => {
  const root = policyOf(`[[ range _, name := Data.names ]]
- file:
    name: /nowhere/[[ name ]]
    ensure: absent
    control: {if: "1 + 1"}
    content: "{{ nope() }}"
[[ end ]]`)
  const loaded = await loadDocuments([join(root, 'policy.yaml')], {})
  if (!loaded.ok) throw new Error(loaded.problems.map(({ message }) => message).join())
  const problems = loaded.value.flatMap((document) => checkTemplates(document, resourceTypes))
  const rendered = join(root, 'resources.jet (rendered)')
  expect(problems.map(({ position, sourceLine }) => [position, sourceLine])).toEqual([
    [{ file: rendered, line: 5, column: 20 }, '    control: {if: "1 + 1"}'],
    [{ file: rendered, line: 6, column: 18 }, '    content: "{{ nope() }}"'],
    [{ file: rendered, line: 11, column: 20 }, '    control: {if: "1 + 1"}'],
    [{ file: rendered, line: 12, column: 18 }, '    content: "{{ nope() }}"'],
  ])
})

test('a policy is printed with the resources that were rendered', async () => {
  const root = policyOf('[[ range Data.names ]]\n- file: {name: "/nowhere/[[ . ]]", ensure: absent}\n[[ end ]]')
  const loaded = await loadDocuments([join(root, 'policy.yaml')], { beside: '' })
  const [document] = loaded.ok ? loaded.value : []
  if (document === undefined) throw new Error('it should have been loaded')
  const { text } = renderPolicy(document, { types: resourceTypes, secrets: 'hide' })
  const printed = filesIn({ 'printed.yaml': text })
  const again = await loadPolicy(join(printed, 'printed.yaml'))
  expect(again.ok && again.value[0]?.resources.map(({ id }) => id)).toEqual(['file#/nowhere/a', 'file#/nowhere/b'])
})

test.each(['/etc/resources.jet', '../resources.jet', 'a/../../resources.jet'])(
  'the policy of a bundle cannot take its resources from %s',
  async (path) => {
    const bundle = packDirectory('b.tgz', filesIn({ 'policy.yaml': `ccm: {resources_jet_file: ${path}}\n` }))
    const loaded = await loadPolicy(bundle)
    expect(loaded.ok || loaded.problems).toMatchObject([
      {
        message:
          'resources_jet_file cannot be read: the file is outside the bundle, whose policy may only use files next to it',
        position: { file: `${bundle}!/policy.yaml`, line: 1, column: 27 },
      },
    ])
  },
)

test('the policy of a bundle renders its resources from the bundle', async () => {
  const root = policyOf('- file: {name: /nowhere/[[ Data.names[0] ]], ensure: absent, source: /etc/x}')
  const bundle = packDirectory('b.tgz', root)
  const refused = await loadPolicy(bundle)
  expect(refused.ok || refused.problems).toMatchObject([
    {
      message: expect.stringContaining('is outside'),
      position: { file: `${bundle}!/resources.jet (rendered)`, line: 1 },
    },
  ])
  writeFileSync(join(root, 'resources.jet'), '- file: {name: /nowhere/[[ Data.names[0] ]], ensure: absent}')
  const loaded = await loadPolicy(packDirectory('b.tgz', root))
  expect(loaded.ok && loaded.value[0]?.resources.map(({ id }) => id)).toEqual(['file#/nowhere/a'])
  await loaded.dispose()
})
