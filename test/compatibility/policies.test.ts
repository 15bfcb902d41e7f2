import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../support/temporary.ts'
import {
  fileResources,
  load,
  loadSound,
  MINE,
  oneResource,
  problemsOf,
  resultOf,
  resultsOf,
  scanWith,
} from './support.ts'

test('drift is exit code 2', async () => {
  const directory = temporaryDirectory()
  const path = `${directory}/file`
  const text = fileResources(`- ${path}: { ensure: absent }`)
  expect((await scanWith(directory, text)).exit.code).toBe(0)
  writeFileSync(path, '')
  expect((await scanWith(directory, text)).exit.code).toBe(2)
  expect((await scanWith(directory, text, { fix: true })).exit.code).toBe(0)
})

test('unknown keys are errors with a position', async () => {
  const directory = temporaryDirectory()
  const problems = await problemsOf(
    directory,
    [
      'hierachy: {}',
      'ccm:',
      '  fail_on_eror: true',
      '  resources:',
      '    - file: { name: /x, ensure: absent, mdoe: "0644" }',
    ].join('\n'),
  )
  expect(problems).toEqual([
    expect.stringMatching(/^1:1 .*"hierachy".*"hierarchy"/),
    expect.stringMatching(/^3:3 .*"fail_on_eror".*"fail_on_error"/),
    expect.stringMatching(/^5:41 .*"mdoe".*"mode"/),
  ])
})

test('an undefined requirement is an error of the policy', async () => {
  const directory = temporaryDirectory()
  const problems = await problemsOf(directory, fileResources('- /x: { ensure: absent, require: [file#/y] }'))
  expect(problems).toEqual([expect.stringMatching(/^4:43 .*"file#\/y"/)])
})

test('an undefined subscription is an error of the policy', async () => {
  const directory = temporaryDirectory()
  const text = oneResource('service', 'cron', { subscribe: ['file#/y'] })
  expect(await problemsOf(directory, text)).toEqual([expect.stringContaining('"file#/y"')])
})

test('a compliant subscriber stays compliant', async () => {
  const directory = temporaryDirectory()
  const file = `    - file: { name: ${directory}/new, ensure: present, mode: '0600', ${MINE} }`
  const exec = `    - exec: { name: 'true', refreshonly: true, subscribe: ['file#${directory}/new'] }`
  const [, subscriber] = resultsOf(await scanWith(directory, `ccm:\n  resources:\n${file}\n${exec}\n`))
  expect(subscriber).toMatchObject({ verdict: 'compliant', actions: ['Would have executed via subscribe'] })
})

test('resources after a stop are blocked', async () => {
  const directory = temporaryDirectory()
  const failing = `    - exec: { name: 'false' }`
  const later = `    - file: { name: ${directory}/gone, ensure: absent }`
  const text = `ccm:\n  fail_on_error: true\n  resources:\n${failing}\n${later}\n`
  const [first, second] = resultsOf(await scanWith(directory, text, { fix: true }))
  expect([first?.verdict, second?.verdict]).toEqual(['fix-failed', 'blocked'])
  expect(second?.message).toContain('fail_on_error')
})

test('unquoted numbers keep their characters', async () => {
  const directory = temporaryDirectory()
  const path = `${directory}/file`
  writeFileSync(path, '5.10')
  const text = `policy: { id: 9.10 }\n${fileResources(`- ${path}: { ensure: present, content: 5.10, mode: 0644, ${MINE} }`)}`
  const run = await scanWith(directory, text)
  expect(resultOf(run).verdict).toBe('compliant')
  expect(run.policies[0]?.id).toBe('9.10')
})

test('an empty body beside defaults keeps them', async () => {
  const directory = temporaryDirectory()
  const bodies = ['', ' null', ' ~', ' {}']
  const resources = bodies.map((body, index) => `- /nowhere/${index}:${body}`)
  const run = await scanWith(directory, fileResources('- defaults: { ensure: absent }', ...resources))
  expect(resultsOf(run).map(({ ensure }) => ensure?.desired)).toEqual(bodies.map(() => 'absent'))
})

test.each([
  ['a name inside that differs', fileResources('- /x: { name: /y, ensure: absent }'), /^4:23 .*name/],
  ['a second document', `${fileResources('- /x: { ensure: absent }')}---\nccm: {}\n`, /^5:1 .*document/],
  [
    'two types in one item',
    'ccm:\n  resources:\n    - file: { name: /x, ensure: absent }\n      exec: {}\n',
    /^4:7 a list item has one resource type/,
  ],
  ['two names in one item', fileResources('- /x: { ensure: absent }', '  /y: { ensure: absent }'), /^5:11 /],
])('ambiguous structure is an error with a position: %s', async (_structure, text, message) => {
  expect(await problemsOf(temporaryDirectory(), text)).toContainEqual(expect.stringMatching(message))
})

