import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryDirectory } from '../../support/temporary.ts'
import { expanded, load, problemsOf } from '../audit.ts'

const DATA = "{{ toJSON(Data) | split('\\n') | map(trim(#)) | join(' ') }}"

/** The resolved data of a policy as compact JSON. */
async function dataOf(policy: string, options: Parameters<typeof expanded>[2] = {}): Promise<unknown> {
  return JSON.parse((await expanded(temporaryDirectory(), DATA, { policy, ...options })) ?? '')
}

const LEVELS = `data: {port: 80, names: [a], web: {tls: false, user: www}}
overrides:
  prod: {port: 443, web: {tls: true}, names: [b]}
  debian: {port: 8080, names: [c], extra: 1}
`

// The algorithm of CCM's hiera: `first` replaces whole top-level values and stops, `deep` goes on and later levels win.
test.each([
  ['no hierarchy', '', { port: 80, names: ['a'], web: { tls: false, user: 'www' } }],
  ['first', 'hierarchy: {order: [prod, debian]}', { port: 443, names: ['b'], web: { tls: true } }],
  [
    'first in the other order',
    'hierarchy: {order: [debian, prod]}',
    { port: 8080, names: ['c'], web: { tls: false, user: 'www' }, extra: 1 },
  ],
  [
    'deep',
    'hierarchy: {order: [prod, debian], merge: deep}',
    { port: 8080, names: ['a', 'b', 'c'], web: { tls: true, user: 'www' }, extra: 1 },
  ],
  ['a level without override', 'hierarchy: {order: [none, prod]}', { port: 443, names: ['b'], web: { tls: true } }],
  [
    'levels from facts',
    'hierarchy: {order: ["{{ lookup(\'facts.env\') }}", debian]}',
    { port: 443, names: ['b'], web: { tls: true } },
  ],
  [
    'an expression that gives nothing does not match',
    "hierarchy: {order: [\"{{ lookup('facts.none', '') }}\", debian]}",
    { port: 8080, names: ['c'], web: { tls: false, user: 'www' }, extra: 1 },
  ],
])('%s', async (_title, hierarchy, wanted) => {
  expect(await dataOf(`${LEVELS}${hierarchy}`, { fact: ['env=prod'] })).toEqual(wanted)
})

test('data is expanded with facts and lookup only, typed, and does not see itself', async () => {
  const policy = `data:
  base: 7
  copy: "{{ lookup('facts.n') }}"
  list: "{{ [1, 'two'] }}"
  text: "n={{ lookup('facts.n') }}"
  self: "{{ lookup('data.base', 'unseen') }}"
  gone: "{{ nil }}"
`
  expect(await dataOf(policy, { fact: ['n=5'] })).toEqual({
    base: 7,
    copy: '5',
    list: [1, 'two'],
    text: 'n=5',
    self: 'unseen',
  })
  const files = `data:\n  f: "{{ file('x') }}"\nccm: {resources: [{file: {name: /nowhere, ensure: absent}}]}`
  expect(await problemsOf(temporaryDirectory(), files)).toEqual([expect.stringMatching(/^2:10 .*unknown name file/)])
})

test.each([
  ['data: { a: 1, b: "{{ lookup(\'data.a\') }}" }', '1:22 data.a cannot be read here'],
  ['data: { a: 1, b: "{{ Data.a }}" }', '1:27 data.a cannot be read here'],
  ['data: { a: 1 }\nhierarchy: { order: ["x:{{ Data.a }}"] }', '2:33 data.a cannot be read here'],
])('data that reads data is refused: %s', async (data, message) => {
  const policy = `${data}\nccm: { resources: [{ file: [{ /nowhere: { ensure: absent } }] }] }\n`
  expect(await problemsOf(temporaryDirectory(), policy)).toEqual([
    `${message}: expressions in data see facts, and no other data`,
  ])
})

