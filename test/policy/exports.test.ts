import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { userInfo } from 'node:os'
import { expect, test } from 'vitest'
import { scan } from '../../src/engine/local.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import { audit, load, problemsOf } from './audit.ts'

const { uid, gid, username } = userInfo()
const MINE = `owner: "${uid}", group: "${gid}", mode: "0640"`

const NOT_HERE =
  'the values of other resources cannot be read here: they are known only when a scan evaluates the conditions and properties of a resource'
const NOT_CLEAR =
  'the value that is read must be a literal: write Resources["type#name"].field or lookup("resources.type#name.field")'

/** A policy with two files, of which the second holds this. */
function reading(expression: string): string {
  return [
    'ccm:',
    '  resources:',
    '    - file:',
    `        - /one: { ensure: absent, alias: first }`,
    `        - /two: { ensure: absent, control: { if: '${expression}' } }`,
    '        - /three: { ensure: absent }',
    '    - apply: [{ child.yaml: {} }]',
  ].join('\n')
}

test.each([
  { expression: 'Resources["file#/two"].exists', message: 'a resource cannot read its own values' },
  {
    expression: 'Resources["file#/three"].exists',
    message: '"file#/three" is declared later: a resource can only read values of earlier ones',
  },
  {
    expression: 'Resources["file#/oen"].exists',
    message: 'no resource "file#/oen", did you mean "file#/one"?',
  },
  {
    expression: 'Resources["fist"].exists',
    message: 'no resource has the alias "fist", did you mean "first"?',
  },
  {
    expression: 'lookup("resources.file#/oen.exists")',
    message: 'no resource "file#/oen", did you mean "file#/one"?',
  },
  { expression: 'Resources["first"].ownr == ""', message: 'type file exports no "ownr", did you mean "owner"?' },
  {
    expression: 'lookup("resources.first.nonsense")',
    message: 'type file exports no "nonsense"; known: path, exists, type, owner, uid, group, gid, mode, size, checksum',
  },
  { expression: 'Resources[Data.x].exists', message: NOT_CLEAR },
  { expression: 'Resources["first"][Data.x]', message: NOT_CLEAR },
  { expression: 'Resources["first"] == nil', message: NOT_CLEAR },
  { expression: 'len(Resources) > 1', message: NOT_CLEAR },
  { expression: 'lookup("resources.first." + Data.x)', message: NOT_CLEAR },
  { expression: 'lookup("resources.first")', message: NOT_CLEAR },
])('$expression is an error of the policy', async ({ expression, message }) => {
  const directory = temporaryDirectory()
  writeFileSync(`${directory}/child.yaml`, 'ccm: { resources: [{ file: [{ /four: { ensure: absent } }] }] }')
  const problems = await problemsOf(directory, reading(expression))
  // The expression starts behind `        - /two: { ensure: absent, control: { if: '`.
  const column = 51 + Math.max(0, expression.search(/Resources|lookup/))
  expect(problems).toHaveLength(1)
  expect(problems[0]).toMatch(/^5:\d+ /)
  expect(problems[0]?.replace(/^\S+ /, '')).toBe(message)
  if (!expression.startsWith('lookup("')) expect(problems[0]).toMatch(new RegExp(`^5:${column} `))
})

test('a resource that exports nothing cannot be read', async () => {
  const directory = temporaryDirectory()
  writeFileSync(`${directory}/child.yaml`, 'ccm: { resources: [{ file: [{ /four: { ensure: absent } }] }] }')
  const text = `ccm:
  resources:
    - apply: [{ child.yaml: {} }]
    - file: [{ /two: { ensure: absent, control: { if: 'Resources["apply#child.yaml"].x' } } }]
`
  expect(await problemsOf(directory, text)).toEqual(['4:56 type apply exports no values'])
})

test('two resources with one alias need more than the alias', async () => {
  const text = `ccm:
  resources:
    - file: [{ /one: { ensure: absent, alias: a } }]
    - package: [{ one: { ensure: absent, alias: a } }]
    - file: [{ /two: { ensure: absent, control: { if: 'Resources["a"].exists' } } }]
`
  expect(await problemsOf(temporaryDirectory(), text)).toEqual([
    '5:56 "a" names 2 resources, use an alias: file#/one, package#one',
  ])
})

