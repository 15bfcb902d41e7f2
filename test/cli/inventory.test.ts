import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
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

test('what leaves nothing, or is wrong, is an error and never a pass', async () => {
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
  expect(await refused('--on', 'one')).toEqual([1, expect.stringContaining('--on chooses from an inventory')])
  expect(await refused(...SITE, '--target', 'local')).toEqual([1, expect.stringContaining('exclude each other')])
  expect(await refused(...SITE, '--on', 'one', '--save-plan', 'x.json')).toEqual([
    1,
    expect.stringContaining('--save-plan is about one machine'),
  ])
  expect(await refused(...SITE, '--fix', '--register')).toEqual([
    1,
    expect.stringContaining('--register is about this machine'),
  ])
})

test('an inventory of Ansible names what is looked at, too, with its variables as data', async () => {
  const cwd = site()
  const policy = POLICY.replace('data: { motd: nothing }', 'data: {}').replace("'data.motd'", "'data.inventory.motd'")
  writeFileSync(join(cwd, 'p.yaml'), policy)
  mkdirSync(join(cwd, 'hosts/group_vars'))
  writeFileSync(join(cwd, 'hosts/group_vars/motds.yml'), 'motd: beta\nvault_key: hunter2\n')
  const roots = join(cwd, 'hosts/roots')
  writeFileSync(
    join(cwd, 'hosts/site.ini'),
    `[motds]
one ansible_host=${roots}/a motd=alpha
two ansible_host=${roots}/b
[motds:vars]
ansible_connection=chroot
[windows]
three ansible_connection=winrm ansible_password=hunter2
`,
  )
  const ini = ['--targets', 'hosts/site.ini'] as const
  const some = await scan(cwd, ...ini, '--on', 'motds')
  const run = JSON.parse(some.stdout) as Run
  expect(contents(run)).toEqual([
    ['one', false, undefined],
    ['two', false, undefined],
  ])
  expect(run.targets?.map(({ spec }) => spec)).toEqual([`root:${roots}/a`, `root:${roots}/b`])
  expect(some.stderr).toContain('hosts/group_vars/motds.yml:2:1 warning: vault_key: called like secrets')
  expect((await scan(cwd, ...ini, '--on', 'motds', '--quiet')).stderr).not.toContain('vault_key')
  const all = await scan(cwd, ...ini)
  // What cannot be reached as it asks to be is a result among the others, some of which drift where root does not scan.
  expect([2, 3]).toContain(all.code)
  expect(JSON.stringify((JSON.parse(all.stdout) as Run).targets)).toMatch(/ansible_connection is winrm/)
  expect(all.stdout + all.stderr).not.toContain('hunter')
  writeFileSync(join(cwd, 'hosts/group_vars/motds.yml'), 'motd: [beta\n')
  expect(await scan(cwd, ...ini)).toMatchObject({ code: 1, stderr: expect.stringContaining('group_vars/motds.yml:') })
})

test('key, port, user and become of an inventory of Ansible reach ssh, but for what the command line says', async () => {
  const cwd = site()
  mkdirSync(join(cwd, 'bin'))
  writeFileSync(join(cwd, 'bin/ssh'), `#!/bin/sh\nprintf '%s\\n' "$@" > ${cwd}/said\nexit 255\n`)
  chmodSync(join(cwd, 'bin/ssh'), 0o755)
  writeFileSync(
    join(cwd, 'hosts.yml'),
    `all:
  hosts:
    web01: { ansible_host: 10.0.0.7, ansible_port: 2222 }
  vars: { ansible_user: ann, ansible_ssh_private_key_file: keys/site, ansible_become: yes, ansible_become_user: app }
`,
  )
  const said = async (...args: readonly string[]): Promise<string> => {
    const env = { PATH: `${join(cwd, 'bin')}:${process.env['PATH']}` }
    const { stdout } = await driftgate(['scan', 'p.yaml', '--targets', 'hosts.yml', '--report', 'json', ...args], {
      cwd,
      env,
    })
    expect(contents(JSON.parse(stdout) as Run)).toEqual([['web01', false, 'unreachable']])
    return readFileSync(join(cwd, 'said'), 'utf8')
  }
  const words = await said()
  expect(words).toContain('\n-l\nann\n-p\n2222\n-o\nIdentityFile="keys/site"\n--\n10.0.0.7\n')
  expect(words).toContain('sudo -n -H -u app')
  expect(await said('--become', 'doas -n')).not.toContain('sudo')
})