test('files of data, YAML and JSON, and single values are laid over, the last one winning', async () => {
  const directory = temporaryDirectory()
  const yaml = join(directory, 'd.yaml')
  const json = join(directory, 'd.json')
  writeFileSync(yaml, 'port: 1\nnames: [d]\nweb: {user: nginx}\n')
  writeFileSync(json, '{"port": 2, "web": {"depth": {"x": true}}}')
  const set = ['web.depth.x=[1, no]', 'text=plain: text: here', 'a\\.b=dotted', 'flag=true', 'empty=']
  expect(await dataOf(LEVELS, { data: [yaml, json], set })).toEqual({
    port: 2,
    names: ['a', 'd'],
    web: { tls: false, user: 'nginx', depth: { x: [1, 'no'] } },
    text: 'plain: text: here',
    'a.b': 'dotted',
    flag: true,
    empty: null,
  })
})

/** A server on the loopback interface, and its address. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  // A server on a port has an address with a port.
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('data comes from a server, with the password of the address as a header', async () => {
  const asked: (string | undefined)[] = []
  const host = await serve(({ url, headers }, response) => {
    asked.push(url, headers.authorization)
    response.end('port: 9000\n')
  })
  expect(await dataOf('data: {port: 1}', { data: [`http://u:p%40ss@${host}/site.yaml?a=b`] })).toEqual({ port: 9000 })
  expect(asked).toEqual(['/site.yaml?a=b', `Basic ${Buffer.from('u:p@ss').toString('base64')}`])
})

test.each([
  ['an error page', 404, 'not here', /answered 404/],
  ['nothing', 200, '', /the answer is empty/],
  ['no map', 200, '- 1\n', /it does not contain a map/],
  ['no YAML', 200, 'a: [\n', /site\.yaml: /],
])('a server that gives %s is a problem that does not show the password', async (_title, status, body, message) => {
  const host = await serve((_request, response) => response.writeHead(status).end(body))
  const policy = 'ccm: {resources: [{file: {name: /nowhere, ensure: absent}}]}'
  const [problem, ...more] = await problemsOf(temporaryDirectory(), policy, {
    data: [`http://user:hunter22@${host}/site.yaml`],
  })
  expect(more).toEqual([])
  expect(problem).toMatch(message)
  expect(problem).toContain(`--data http://${host}/site.yaml`)
  expect(problem).not.toContain('hunter22')
})

const PINNED = 'port: 9000\n'
const DIGEST = createHash('sha256').update(PINNED).digest('hex')

test('data of a server that is pinned by its digest is used', async () => {
  const host = await serve((_request, response) => response.end(PINNED))
  expect(await dataOf('data: {}', { data: [`http://${host}/site.yaml#sha256=${DIGEST.toUpperCase()}`] })).toEqual({
    port: 9000,
  })
})

test.each([
  [
    'other data than was pinned',
    `${PINNED}x: 1\n`,
    `#sha256=${DIGEST}`,
    /differs from the pinned digest: want sha256 \w+, found \w+/,
  ],
  ['a pin that is misspelt', PINNED, `#sha265=${DIGEST}`, /"#sha265=\w+" is not a supported URL fragment/],
  ['a pin that is too short', PINNED, '#sha256=12', /"#sha256=12" is not a supported URL fragment/],
])('%s is a problem', async (_title, body, pin, message) => {
  const host = await serve((_request, response) => response.end(body))
  const policy = 'ccm: {resources: [{file: {name: /nowhere, ensure: absent}}]}'
  const problems = await problemsOf(temporaryDirectory(), policy, { data: [`http://${host}/site.yaml${pin}`] })
  expect(problems).toEqual([expect.stringMatching(message)])
})

test("all problems of the operator's input are reported at once", async () => {
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'list.yaml'), '- 1\n')
  writeFileSync(join(directory, 'env'), 'A=1\nnot this\n')
  const policy = 'ccm: {resources: [{file: {name: /nowhere, ensure: absent}}]}'
  const problems = await problemsOf(directory, policy, {
    data: [join(directory, 'none.yaml'), join(directory, 'list.yaml')],
    set: ['novalue', 'a..b=1'],
    facts: [directory],
    fact: ['=x'],
    envFile: join(directory, 'env'),
  })
  expect(problems).toHaveLength(7)
  expect(problems.join('\n')).toMatch(
    /--facts[\s\S]*--fact "=x"[\s\S]*2:1 expected NAME=value[\s\S]*none\.yaml cannot be read[\s\S]*list\.yaml: it does not contain a map[\s\S]*--set "novalue" is not an assignment[\s\S]*--set "a\.\.b"/,
  )
})

const ANNOTATED = `data:
  # @require
  name: ""
  web:
    # The port to listen on.
    # @validate isInt(value) && int(value) < 1024
    port: 8080
    # @required
    host:
  # @validate isIPv4(value)
  address: "300.1.1.1"
  # @validate isIPv4(value
  broken: 1.2.3.4
  # @requird
  odd: 1
ccm: {resources: [{file: {name: /nowhere, ensure: absent}}]}
`

test('annotations are checked all at once, each with its key and line', async () => {
  expect(await problemsOf(temporaryDirectory(), ANNOTATED)).toEqual([
    '2:5 key "name" is required but has no value',
    '6:7 key "web.port" failed validation "isInt(value) && int(value) < 1024"',
    '8:7 key "web.host" is required but has no value',
    '10:5 key "address" failed validation "isIPv4(value)"',
    expect.stringMatching(/^12:5 key "broken" validation "isIPv4\(value" failed: /),
    '14:5 unknown annotation @requird, did you mean "require"?',
  ])
})

test('annotations are checked after data was laid over; an unknown word is a warning', async () => {
  const set = ['name=web', 'web.port=443', 'web.host=h', 'address=10.0.0.1']
  const sound = ANNOTATED.replace('isIPv4(value\n', 'isIPv4(value)\n')
  const loaded = await load(temporaryDirectory(), sound, { set })
  if (!loaded.ok) throw new Error(loaded.problems.map(({ message }) => message).join())
  expect(loaded.warnings).toMatchObject([{ severity: 'warning', position: { line: 14, column: 5 } }])
  // What the operator gives has to keep the rules of the policy.
  expect(await problemsOf(temporaryDirectory(), sound, { set: [...set, 'web.port=99999'] })).toContain(
    '6:7 key "web.port" failed validation "isInt(value) && int(value) < 1024"',
  )
})

test('annotations count behind a key or a value on its line, and above empty lines, as CCM has them', async () => {
  const policy = `data:
  one: "" # @require
  two: # @require
  three: {} # not @require
  four: [80] # @validate isIPv4(value)
  five: x#y # @validate isIPv4(value)
  six: 'a # @require b'
  seven: | # @validate isIPv4(value)
    text # @require
  eight: # @validate false
    inner: '' # @require
  # @require

  nine:
ccm: {resources: [{file: {name: /nowhere, ensure: absent}}]}
`
  expect(
    (await problemsOf(temporaryDirectory(), policy)).map((each) => each.replace(/^(\d+:\d+ key "\w+\.?\w*").*/, '$1')),
  ).toEqual([
    '2:13 key "one"',
    '3:10 key "two"',
    '6:15 key "five"',
    '8:14 key "seven"',
    '11:17 key "eight.inner"',
    '12:5 key "nine"',
  ])
})

test('JSON has no annotations', async () => {
  const json =
    '{"data": {\n"a": 1, "b": "x # @require"\n,\n"c": [1], "d": "# @require", "e": "" }, "ccm": {"resources": [{"file": {"name": "/nowhere", "ensure": "absent"}}]}}'
  expect(await problemsOf(temporaryDirectory(), json)).toEqual([])
})
