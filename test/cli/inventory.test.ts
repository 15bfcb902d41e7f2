import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Run } from '../../src/model/run.ts'
import { driftgate } from '../support/command-line.ts'
import { type Outcome, temporaryDirectory } from '../support/driftgate.ts'

const POLICY = `data: { motd: nothing }
ccm:
  resources:
  - file:
      - /etc/motd: { ensure: present, content: "{{ lookup('data.motd') }}", owner: "0", group: "0", mode: "0644" }
`

const INVENTORY = `targets:
  - { name: one, target: "root:roots/a", labels: { role: web }, data: { motd: alpha } }
  - { name: two, target: "root:roots/b", labels: { role: web } }
  - { name: gone, target: "root:roots/gone" }
groups:
  motds: { targets: [one, two], data: { motd: beta } }
`

/** Policies here, and the inventory in a directory of its own with the roots that it names. */
function site(): string {
  const cwd = temporaryDirectory()
  writeFileSync(join(cwd, 'p.yaml'), POLICY)
  for (const [name, motd] of [
    ['a', 'alpha'],
    ['b', 'beta'],
  ] as const) {
    mkdirSync(join(cwd, 'hosts/roots', name, 'etc'), { recursive: true })
    writeFileSync(join(cwd, 'hosts/roots', name, 'etc/motd'), motd)
    writeFileSync(join(cwd, 'hosts/roots', name, 'etc/passwd'), 'root:x:0:0::/root:/bin/sh\n')
    writeFileSync(join(cwd, 'hosts/roots', name, 'etc/group'), 'root:x:0:\n')
  }
  writeFileSync(join(cwd, 'hosts/site.yaml'), INVENTORY)
  return cwd
}

function scan(cwd: string, ...args: readonly string[]): Promise<Outcome> {
  return driftgate(['scan', 'p.yaml', '--report', 'json', ...args], { cwd })
}

const SITE = ['--targets', 'hosts/site.yaml'] as const

/** What was wanted of the file of each target, or found where it is as wanted. */
function contents(run: Run): readonly unknown[] {
  return run.policies.map(({ target, resources: [result] }) => [
    target,
    result?.drift.some(({ property }) => property === 'content'),
    result?.reason,
  ])
}

test('an inventory names what is looked at, with data for each, below --set', async () => {
  const cwd = site()
  const { stdout, code } = await scan(cwd, ...SITE)
  const run = JSON.parse(stdout) as Run
  expect(contents(run)).toEqual([
    ['one', false, undefined],
    ['two', false, undefined],
    ['gone', false, 'unreachable'],
  ])
  expect(run.targets?.map(({ name, spec, labels }) => [name, spec, labels])).toEqual([
    ['one', 'root:hosts/roots/a', { role: 'web' }],
    ['two', 'root:hosts/roots/b', { role: 'web' }],
    ['gone', 'root:hosts/roots/gone', {}],
  ])
  expect(run.policies.map(({ inputs }) => inputs?.slice(0, 2))).toEqual([
    ['--targets=hosts/site.yaml', '--on=one'],
    ['--targets=hosts/site.yaml', '--on=two'],
    ['--targets=hosts/site.yaml', '--on=gone'],
  ])
  expect(code).not.toBe(0)
  const set = JSON.parse((await scan(cwd, ...SITE, '--set', 'motd=beta')).stdout) as Run
  expect(contents(set).slice(0, 2)).toEqual([
    ['one', true, undefined],
    ['two', false, undefined],
  ])
})

test('--on takes some of it, and one alone is still a target with a name', async () => {
  const cwd = site()
  const names = async (...args: readonly string[]): Promise<unknown> =>
    (JSON.parse((await scan(cwd, ...SITE, ...args)).stdout) as Run).targets?.map(({ name }) => name)
  expect(await names('--on', 'role=web')).toEqual(['one', 'two'])
  expect(await names('--on', 'gone,t*')).toEqual(['two', 'gone'])
  expect(await names('--on', 'one')).toEqual(['one'])
})

test('an empty selection or invalid inventory is an error and never a pass', async () => {
  const cwd = site()
  writeFileSync(join(cwd, 'bad.yaml'), 'targets:\n  - { name: a, target: "rot:a" }\n')
  writeFileSync(join(cwd, 'empty.yaml'), 'targets: []\n')
  const refused = async (...args: readonly string[]): Promise<readonly [number | null, string]> => {
    const { code, stderr } = await scan(cwd, ...args)
    return [code, stderr]
  }
  expect(await refused(...SITE, '--on', 'tow')).toEqual([1, expect.stringContaining('did you mean "two"?')])
  expect(await refused('--targets', 'bad.yaml')).toEqual([
    1,
    expect.stringMatching(/bad\.yaml:2:24.*target must be one of/),
  ])
  expect(await refused('--targets', 'empty.yaml')).toEqual([1, expect.stringContaining('empty.yaml:1:10')])
  expect(await refused('--targets', 'none.yaml')).toEqual([1, expect.stringContaining('none.yaml cannot be read')])
  expect(await refused('--on', 'one')).toEqual([1, expect.stringContaining('--on requires --targets')])
  expect(await refused(...SITE, '--target', 'local')).toEqual([1, expect.stringContaining('are mutually exclusive')])
  expect(await refused(...SITE, '--on', 'one', '--save-plan', 'x.json')).toEqual([
    1,
    expect.stringContaining('--save-plan supports one target'),
  ])
  expect(await refused(...SITE, '--fix', '--register')).toEqual([
    1,
    expect.stringContaining('--register works on the local host only'),
  ])
})
