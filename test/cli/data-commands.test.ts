import { readFileSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { driftgate } from '../support/command-line.ts'
import { temporaryDirectory } from '../support/driftgate.ts'
import { POLICY, withPolicy } from '../support/scenes/data-commands.ts'

test('facts prints what the machine is, as JSON and YAML, whole and by path', async () => {
  const cwd = temporaryDirectory()
  const [, id = ''] = /^ID="?([^"\n]*)"?$/m.exec(readFileSync('/etc/os-release', 'utf8')) ?? []
  const all = await driftgate(['facts', '--fact', 'role=web'], { cwd })
  expect(all).toMatchObject({ code: 0, stderr: '' })
  const facts = JSON.parse(all.stdout)
  expect(Object.keys(facts).toSorted()).toEqual(['cpu', 'host', 'memory', 'network', 'partition', 'role'])
  expect(facts.host.info.platform).toBe(id)
  const yaml = await driftgate(['facts', '--yaml', 'host.info', '--fact', 'host.info.os=mine'], { cwd })
  expect(parse(yaml.stdout)).toMatchObject({ platform: id, os: 'mine' })
  expect(await driftgate(['facts', 'host.info.platform'], { cwd })).toMatchObject({ code: 0, stdout: `"${id}"\n` })
  const missing = await driftgate(['facts', 'host.info.plaform'], { cwd })
  expect(missing).toMatchObject({ code: 1, stdout: '' })
  expect(missing.stderr).toContain('did you mean "host.info.platform"?')
})

