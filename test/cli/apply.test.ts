import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { driftgate } from '../support/command-line.ts'
import { type Outcome, ownFile, temporaryDirectory } from '../support/driftgate.ts'
import { findAll, parseXml } from '../support/xml.ts'

type Body = Readonly<Record<string, unknown>>

/** A machine with a policy that manages one file itself and two through a child manifest, and the child's flags. */
function makeMachine(flags: Body = {}): string {
  const directory = temporaryDirectory()
  mkdirSync(join(directory, 'sub'))
  const managed = (name: string): Body => ({
    file: { name: join(directory, name), ...ownFile({ content: '{{ Data.word }}\n' }) },
  })
  const write = (name: string, text: unknown): void => writeFileSync(join(directory, name), JSON.stringify(text))
  write('main.json', {
    data: { word: 'right' },
    policy: { controls: [{ id: 'all', title: 'Below', resources: ['apply#sub/child.json'] }] },
    ccm: { resources: [{ apply: { name: 'sub/child.json', ...flags } }, managed('own')] },
  })
  write('sub/child.json', {
    policy: { controls: [{ id: 'one', title: 'Just one', resources: [`file#${join(directory, 'one')}`] }] },
    ccm: {
      pre_message: 'before the child',
      post_message: 'after the child',
      resources: [managed('one'), managed('two')],
    },
  })
  return directory
}

function scan(directory: string, ...args: readonly string[]): Promise<Outcome> {
  return driftgate(['scan', 'main.json', '--report', 'json', ...args], { cwd: directory })
}

interface Reported {
  readonly id: string
  readonly path?: readonly string[]
  readonly verdict: string
}

function reported({ stdout }: Outcome, directory: string): readonly string[] {
  const { policies } = JSON.parse(stdout) as { policies: readonly { resources: readonly Reported[] }[] }
  return policies.flatMap(({ resources }) =>
    resources.map(({ id, path = [], verdict }) =>
      `${[...path, id].join(' > ')} ${verdict}`.replaceAll(`${directory}/`, ''),
    ),
  )
}

test('an audit finds the drift below, a fix repairs it, and a second scan proves it', async () => {
  const directory = makeMachine()
  const audit = await scan(directory)
  expect(audit.code).toBe(2)
  expect(reported(audit, directory)).toEqual([
    'apply#sub/child.json drifted',
    'apply#sub/child.json > file#one drifted',
    'apply#sub/child.json > file#two drifted',
    'file#own drifted',
  ])
  expect(JSON.parse(audit.stdout)).toMatchObject({ summary: { total: 3, drifted: 3 } })
  expect(existsSync(join(directory, 'one'))).toBe(false)

  const fix = await scan(directory, '--fix')
  expect(fix.code).toBe(0)
  expect(reported(fix, directory)[0]).toBe('apply#sub/child.json fixed')
  expect(readFileSync(join(directory, 'two'), 'utf8')).toBe('right\n')

  const second = await scan(directory)
  expect(second.code).toBe(0)
  expect(JSON.parse(second.stdout)).toMatchObject({ summary: { total: 3, compliant: 3 } })
})

test('noop leaves what is below alone, and the drift fails the gate after the fix', async () => {
  const directory = makeMachine({ noop: true })
  const fix = await scan(directory, '--fix')
  expect(fix.code).toBe(2)
  expect(reported(fix, directory)).toEqual([
    'apply#sub/child.json drifted',
    'apply#sub/child.json > file#one drifted',
    'apply#sub/child.json > file#two drifted',
    'file#own fixed',
  ])
  expect(existsSync(join(directory, 'one'))).toBe(false)
})

test.each([
  { args: ['--only', 'apply#sub/child.json'], left: ['apply', 'one', 'two'] },
  { args: ['--only', 'all'], left: ['apply', 'one', 'two'] },
  { args: ['--only', 'file#*/two'], left: ['apply', 'two'] },
  { args: ['--only', 'one'], left: ['apply', 'one'] },
  { args: ['--skip', 'file#*/one'], left: ['apply', 'two', 'own'] },
  { args: ['--skip', 'apply#*'], left: ['own'] },
])('$args selects $left', async ({ args, left }) => {
  const directory = makeMachine()
  const names = reported(await scan(directory, ...args), directory).map((text) =>
    text.replace(/ \w+$/, '').replace(/^.*(apply)#[^>]*$|^.*file#/, '$1'),
  )
  expect(names).toEqual(left)
})

test('pre and post messages of a child are not printed', async () => {
  const directory = makeMachine()
  const { stdout, stderr } = await driftgate(['scan', 'main.json'], { cwd: directory })
  expect(stdout + stderr).not.toContain('the child')
})

test('a CI system sees the resources below as cases of their own, each drift once', async () => {
  const directory = makeMachine()
  const { stdout } = await driftgate(['scan', 'main.json', '--report', 'junit'], { cwd: directory })
  const document = parseXml(stdout)
  expect(document.attributes).toMatchObject({ tests: '3', failures: '3' })
  expect(
    findAll(document, 'testcase').map(({ attributes }) => attributes['name']?.replaceAll(`${directory}/`, '')),
  ).toEqual(['[all, one] apply#sub/child.json > file#one', '[all] Below (apply#sub/child.json > file#two)', 'file#own'])
})

test.each([
  ['validate', 'main.json'],
  ['scan', 'main.json', '--quiet'],
  ['scan', 'main.json', '--fix', '--quiet'],
])('%s %s tells what is wrong in a child and touches nothing', async (...args) => {
  const directory = makeMachine()
  writeFileSync(join(directory, 'sub/child.json'), '{"ccm":\n  {"resources": [{"fiel": {"name": "/x"}}]}}')
  const { code, stderr } = await driftgate(args, { cwd: directory })
  expect(code).toBe(1)
  expect(stderr).toContain(
    'sub/child.json:2:19 unknown resource type "fiel", did you mean "file"? ' +
      '(reached through apply#sub/child.json at main.json:1)\n',
  )
  expect(existsSync(join(directory, 'own'))).toBe(false)
})

test('validate reads the manifests below, and says how many there are', async () => {
  const directory = makeMachine()
  expect(await driftgate(['validate', 'main.json'], { cwd: directory })).toMatchObject({
    code: 0,
    stdout: 'main.json: valid, policy main (2 resources, 1 control, 1 child manifest)\n1 policy valid\n',
  })
  const child = join(directory, 'sub/child.json')
  writeFileSync(child, readFileSync(child, 'utf8').replace('{{ Data.word }}', '{{ Data.word + }}'))
  const broken = await driftgate(['validate', 'main.json'], { cwd: directory })
  expect(broken.code).toBe(1)
  expect(broken.stderr).toContain('sub/child.json:1:')
})

test('a policy whose only manifest is ruled out evaluated nothing', async () => {
  const directory = makeMachine({ control: { if: 'false' } })
  const outcome = await scan(directory, '--only', 'apply#*')
  expect(outcome.code).toBe(5)
  expect(reported(outcome, directory)).toEqual(['apply#sub/child.json not-applicable'])
})
