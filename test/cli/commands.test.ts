import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { driftgate } from '../support/command-line.ts'
import { start, temporaryDirectory, writePolicy } from '../support/driftgate.ts'

/** A machine without the files a, b and c, and a policy that wants them absent. */
function makeSelectable(): string {
  const directory = temporaryDirectory()
  const files = ['a', 'b', 'c'].map((name) => ({ name: `/nowhere/${name}`, ensure: 'absent' }))
  const controls = [
    { id: 'first', tags: ['early'], resources: ['file#/nowhere/a'] },
    { id: 'second', tags: ['late'], resources: ['file#/nowhere/b', 'file#/nowhere/c'] },
  ]
  writePolicy(join(directory, 'policy.json'), files, { controls })
  return directory
}

test.each([
  { args: ['--only', 'file#/nowhere/a'], selected: 'a' },
  { args: ['--only', 'file#*'], selected: 'abc' },
  { args: ['--only', 'file#/nowhere/?', '--skip', 'file#/nowhere/b'], selected: 'ac' },
  { args: ['--only', 'second'], selected: 'bc' },
  { args: ['--only', 'tag:early'], selected: 'a' },
  { args: ['--only', 'tag:early, file#/nowhere/c'], selected: 'ac' },
  { args: ['--only', 'first', '--only', 'tag:late'], selected: 'abc' },
  { args: ['--skip', 'tag:late'], selected: 'a' },
])('$args selects $selected', async ({ args, selected }) => {
  const { stdout } = await driftgate(['scan', 'policy.json', '--report', 'json', ...args], { cwd: makeSelectable() })
  const [{ resources }] = JSON.parse(stdout).policies
  expect(resources.map(({ name }: { name: string }) => name.at(-1)).join('')).toBe(selected)
})

test.each(['file#/nowhere/z', 'frist', 'tag:never', 'file#x*'])(
  'the selector %s matches nothing: exit 1',
  async (text) => {
    const cwd = makeSelectable()
    for (const option of ['--only', '--skip']) {
      const { code, stdout, stderr } = await driftgate(['scan', 'policy.json', option, text], { cwd })
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
      expect(stderr).toContain(`"${text}" has no match`)
    }
  },
)

test('validate says what it has read, also of a directory', async () => {
  const cwd = makeSelectable()
  mkdirSync(join(cwd, 'more'))
  writePolicy(join(cwd, 'more/web.yaml'), [{ name: '/nowhere/w', ensure: 'absent' }])
  const outcome = await driftgate(['validate', 'policy.json', 'more'], { cwd })
  expect(outcome).toMatchObject({ code: 0, stderr: '' })
  expect(outcome.stdout.split('\n')).toEqual([
    'policy.json: valid, policy policy (3 resources, 2 controls)',
    'more/web.yaml: valid, policy web (1 resource, 0 controls)',
    '2 policies valid',
    '',
  ])
})

test('validate shows every problem of every file with its place', async () => {
  const cwd = temporaryDirectory()
  writeFileSync(join(cwd, 'one.yaml'), 'ccm:\n  resources:\n    - fiel: {name: /a}\n')
  writeFileSync(join(cwd, 'two.yaml'), 'ccm:\n  resources:\n    - file: {name: /a, ensure: absnet}\n')
  const { code, stdout, stderr } = await driftgate(['validate', '.'], { cwd })
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/one\.yaml:3:7 .*"file"\?/)
  expect(stderr).toMatch(/two\.yaml:3:\d+ .*"absent"\?/)
  expect(stderr).toMatch(/^ +\S.*fiel.*\n[ |]*\^$/m)
})

test('validate --ccm names what CCM does not know', async () => {
  const cwd = temporaryDirectory()
  writeFileSync(join(cwd, 'p.yaml'), 'ccm: {resources: [{sysctl: {name: kernel.panic, value: "10"}}]}\n')
  expect((await driftgate(['validate', 'p.yaml'], { cwd })).code).toBe(0)
  const { code, stderr } = await driftgate(['validate', 'p.yaml', '--ccm'], { cwd })
  expect([code, stderr]).toEqual([1, 'p.yaml:1:35 CCM has no type sysctl\n1 error\n'])
})

test('validate --quiet says nothing about a valid policy', async () => {
  const outcome = await driftgate(['validate', '--quiet', 'policy.json'], { cwd: makeSelectable() })
  expect(outcome).toEqual({ code: 0, signal: null, stdout: '', stderr: '' })
})

test('a file name cannot steer the terminal', async () => {
  const cwd = temporaryDirectory()
  writeFileSync(join(cwd, '\u001b[31mred.yaml'), 'ccm: 1\n')
  const { stderr } = await driftgate(['validate', '.'], { cwd })
  expect(stderr).not.toContain('\u001b')
})

test('types lists the properties of every type, for people and for programs', async () => {
  const cwd = temporaryDirectory()
  const { stdout } = await driftgate(['types'], { cwd })
  expect(stdout).toMatch(/^ +ensure +present \| absent \| directory, required/m)
  const types = JSON.parse((await driftgate(['types', '--json'], { cwd })).stdout)
  const file = types.find(({ type }: { type: string }) => type === 'file')
  expect(file.ensure).toEqual(['present', 'absent', 'directory'])
  expect(file.properties.find(({ name }: { name: string }) => name === 'force')).toMatchObject({
    kind: 'boolean',
    required: false,
    default: false,
  })
})

/** What bash offers after these words, the last one being completed. */
async function complete(...words: readonly string[]): Promise<readonly string[]> {
  const cwd = temporaryDirectory()
  writeFileSync(join(cwd, 'completion'), (await driftgate(['completion', 'bash'], { cwd })).stdout)
  const script = `source completion; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _driftgate; printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout, stderr } = await start('bash', ['-c', script, 'bash', ...words], { cwd }).outcome
  expect(stderr).toBe('')
  return stdout.split('\n').filter((word) => word !== '')
}

test.each([
  [['driftgate', 'va'], ['validate']],
  [['driftgate', '--v'], ['--version']],
  [
    ['driftgate', 'scan', 'p.yaml', '--no'],
    ['--no-commands', '--no-ask', '--no-config', '--no-diff'],
  ],
  [
    ['driftgate', 'scan', '--fail-on', ''],
    ['info', 'low', 'medium', 'high', 'critical'],
  ],
  [['driftgate', 'scan', '--fail-on', '=', 'c'], ['critical']],
  [
    ['driftgate', 'scan', '--report', 'j'],
    ['json', 'junit'],
  ],
  [['driftgate', 'completion', 'z'], ['zsh']],
  [
    ['driftgate', 'waivers', ''],
    ['check', 'list'],
  ],
  [['driftgate', 'waivers', 'list', ''], []],
  // Nothing to offer means that bash completes file names.
  [['driftgate', 'scan', 'pol'], []],
])('bash completes %j with %j', async (words, offered) => {
  expect(await complete(...words)).toEqual(offered)
})

test('the zsh script knows every command and every option of scan', async () => {
  const cwd = temporaryDirectory()
  const { stdout } = await driftgate(['completion', 'zsh'], { cwd })
  const { stdout: help } = await driftgate(['scan', '--help'], { cwd })
  const options = [...help.matchAll(/^ +--([a-z-]+)/gm)].map(([, name = '']) => name)
  expect(options.length).toBeGreaterThan(10)
  for (const option of options) expect(stdout).toContain(`--${option}`)
  expect(stdout.startsWith('#compdef driftgate\n')).toBe(true)
})