test('data prints the resolved data, and where every value came from', async () => {
  const cwd = withPolicy()
  writeFileSync(join(cwd, 'site.yaml'), 'site: {name: x}\nnames: [c]\n')
  const flags = ['--fact', 'env=prod', '--data', 'site.yaml', '--set', 'web.depth=[1, 2]']
  const wanted = {
    port: 8080,
    names: ['a', 'b', 'c'],
    password: '(secret)',
    site: { name: 'x' },
    web: { depth: [1, 2] },
  }
  expect(parse((await driftgate(['data', 'p.yaml', ...flags], { cwd })).stdout)).toEqual(wanted)
  expect(JSON.parse((await driftgate(['data', 'p.yaml', '--json', ...flags], { cwd })).stdout)).toEqual(wanted)
  const trace = (await driftgate(['data', 'p.yaml', '--trace', ...flags], { cwd })).stdout
  expect(parse(trace)).toEqual(wanted)
  expect(trace).toMatch(/^port: 8080 # overrides\.prod$/m)
  expect(trace).toMatch(/^names:\n +# data, overrides\.prod, --data site\.yaml$/m)
  expect(trace).toMatch(/^password: \(secret\) # data$/m)
  expect(trace).toMatch(/depth:\n +# --set web\.depth$/m)
  const entries = JSON.parse((await driftgate(['data', 'p.yaml', '--trace', '--json', ...flags], { cwd })).stdout)
  expect(entries).toContainEqual({ path: ['site', 'name'], value: 'x', origins: ['--data site.yaml'] })
  const shown = await driftgate(['data', 'p.yaml', '--show-secrets'], { cwd })
  expect(parse(shown.stdout)).toMatchObject({ password: 'hunter22', port: 80 })
})

test('eval prints as a template does, as JSON, and errors with a caret', async () => {
  const cwd = withPolicy()
  writeFileSync(join(cwd, 'file'), 'text\n')
  const evaluate = (...args: string[]): ReturnType<typeof driftgate> => driftgate(['eval', ...args], { cwd })
  expect(await evaluate('[1, "a", nil]')).toEqual({ code: 0, signal: null, stdout: '[1 a <nil>]\n', stderr: '' })
  expect((await evaluate('{"b": 1.5, "a": [true]}', '--json')).stdout).toBe(
    '{\n  "a": [\n    true\n  ],\n  "b": 1.5\n}\n',
  )
  expect((await evaluate('Data.port + lookup("data.port")', '--policy', 'p.yaml')).stdout).toBe('160\n')
  expect((await evaluate('Data.port', '--policy', 'p.yaml', '--set', 'port=1')).stdout).toBe('1\n')
  expect((await evaluate('Data.port', '--set', 'port=7')).stdout).toBe('7\n')
  expect((await evaluate('readFile("file")')).stdout).toBe('text\n')
  expect((await evaluate('Facts.role + "!"', '--fact', 'role=web')).stdout).toBe('web!\n')
  expect((await evaluate('port {{ 1 }}')).code).toBe(1)
  expect((await evaluate('{{ 1 }} of ${ 2 }')).stdout).toBe('1 of 2\n')
  expect((await evaluate('"x-" + Data.password', '--policy', 'p.yaml')).stdout).toBe('(secret)\n')
  expect((await evaluate('Data.password', '--policy', 'p.yaml', '--show-secrets')).stdout).toBe('hunter22\n')
  const failed = await evaluate('Data.port.x', '--policy', 'p.yaml')
  expect(failed).toMatchObject({ code: 1, stdout: '' })
  expect(failed.stderr).toMatch(/^expression:1:11 cannot fetch x from int.*\n +1 \| Data\.port\.x\n +\| {11}\^\n$/)
  expect((await evaluate('"\u001b[31m" + "a\\tb"')).stdout).toBe('\\x1b[31ma\tb\n')
})

test('render prints a policy that scans alike, and secrets only when asked', async () => {
  const cwd = withPolicy()
  const rendered = await driftgate(['render', 'p.yaml', '--fact', 'env=prod'], { cwd })
  expect(rendered).toMatchObject({ code: 0, stderr: '' })
  expect(rendered.stdout).not.toContain('hunter22')
  const { stdout } = await driftgate(['render', 'p.yaml', '--fact', 'env=prod', '--show-secrets'], { cwd })
  writeFileSync(join(cwd, 'r.yaml'), stdout)
  const scan = async (...args: string[]): Promise<unknown> => {
    const { stdout: report } = await driftgate(['scan', '--report', 'json', ...args], { cwd })
    return JSON.parse(report).policies[0].resources.map(({ id, verdict }: Record<string, unknown>) => [id, verdict])
  }
  const wanted = [
    ['file#/nowhere/a', 'not-applicable'],
    ['file#/nowhere/8080', 'compliant'],
  ]
  expect(await scan('p.yaml', '--fact', 'env=prod')).toEqual(wanted)
  expect(await scan('r.yaml')).toEqual(wanted)
})

test('validate looks at templates and data, with what the operator gives', async () => {
  const cwd = withPolicy(`data:
  # @require
  name:
ccm:
  resources:
    - file: {name: /nowhere/a, ensure: present, owner: root, group: root, mode: "0644", content: "a {{ upper(facts.x) }}"}
`)
  const first = await driftgate(['validate', 'p.yaml'], { cwd })
  expect(first).toMatchObject({ code: 1, stdout: '' })
  expect(first.stderr).toMatch(/p\.yaml:2:5 key "name" is required/)
  const second = await driftgate(['validate', 'p.yaml', '--set', 'name=x'], { cwd })
  expect(second).toMatchObject({ code: 1, stdout: '' })
  expect(second.stderr).toMatch(/p\.yaml:6:\d+ .*unknown name facts.*"Facts"/)
})

test.each([
  [['facts', 'a', 'b'], 'unexpected argument "b"'],
  [['data'], 'missing policy'],
  [['data', '.'], 'contains 2 policies'],
  [['render', 'none.yaml'], 'no such file'],
  [['eval'], 'missing expression'],
  [['eval', '1', '--policy', 'p.yaml', '--policy', 'q.yaml'], 'more than once'],
  [['eval', '1', '--data', 'none.yaml'], '--data none.yaml cannot be read'],
  [['facts', '--fact', 'x'], 'is not an assignment'],
])('%j is exit 1', async (args, message) => {
  const cwd = withPolicy()
  writeFileSync(join(cwd, 'q.yaml'), POLICY)
  const { code, stdout, stderr } = await driftgate(args, { cwd })
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toContain(message)
})

test.each(['facts', 'data', 'render', 'eval'])('%s has help with examples that are complete', async (command) => {
  const { code, stdout } = await driftgate([command, '--help'], { cwd: temporaryDirectory() })
  expect(code).toBe(0)
  expect(stdout).toMatch(new RegExp(`^Examples:\\n.*driftgate ${command}`, 'm'))
})

/** The second file reads values of the first. */
const READING = `ccm:
  resources:
    - file: {name: CWD/one, ensure: present, owner: "${userInfo().uid}", group: "${userInfo().gid}", mode: "0644"}
    - file: {name: CWD/two, ensure: absent, control: {if: 'Resources["file#CWD/one"].size == 5'}}
`

test('exports of a resource are only known in a scan', async () => {
  const cwd = withPolicy()
  writeFileSync(join(cwd, 'one'), 'hello', { mode: 0o644 })
  writeFileSync(join(cwd, 'two'), '')
  writeFileSync(join(cwd, 'p.yaml'), READING.replaceAll('CWD', cwd))
  expect((await driftgate(['scan', 'p.yaml'], { cwd })).stdout).toContain('2 resources: 1 compliant, 1 drifted')
  expect(await driftgate(['validate', 'p.yaml'], { cwd })).toMatchObject({ code: 0, stderr: '' })
  const rendered = await driftgate(['render', 'p.yaml'], { cwd })
  expect(rendered).toMatchObject({ code: 0 })
  expect(rendered.stderr).toContain(`it reads size of file#${cwd}/one, which is known only in a scan`)
  writeFileSync(join(cwd, 'rendered.yaml'), rendered.stdout)
  expect((await driftgate(['scan', 'rendered.yaml'], { cwd })).stdout).toContain('2 resources: 1 compliant, 1 drifted')
  for (const command of [
    ['eval', 'Resources["file#/one"].size'],
    ['eval', 'lookup("resources.x.y", 1)', '--policy', 'p.yaml'],
  ]) {
    const outcome = await driftgate(command, { cwd })
    expect(outcome).toMatchObject({ code: 1, stdout: '' })
    expect(outcome.stderr).toContain('the values of other resources cannot be read here')
  }
  writeFileSync(join(cwd, 'p.yaml'), READING.replaceAll('CWD', cwd).replace('size', 'sise'))
  const wrong = await driftgate(['validate', 'p.yaml'], { cwd })
  expect(wrong).toMatchObject({ code: 1, stdout: '' })
  expect(wrong.stderr).toMatch(/^p\.yaml:4:\d+ type file exports no "sise", did you mean "size"\?$/m)
})

test('data that holds a function is refused with its key', async () => {
  const cwd = withPolicy(POLICY.replace('port: 80', 'port: 80\n  late: {names: ["{{ now }}"]}'))
  const { code, stdout, stderr } = await driftgate(['data', 'p.yaml'], { cwd })
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toContain('data.late.names: cannot use a function as data')
})
