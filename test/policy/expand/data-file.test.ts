import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../../support/temporary.ts'
import { expanded, load, problemsOf } from '../audit.ts'

const DATA = "{{ toJSON(Data) | split('\\n') | map(trim(#)) | join(' ') }}"

/** The data that a policy sees beside its own `port: 1` and `names: [own]`, with this file laid over it. */
async function dataWith(text: string, name = 'site.yaml'): Promise<unknown> {
  const directory = temporaryDirectory()
  const file = join(directory, name)
  writeFileSync(file, text)
  const policy = 'data: {port: 1, names: [own]}'
  return JSON.parse((await expanded(directory, DATA, { policy, data: [file], fact: ['role=web'] })) ?? '')
}

const DOCUMENT = `
hierarchy:
  order: ["role:{{ lookup('facts.role') }}", common]
data:
  port: 80
  names: [base]
  greeting: "I am {{ Facts.role }}"
overrides:
  role:web: {port: 443, names: [web]}
  role:db: {port: 5432}
  common: {port: 8080, late: true}
`

// The algorithm of CCM's hiera; what comes out lies over the policy's own data deeply, so the lists are joined.
test.each([
  ['first', DOCUMENT, { port: 443, names: ['own', 'web'], greeting: 'I am web' }],
  [
    'deep',
    DOCUMENT.replace('common]', 'common]\n  merge: deep'),
    { port: 8080, names: ['own', 'base', 'web'], late: true, greeting: 'I am web' },
  ],
  ['no hierarchy', 'data: {port: 80}\noverrides: {default: {port: 81}}', { port: 81, names: ['own'] }],
  [
    'a whole policy',
    `${DOCUMENT}ccm: {resources: []}\npolicy: {id: x}\n`,
    { port: 443, names: ['own', 'web'], greeting: 'I am web' },
  ],
  ['JSON', '{"data": {"port": "{{ 40 + 2 }}"}}', { port: 42, names: ['own'] }],
])('a hierarchical document is resolved with the facts of the run: %s', async (_title, text, wanted) => {
  expect(await dataWith(text)).toEqual(wanted)
})

test.each([
  ['a value called data beside others', 'data: /srv\nother: 1', { data: '/srv', other: 1 }],
  ['a hierarchy of another kind', 'hierarchy: [king, queen]\nother: 1', { hierarchy: ['king', 'queen'], other: 1 }],
  ['nothing but a comment', '# nothing\n', {}],
  ['behind many empty lines', `${'\n'.repeat(1000)}x: 1`, { x: 1 }],
])('a plain map stays plain: %s', async (_title, text, more) => {
  expect(await dataWith(text)).toEqual({ port: 1, names: ['own'], ...more })
})

test('templates in a plain map stay as they are written', async () => {
  expect(await dataWith('text: "{{ Facts.role }}"')).toMatchObject({ text: '{{ Facts.role }}' })
})

test.each([
  ['a stray key', 'hierarchy: {order: [a]}\nport: 80', /^2:1 .*unknown key "port"/],
  ['an unknown key beside data', 'data: {port: 80}\nother: 1', /^2:1 .*"data" makes this .* no "other"/],
  [
    'an unknown key beside overrides',
    'other: 1\noverrides: {default: {b: 1}}',
    /^1:1 .*"overrides" makes this .* no "other"/,
  ],
  ['a misspelt merge', 'hierarchy: {order: [a], merge: depe}\ndata: {}', /^1:32 .*"deep"/],
  ['data that is no map', 'data: [1]', /^1:7 .*data must be a map/],
  ['a template that fails', 'data: {x: "{{ nope( }}"}', /^1:\d+ /],
  ['a required key without value', 'data:\n  # @require\n  user: ""\n', /key "user" is required but has no value/],
  ['the same of a plain map', '# @validate isIPv4(value)\naddress: here\n', /key "address" failed validation/],
])('a wrong document is a problem with its place: %s', async (_title, text, wanted) => {
  const directory = temporaryDirectory()
  const file = join(directory, 'site.yaml')
  writeFileSync(file, text)
  const policy = 'ccm: {resources: [{file: {name: /nowhere, ensure: absent}}]}'
  const [problem, ...more] = await problemsOf(directory, policy, { data: [file] })
  expect(more).toEqual([])
  expect(problem).toMatch(wanted)
})

test.each(['data:\n  # @sensitive\n  token: hunter22\n', '# @sensitive\ntoken: hunter22\n'])(
  'a secret of a file of data is one: %j',
  async (text) => {
    const directory = temporaryDirectory()
    const file = join(directory, 'site.yaml')
    writeFileSync(file, text)
    const policy = 'data: {}\nccm: {resources: [{file: {name: /nowhere, ensure: absent}}]}'
    const loaded = await load(directory, policy, { data: [file] })
    expect(loaded.ok && loaded.value[0]).toMatchObject({ secrets: ['hunter22'] })
  },
)
