import { spawnSync } from 'node:child_process'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { describe, expect, test } from 'vitest'
import type { Run } from '../../src/model/run.ts'
import { driftgate } from '../support/command-line.ts'
import { put } from '../support/contract.ts'
import { type Outcome, temporaryDirectory } from '../support/driftgate.ts'

const missing = spawnSync('ansible-inventory', ['--version']).status === 0 ? undefined : 'needs ansible-core'

const POLICY = `ccm:
  resources:
  - file:
      - /etc/motd: { ensure: present, content: "{{ lookup('data.inventory.motd') }}", owner: "0", group: "0", mode: "0644" }
`

const ANYWHERE = 'ccm: {resources: [{file: [{/nowhere/at/all: {ensure: absent}}]}]}\n'

/** A directory with these files and a policy about the motd of its roots, `a` and `b`. */
function site(files: Readonly<Record<string, string>>): string {
  const cwd = temporaryDirectory()
  put(cwd, { 'p.yaml': POLICY, 'roots/a/etc/motd': 'alpha', 'roots/b/etc/motd': 'beta', ...files })
  return cwd
}

async function scan(cwd: string, ...args: readonly string[]): Promise<Outcome & { readonly run: Run }> {
  const outcome = await driftgate(['scan', 'p.yaml', '--report', 'json', ...args], { cwd, env: { HOME: cwd } })
  return { ...outcome, run: (outcome.stdout === '' ? {} : JSON.parse(outcome.stdout)) as Run }
}

/** What was found of the file of each target, and why not. */
function verdicts({ policies }: Run): readonly unknown[] {
  return policies.map(({ target, resources: [result] }) => [
    target,
    result?.drift.map(({ property }) => property),
    result?.reason,
  ])
}