test('ambiguous structure is an error with a position: but a name inside that agrees is fine', async () => {
  const loaded = await load(temporaryDirectory(), fileResources('- /x: { name: /x, ensure: absent }'))
  expect(loaded.ok).toBe(true)
})

test('all of YAML 1.2 loads', async () => {
  const directory = temporaryDirectory()
  const text = [
    'x-base: &base { ensure: present, owner: "0", group: "0", mode: "0600" }',
    'x-body: &body { ensure: absent }',
    'ccm:',
    '  resources:',
    '    - file:',
    `        - ${directory}/merged:`,
    '            <<: *base',
    '            mode: "0644"',
    '            content: |',
    '              say "hello"',
    "              it's two lines",
    `        - ${directory}/escaped: { <<: *base, content: "tab\\tbell\\u0007 \\/" }`,
    `        - ${directory}/aliased: *body`,
    '',
  ].join('\n')
  const [policy] = await loadSound(directory, text)
  expect(policy?.resources.map(({ properties }) => [properties['mode'], properties['content']])).toEqual([
    ['0644', 'say "hello"\nit\'s two lines\n'],
    ['0600', 'tab\tbell\u0007 /'],
    [undefined, undefined],
  ])
})

test('the same resource twice needs aliases', async () => {
  const directory = temporaryDirectory()
  const twice = fileResources('- /x: { ensure: absent }', '- /x: { ensure: absent }')
  expect(await problemsOf(directory, twice)).toEqual([expect.stringMatching(/^5:11 .*alias/)])
  const named = fileResources('- /x: { ensure: absent, alias: a }', '- /x: { ensure: absent, alias: b }')
  expect((await loadSound(directory, named))[0]?.resources.map(({ id }) => id)).toEqual(['file#a', 'file#b'])
})

test.each([
  ['an empty file', ''],
  ['overrides that are null', `overrides:\n${fileResources('- /x: { ensure: absent }')}`],
  ['overrides that are a list', `overrides: [1]\n${fileResources('- /x: { ensure: absent }')}`],
  ['data that is a list', `data: [1, 2]\n${fileResources('- /x: { ensure: absent }')}`],
])('malformed sections never crash: %s', async (_section, text) => {
  const loaded = await load(temporaryDirectory(), text)
  if (!loaded.ok) expect(loaded.problems.every(({ message }) => message !== '')).toBe(true)
  expect(loaded.ok).toBe(text.startsWith('overrides:\n'))
})

test('numbers that templates cannot hold are errors', async () => {
  const text = `data: {n: 9223372036854775808}\n${fileResources('- /nowhere: {ensure: absent}')}`
  expect(await problemsOf(temporaryDirectory(), text)).toEqual([
    '1:11 the number 9223372036854775808 does not fit into 64 bits, write it in quotes to keep it as text',
  ])
})

test('a plain map of data is used', async () => {
  const directory = temporaryDirectory()
  const file = join(directory, 'site.yaml')
  writeFileSync(file, 'name: here\n')
  const text = fileResources('- "/nowhere/{{ Data.name }}": {ensure: absent}')
  const [policy] = await loadSound(directory, text, { data: [file] })
  expect(policy?.resources.map(({ name }) => name)).toEqual(['/nowhere/here'])
})

test('data that is partly hierarchical is an error', async () => {
  const directory = temporaryDirectory()
  const file = join(directory, 'site.yaml')
  writeFileSync(file, 'data: {port: 80}\nport: 81\n')
  const loaded = await load(directory, fileResources('- /nowhere: {ensure: absent}'), { data: [file] })
  const problems = loaded.ok ? [] : loaded.problems
  expect(problems).toMatchObject([
    { message: expect.stringMatching(/"data".*"port"/), position: { line: 2, column: 1 } },
  ])
})

test('nil data is omitted', async () => {
  const text = `data: {x: "{{ nil }}"}\n${fileResources(`- "/nowhere/{{ lookup('data.x', 'default') }}": {ensure: absent}`)}`
  const [policy] = await loadSound(temporaryDirectory(), text)
  expect(policy?.resources.map(({ name }) => name)).toEqual(['/nowhere/default'])
})
