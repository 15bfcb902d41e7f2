import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { formatProblem, loadPolicy } from '../../src/index.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { audit } from './audit.ts'

const DATA = ['data:', '  # @sensitive', '  token: hunter2-token']

test.each([
  [
    'the same name twice',
    ['- "/x/{{ Data.token }}": { ensure: absent }', '- "/x/{{ Data.token }}": { ensure: absent }'],
  ],
  [
    'a suggestion',
    ['- "/x/{{ Data.token }}": { ensure: absent }', '- /y: { ensure: absent, require: [file#/x/hunter2-tokne] }'],
  ],
  ['a source line', ['- /x/hunter2-token: { ensure: absent, froce: true }']],
])('a problem of a policy never shows data that is sensitive: %s', async (_problem, resources) => {
  const file = `${temporaryDirectory()}/policy.yaml`
  const lines = [...DATA, 'ccm:', '  resources:', '    - file:', ...resources.map((text) => `        ${text}`)]
  writeFileSync(file, lines.join('\n'))
  const loaded = await loadPolicy(file)
  expect(loaded.ok).toBe(false)
  const problems = loaded.ok ? [] : loaded.problems
  expect(problems).toHaveLength(1)
  expect(problems.map((problem) => formatProblem(problem)).join('\n')).not.toContain('hunter2-token')
})

const SECRET = 'hunter2-token'

/** One resource of a type with a secret in a place where something is wrong. */
const BROKEN: readonly (readonly [problem: string, text: string])[] = [
  ['a property twice', `ccm: {resources: [{file: [{/x: {sensitive: true, content: a, content: ${SECRET}}}]}]}`],
  [
    'a key of data twice, on lines of their own',
    `data:\n  # @sensitive\n  token: old\n  token: ${SECRET}\nccm: {resources: [{file: {name: /x, ensure: absent}}]}`,
  ],
  [
    'a property twice that is secret in its type',
    `ccm:\n  resources:\n    - archive:\n        - /x.tar:\n            password: x\n            password: ${SECRET}\n`,
  ],
  ['no YAML', `ccm:\n  resources:\n    - file:\n        - /x: {sensitive: true, content: [${SECRET}\n`],
  ['a stray text', `# @sensitive\ndata: {token: x}\nccm: []\n"${SECRET}" "${SECRET}"\n`],
  [
    'a second line of a text',
    `ccm:\n  resources:\n    - file:\n        - /x:\n            sensitive: true\n            mode: "64\n              ${SECRET} {{ ]] }}"\n            ensure: present\n`,
  ],
  [
    'a nested value',
    `ccm:\n  resources:\n    - archive:\n        - /x.tar:\n            ensure: absent\n            headers:\n              A: b\n              C: [${SECRET}]\n`,
  ],
  [
    'an escaped secret of data',
    `data:\n  # @sensitive\n  token: {a: "hunter\\x32-token ${SECRET.slice(0, 0)}", b: "{{ nope('hunter2' + '-token') }}"}\nccm: {resources: [{file: {name: /x, ensure: absent}}]}`,
  ],
  [
    'a duration of a check',
    `ccm: {resources: [{file: {name: /x, ensure: absent, sensitive: true, health_checks: [{command: /bin/true, timeout: ${SECRET}}]}}]}`,
  ],
  ['bytes that are no UTF-8', `# @sensitive\ndata: {token: ${SECRET} \xff}`],
]

test.each(BROKEN)('a problem in a text never shows what is secret in it: %s', async (_problem, text) => {
  const file = `${temporaryDirectory()}/policy.yaml`
  writeFileSync(file, Buffer.from(text, 'latin1'))
  const loaded = await loadPolicy(file)
  const problems = loaded.ok ? [] : loaded.problems
  expect(problems).not.toHaveLength(0)
  const shown = problems.map((problem) => formatProblem(problem)).join('\n')
  for (const part of [SECRET, 'hunter', '-token']) expect(shown).not.toContain(part)
})

test('a problem beside a secret is shown as usual', async () => {
  const file = `${temporaryDirectory()}/policy.yaml`
  const lines = [...DATA, 'ccm:', '  resources:', '    - file:', '        - /x: {ensure: absent, froce: true}']
  writeFileSync(file, lines.join('\n'))
  const loaded = await loadPolicy(file)
  expect(loaded.ok ? [] : loaded.problems).toMatchObject([
    { sourceLine: '        - /x: {ensure: absent, froce: true}' },
  ])
})

test.each([
  ['the syntax of a template', `content: "{{ ${SECRET} ) }}"`],
  ['an unknown name', `content: "{{ nope('${SECRET}') }}"`],
  ['a call', `content: "{{ readFile('/${SECRET}') }}"`],
  ['a condition that rules it out', `content: x, control: {if: "'${SECRET}' == 'x'"}`],
  ['a condition that fails', `content: x, control: {if: "nope('${SECRET}')"}`],
])('a resource that is sensitive fails without its template: %s', async (_failure, properties) => {
  const directory = temporaryDirectory()
  const own = 'name: /x, ensure: present, owner: root, group: root, mode: "0644", sensitive: true'
  const { run, results } = await audit(directory, `ccm: {resources: [{file: {${own}, ${properties}}}]}`)
  expect(Object.values(results)).toMatchObject([{ verdict: expect.stringMatching(/^(error|not-applicable)$/) }])
  expect(JSON.stringify(run)).not.toContain(SECRET)
})