describe.skipIf(missing)(`an inventory of Ansible (${missing ?? 'by ansible-inventory'})`, () => {
  test('names what is looked at, with its variables as data', async () => {
    const cwd = site({ 'hosts/group_vars/motds.yml': 'motd: beta\nvault_key: hunter2\n' })
    writeFileSync(
      join(cwd, 'hosts/site.ini'),
      `[motds]
one ansible_host=${cwd}/roots/a motd=alpha
two ansible_host=${cwd}/roots/b
[motds:vars]
ansible_connection=chroot
[windows]
three ansible_connection=winrm ansible_password=hunter2
`,
    )
    const some = await scan(cwd, '--targets', 'hosts/site.ini', '--on', 'motds')
    expect(verdicts(some.run)).toEqual([
      ['one', [], undefined],
      ['two', [], undefined],
    ])
    expect(some.run.targets?.map(({ spec }) => spec)).toEqual([`root:${cwd}/roots/a`, `root:${cwd}/roots/b`])
    expect(some.stderr).toContain('hosts/site.ini: vault_key: named like secrets')
    const quiet = await scan(cwd, '--targets', 'hosts/site.ini', '--on', 'motds', '--quiet')
    expect(quiet.stderr).not.toContain('vault_key')
    const all = await scan(cwd, '--targets', 'hosts/site.ini')
    expect(all.code).toBe(3)
    expect(JSON.stringify(all.run.targets)).toMatch(/ansible_connection is winrm/)
    expect(all.stdout + all.stderr).not.toContain('hunter')
  })

  test('may be a directory, or a program that prints one', async () => {
    const cwd = site({ 'inventory/hosts': '[web]\na ansible_connection=chroot motd=alpha\n' })
    const program = `#!/bin/sh\necho '{"db": {"hosts": ["b"]}, "_meta": {"hostvars": {"b": {"motd": "beta", "ansible_connection": "chroot", "ansible_host": "${cwd}/roots/b"}}}}'\n`
    put(cwd, { 'inventory/program': program, 'inventory/host_vars/a.yml': `ansible_host: ${cwd}/roots/a\n` })
    chmodSync(join(cwd, 'inventory/program'), 0o755)
    const { run } = await scan(cwd, '--targets', 'inventory')
    expect(verdicts(run)).toEqual([
      ['a', [], undefined],
      ['b', [], undefined],
    ])
    expect(verdicts((await scan(cwd, '--targets', 'inventory/program', '--on', 'db')).run)).toHaveLength(1)
  })

  test.each([
    ['h x\n', 'Expected key=value host variable assignment'],
    ['[web]\na\n[wbe:vars]\nx=1\n', 'not valid for undefined group: wbe'],
    ['all:\n  hosts: [a, b]\n', 'Invalid "hosts" entry'],
    ['[web]\n', 'has no host'],
    ['$ANSIBLE_VAULT;1.1;AES256\n6162\n', 'Attempting to decrypt but no vault secrets found'],
  ])('that has mistakes is an error and never a pass: %j', async (text, message) => {
    const { code, stdout, stderr } = await scan(site({ hosts: text }), '--targets', 'hosts')
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain('hosts: ')
    expect(stderr).toContain(message)
  })

  test.each([
    'h ansible_password="hunter2\n',
    'all:\n  vars:\n    password: "hunter2\n',
    'all:\n  vars:\n    token: x\n    y: "hunter2\n',
  ])('shows no line that may hold a password: %j', async (text) => {
    const { code, stdout, stderr } = await scan(site({ hosts: text }), '--targets', 'hosts')
    expect(code).toBe(1)
    expect(stdout + stderr).not.toContain('hunter')
  })

  test('says what to install where there is no Ansible', async () => {
    const cwd = site({ hosts: 'h\n' })
    const { code, stderr } = await driftgate(['scan', 'p.yaml', '--targets', 'hosts'], { cwd, env: { PATH: cwd } })
    expect(code).toBe(1)
    expect(stderr).toContain('install ansible-core')
  })

  test('gives ssh its key, port, user and become, but for what the command line says', async () => {
    const cwd = site({
      'bin/ssh': '',
      'hosts.yml': `all:
  hosts:
    web01: { ansible_host: 10.0.0.7, ansible_port: 2222, motd: x }
  vars: { ansible_user: ann, ansible_ssh_private_key_file: keys/site, ansible_become: yes, ansible_become_user: app }
`,
    })
    writeFileSync(join(cwd, 'bin/ssh'), `#!/bin/sh\nprintf '%s\\n' "$@" > ${cwd}/said\nexit 255\n`)
    chmodSync(join(cwd, 'bin/ssh'), 0o755)
    const said = async (...args: readonly string[]): Promise<string> => {
      const env = { PATH: `${join(cwd, 'bin')}:${process.env['PATH']}`, HOME: cwd }
      const { stdout } = await driftgate(['scan', 'p.yaml', '--targets', 'hosts.yml', '--report', 'json', ...args], {
        cwd,
        env,
      })
      expect(verdicts(JSON.parse(stdout) as Run)).toEqual([['web01', [], 'unreachable']])
      return readFileSync(join(cwd, 'said'), 'utf8')
    }
    const words = await said()
    expect(words).toContain('\n-l\nann\n-p\n2222\n-o\nIdentityFile="keys/site"\n--\n10.0.0.7\n')
    expect(words).toContain('sudo -n -H -u app')
    expect(await said('--become', 'doas -n')).not.toContain('sudo')
  })

  test('has hosts that cannot be reached as it says, which are unreachable, unless they are left out', async () => {
    const hosts = `here ansible_connection=local
there ansible_connection=local ansible_become_method=su ansible_become=yes
odd ansible_host=-oProxyCommand
`
    const cwd = site({ hosts, 'p.yaml': ANYWHERE })
    const { code, run } = await scan(cwd, '--targets', 'hosts')
    expect(code).toBe(3)
    expect(run.policies.flatMap(({ resources }) => resources)).toMatchObject([
      { id: 'file#/nowhere/at/all', verdict: 'compliant' },
      { id: 'target#scan', verdict: 'error', reason: 'unreachable', message: expect.stringContaining('host there: ') },
      { id: 'target#scan', reason: 'unreachable', message: expect.stringContaining('host odd: "ssh:-oProxy') },
    ])
    expect((await scan(cwd, '--targets', 'hosts', '--on', '!there,!odd')).code).toBe(0)
    expect((await scan(cwd, '--targets', 'hosts', '--on', 'there')).code).toBe(3)
  })
})
