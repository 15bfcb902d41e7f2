import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { expect, test } from 'vitest'
import { runInProcess } from '../support/command-line.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const RESOURCES =
  'ccm: { resources: [{ file: [{ /srv/x: { alias: file, ensure: "{{ lookup(\'data.name\') }}" } }] }] }\n'
const ABSENT = 'ccm: { resources: [{ file: [{ /srv/y: { ensure: absent } }] }] }\n'
const POLICY = `policy:
  parameters:
    name: {}
    choice: { meaning: which one is in charge, one_of: [red, green] }
    several: { one_of: [a, b] }
    count: {}
    servers: {}
    isOn: {}
  controls: [{ id: C1, resources: [file#file] }]
data: { name: absent, choice: red, several: [a], count: 3, servers: [s1], isOn: true, own: 1 }
overrides: { special: { extra: 1 } }
${RESOURCES}`

function policyFile(text = POLICY, name = 'p.yaml'): string {
  const file = join(temporaryDirectory(), name)
  writeFileSync(file, text)
  return file
}

async function resolve(...args: readonly string[]): Promise<unknown> {
  const { code, stdout, stderr } = await runInProcess('data', policyFile(), ...args)
  return code === 0 ? parse(stdout) : stderr
}

test.each([
  ['choice=green', { choice: 'green' }],
  ['several=[b, a]', { several: ['b', 'a'] }],
  ['servers=[]', { servers: [] }],
  ['count=0', { count: 0 }],
  ['name=5', { name: 5 }],
  ['isOn=false', { isOn: false }],
  ['own=2', { own: 2 }],
  ['extra=2', { extra: 2 }],
])('accepts --set %s', async (given, expected) => {
  expect(await resolve('--set', given)).toMatchObject(expected)
})

test.each([
  ['chioce=green', '--set chioce: no policy has a parameter "chioce", did you mean "choice"?'],
  ['choice=gren', 'data.choice must be one of red, green, found "gren", did you mean "green"?'],
  ['several=[a, c]', 'data.several must be one of a, b, found "c"'],
  ['count=many', 'data.count must be a number, found a text'],
  ['servers=s2', 'data.servers must be a list, found a text'],
  ['isOn=maybe', 'data.isOn must be a boolean, found a text'],
  ['name={a: 1}', 'data.name must be a text, found a map'],
])('refuses --set %s', async (given, message) => {
  expect(await resolve('--set', given)).toContain(message)
})

test('the keys of a data file are checked, too', async () => {
  const file = policyFile('choise: green\n', 'site.yaml')
  expect(await resolve('--data', file)).toContain(`--data ${file}: no policy has a parameter "choise"`)
})

test('a key is accepted if one of several policies declares it, or one declares nothing', async () => {
  const scan = async (...files: readonly string[]): Promise<string> =>
    (await runInProcess('validate', ...files, '--set', 'choice=green')).stderr
  const [closed, open] = [`policy: { parameters: {} }\n${ABSENT}`, ABSENT]
  expect(await scan(policyFile(closed))).toContain('no policy has a parameter "choice"')
  expect(await scan(policyFile(closed), policyFile())).not.toContain('parameter')
  expect(await scan(policyFile(closed), policyFile(open))).not.toContain('parameter')
})

test('describes the parameters that resources read', async () => {
  const { stdout } = await runInProcess('data', policyFile(), '--parameters', '--set', 'name=present')
  expect(parse(stdout)).toEqual({ name: { meaning: '', value: 'present', default: 'absent', controls: ['C1'] } })
})