const READ = '{{ Resources["file#/one"].owner }}'

test.each([
  { where: 'data', text: `data:\n  x: '${READ}'`, place: '2:10' },
  { where: 'an override that is not chosen', text: `overrides:\n  x: { y: '${READ}' }`, place: '2:15' },
  { where: 'the hierarchy', text: `hierarchy:\n  order: ['${READ}']`, place: '2:15' },
])('nothing of a resource is known in $where', async ({ text, place }) => {
  const policy = `${text}\nccm:\n  resources: [{ file: [{ /one: { ensure: absent } }] }]\n`
  expect(await problemsOf(temporaryDirectory(), policy)).toEqual([`${place} ${NOT_HERE}`])
})

test.each([
  { where: 'its name', body: `'${READ}': { ensure: absent }` },
  { where: 'its alias', body: `/two: { ensure: absent, alias: '${READ}' }` },
  { where: 'its provider', body: `/two: { ensure: absent, provider: '${READ}' }` },
  { where: 'its health checks', body: `/two: { ensure: absent, health_checks: [{ command: '/bin/true ${READ}' }] }` },
])('nothing of a resource is known in $where', async ({ body }) => {
  const policy = `ccm:\n  resources:\n    - file:\n        - /one: { ensure: absent }\n        - ${body}\n`
  const [problem = '', ...others] = await problemsOf(temporaryDirectory(), policy)
  expect(others).toEqual([])
  expect(problem.replace(/^5:\d+ /, '')).toBe(NOT_HERE)
})

test('child manifests are loaded before anything is known', async () => {
  const directory = temporaryDirectory()
  writeFileSync(`${directory}/child.yaml`, 'ccm: { resources: [{ file: [{ /four: { ensure: absent } }] }] }')
  const text = `ccm:
  resources:
    - file: [{ /one: { ensure: absent } }]
    - apply:
        - child.yaml:
            control: { if: 'Resources["file#/one"].exists' }
            data: { owner: '${READ}' }
`
  const message =
    'an apply resource cannot read the values of other resources: its manifest is loaded before anything is observed'
  expect(await problemsOf(directory, text)).toEqual([`6:29 ${message}`, `7:32 ${message}`])
})

test('a declaration lists its reads', async () => {
  const expression = 'Resources["first"].exists and lookup("resources.file#/one.exists") and Resources["first"].uid > 0'
  const directory = temporaryDirectory()
  writeFileSync(`${directory}/child.yaml`, 'ccm: { resources: [{ file: [{ /four: { ensure: absent } }] }] }')
  const loaded = await load(directory, reading(expression))
  expect(loaded.ok && loaded.value[0]?.resources.map(({ reads }) => reads)).toEqual([
    undefined,
    [
      { resource: 'file#/one', field: 'exists' },
      { resource: 'file#/one', field: 'uid' },
    ],
    undefined,
    undefined,
  ])
})

/** What a file that reads these values of the first resource would contain after a fix. */
async function values(directory: string, first: string, id: string, fields: readonly string[]): Promise<unknown> {
  const map = fields.map((field) => `${field}: Resources["${id}"].${field}`).join(', ')
  const loaded = await load(
    directory,
    `ccm:
  resources:
    - ${first}
    - file: [{ ${directory}/out: { ensure: present, content: '{{ toJSON({${map}}) }}', ${MINE} } }]
`,
  )
  if (!loaded.ok) throw new Error(loaded.problems.map(({ message }) => message).join('\n'))
  const run = await scan(loaded.value, { fix: true })
  const last = run.policies[0]?.resources.at(-1)
  if (last?.verdict !== 'fixed') throw new Error(last?.message)
  return JSON.parse(readFileSync(`${directory}/out`, 'utf8'))
}

test('a file exports its observed state, after a fix the new state', async () => {
  const directory = temporaryDirectory()
  const path = `${directory}/a`
  writeFileSync(path, 'old')
  chmodSync(path, 0o600)
  const file = `file: [{ ${path}: { ensure: present, content: hello, ${MINE} } }]`
  const fields = ['path', 'exists', 'type', 'owner', 'uid', 'gid', 'mode', 'size', 'checksum']
  expect(await values(directory, file, `file#${path}`, fields)).toEqual({
    path,
    exists: true,
    type: 'file',
    owner: username,
    uid,
    gid,
    mode: '0640',
    size: 5,
    checksum: createHash('sha256').update('hello').digest('hex'),
  })
})

test('a file that is not there exports that alone', async () => {
  const directory = temporaryDirectory()
  const file = `file: [{ ${directory}/a: { ensure: absent } }]`
  expect(await values(directory, file, `file#${directory}/a`, ['path', 'exists'])).toEqual({
    path: `${directory}/a`,
    exists: false,
  })
})

test('a link that leads to a directory exports the directory', async () => {
  const directory = temporaryDirectory()
  mkdirSync(`${directory}/real`, { mode: 0o750 })
  symlinkSync('real', `${directory}/link`)
  const file = `file: [{ ${directory}/link: { ensure: directory, owner: "${uid}", group: "${gid}", mode: "0750" } }]`
  expect(await values(directory, file, `file#${directory}/link`, ['type', 'mode'])).toEqual({
    type: 'directory',
    mode: '0750',
  })
})

test('an exec exports the results of its guards', async () => {
  const directory = temporaryDirectory()
  const exec = `exec: [{ "/bin/touch ${directory}/made": { creates: ${directory}/made, unless: /bin/false, alias: touch } }]`
  expect(await values(directory, exec, 'touch', ['created', 'unless'])).toEqual({ created: true, unless: 1 })
})

test('a scaffold exports which of its files are compliant, and data keeps the types of exported values', async () => {
  const directory = temporaryDirectory()
  mkdirSync(`${directory}/templates`)
  writeFileSync(`${directory}/templates/a`, 'a = [[ data.size + 1 ]] [[ data.exists ]]')
  const loaded = await load(
    directory,
    `ccm:
  resources:
    - file: [{ ${directory}/one: { ensure: present, content: hello, ${MINE} } }]
    - scaffold:
        - ${directory}/out:
            ensure: present
            source: templates
            data:
              size: '{{ Resources["file#${directory}/one"].size }}'
              exists: '{{ Resources["file#${directory}/one"].exists }}'
            alias: out
    - file: [{ ${directory}/two: { ensure: present, content: '{{ Resources["out"].stable[0] }}', ${MINE} } }]
`,
  )
  if (!loaded.ok) throw new Error(loaded.problems.map(({ message }) => message).join('\n'))
  await scan(loaded.value, { fix: true })
  expect(readFileSync(`${directory}/out/a`, 'utf8')).toBe('a = 6 true')
  expect(readFileSync(`${directory}/two`, 'utf8')).toBe(`${directory}/out/a`)
})

test('a template in a file sees only the exports that the text of its resource reads', async () => {
  const directory = temporaryDirectory()
  writeFileSync(`${directory}/a.templ`, '{{ Resources["file#/one"].path }}')
  const reader = (comment: string): string => `ccm:
  resources:
    - file:
        - /one: { ensure: absent }
        - ${directory}/two: { ensure: present, content: '${comment}{{ template("a.templ") }}', ${MINE} }
`
  const { results } = await audit(directory, reader(''))
  expect(results[`file#${directory}/two`]).toMatchObject({ verdict: 'error', reason: 'template' })
  const { results: sound } = await audit(directory, reader('{{ Resources["file#/one"].path }}'))
  expect(sound[`file#${directory}/two`]).toMatchObject({ verdict: 'drifted' })
})

test('the list of resources that a template gives can read values, too', async () => {
  const directory = temporaryDirectory()
  writeFileSync(
    `${directory}/list.jet`,
    `- file: [{ /one: { ensure: absent } }]\n- file: [{ /two: { ensure: absent, control: { if: 'Resources["file#/one"].exists' } } }]\n`,
  )
  const { results } = await audit(directory, 'ccm: { resources_jet_file: list.jet }')
  expect(results['file#/two']?.verdict).toBe('not-applicable')
})
