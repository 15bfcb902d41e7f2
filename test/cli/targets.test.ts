import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import type { Run } from '../../src/model/run.ts'
import { driftgate } from '../support/command-line.ts'
import { temporaryDirectory } from '../support/driftgate.ts'
import { SELF, put } from '../support/contract.ts'

const POLICIES = fileURLToPath(new URL('../../policies', import.meta.url))

function makeRoot(files: Readonly<Record<string, string>>): string {
  const root = temporaryDirectory()
  mkdirSync(join(root, 'etc'))
  put(root, files)
  return root
}

describe('--target root:DIR', () => {
  test('judges what is below it, and the report says so', async () => {
    const root = makeRoot({
      'etc/hostname': 'web07\n',
      'etc/motd': 'hello\n',
      'etc/os-release': 'ID=debian\nVERSION_ID=12\n',
      'etc/passwd': `ann:x:${SELF.owner}:0::/:/bin/sh\n`,
      'etc/group': `staff:x:${SELF.group}:\n`,
    })
    chmodSync(join(root, 'etc/motd'), 0o600)
    const cwd = temporaryDirectory()
    writeFileSync(join(cwd, 'motd'), 'hello\n')
    writeFileSync(
      join(cwd, 'disk.yaml'),
      [
        'ccm:',
        '  resources:',
        '  - file:',
        '      - /etc/motd: { ensure: present, owner: ann, group: staff, mode: "0600", source: motd }',
        '      - /proc/sys/kernel/ostype: { ensure: absent }',
        '  - user:',
        '      - nobody: { ensure: absent }',
        '  - service:',
        '      - ssh: { ensure: running }',
        '  - sysctl:',
        '      - kernel.ostype: { value: Linux }',
        '  - command:',
        '      - "always": { command: "/bin/true", exit_code: 0 }',
        '',
      ].join('\n'),
    )
    const { code, stdout, stderr } = await driftgate(
      ['scan', 'disk.yaml', '--target', `root:${root}`, '--report', 'json'],
      { cwd },
    )
    expect(stderr).toBe('')
    const run = JSON.parse(stdout) as Run
    expect(run.target).toEqual({ kind: 'root', hostname: 'web07', os: { id: 'debian', version: '12' }, path: root })
    expect(run.policies[0]?.resources.map(({ id, verdict, reason }) => [id, verdict, reason])).toEqual([
      ['file#/etc/motd', 'compliant', undefined],
      ['file#/proc/sys/kernel/ostype', 'error', 'not-observable'],
      ['user#nobody', 'compliant', undefined],
      ['service#ssh', 'drifted', undefined],
      ['sysctl#kernel.ostype', 'error', 'not-observable'],
      ['command#always', 'error', 'not-observable'],
    ])
    expect(code).toBe(2)
  })

  test('--offline-as not-applicable leaves out what only a running system has, and judges the rest', async () => {
    const root = makeRoot({
      'usr/lib/systemd/systemd-sysctl': '',
      'usr/bin/systemctl': '',
      'etc/machine-id': `${'a'.repeat(32)}\n`,
      'usr/lib/systemd/system/on.service': '[Install]\nWantedBy=multi-user.target\n',
      'usr/lib/systemd/system/off.service': '[Install]\nWantedBy=multi-user.target\n',
      'etc/sysctl.d/a.conf': 'kernel.sysrq = 0\nkernel.panic = 1\n',
    })
    const cwd = temporaryDirectory()
    const resources = [
      '  - sysctl:',
      '      - kernel.sysrq: { value: "0" }',
      '      - kernel.panic: { value: "0" }',
      '      - kernel.modules_disabled: { value: "1", if_unstored: compliant }',
      '  - service:',
      '      - on: { ensure: running }',
      '      - off: { ensure: stopped, enable: false }',
      '  - port:',
      '      - "tcp:25": { ensure: closed }',
      '  - file:',
      '      - /run/x: { ensure: absent }',
      '  - kernel_module:',
      '      - cramfs: { available: false, loaded: false }',
      '  - file:',
      '      - /etc/gone: { ensure: absent, control: { if: "Facts.host.info.uptime > 0" } }',
      '      - "/etc/{{ Facts.host.info.uptime }}": { ensure: absent }',
      '      - "/etc/{{ Facts.host.info.hostname }}": { ensure: absent, control: { unless: "Facts.memory.virtual.total > 1" } }',
    ]
    const policy = (lines: readonly string[]): string => `ccm:\n  resources:\n${lines.join('\n')}\n`
    writeFileSync(join(cwd, 'p.yaml'), policy(resources))
    writeFileSync(join(cwd, 'none.yaml'), policy(['  - file:', '      - /run/x: { ensure: absent }']))
    const scan = async (name: string, ...more: readonly string[]) => {
      const args = ['scan', name, '--target', `root:${root}`, '--report', 'json', ...more]
      const { code, stdout } = await driftgate(args, { cwd })
      return { code, found: (JSON.parse(stdout) as Run).policies.flatMap(({ resources: all }) => all) }
    }
    const errors = await scan('p.yaml')
    expect(errors.found.map(({ verdict }) => verdict)).toEqual([
      'error',
      'drifted',
      'error',
      'error',
      'error',
      'error',
      'error',
      'error',
      'error',
      'error',
      'error',
    ])
    const { code, found } = await scan('p.yaml', '--offline-as', 'not-applicable')
    expect(found.map(({ verdict, message }) => [verdict, message])).toEqual([
      ['compliant', 'not evaluated, because it requires a running system: value'],
      ['drifted', expect.stringMatching(/stored: want 0, found 1.*not evaluated/)],
      ['not-applicable', expect.stringMatching(/requires a running system: value/)],
      ['not-applicable', expect.stringMatching(/requires a running system: ensure/)],
      ['compliant', expect.stringMatching(/not evaluated/)],
      ['not-applicable', expect.stringMatching(/only on a running system/)],
      ['not-applicable', expect.stringMatching(/only on a running system/)],
      // That no kernel is there is nothing that only a running system has.
      ['error', expect.stringMatching(/no kernel is installed/)],
      ['not-applicable', expect.stringMatching(/control\.if: .*"host\.info\.uptime".*only on a running system/)],
      ['not-applicable', expect.stringMatching(/uptime.*only on a running system/)],
      ['not-applicable', expect.stringMatching(/control\.unless: .*only on a running system/)],
    ])
    expect(code).toBe(2)
    expect((await scan('none.yaml', '--offline-as', 'not-applicable')).code).toBe(5)
    expect((await scan('none.yaml')).code).toBe(3)
  })

  test('--offline-as is for targets that do not run', async () => {
    const args = ['scan', join(POLICIES, 'ssh.yaml'), '--offline-as', 'not-applicable']
    const { code, stderr } = await driftgate(args, { cwd: temporaryDirectory() })
    expect([code, stderr]).toEqual([1, expect.stringMatching(/--offline-as requires an offline --target/)])
  })

  test('facts and templates are those of the root', async () => {
    const root = makeRoot({ 'etc/hostname': 'web07\n', 'etc/os-release': 'ID=alpine\n', 'etc/own': 'inside' })
    const { stdout } = await driftgate(['facts', '--target', `root:${root}`], { cwd: root })
    expect(JSON.parse(stdout)).toMatchObject({ host: { info: { hostname: 'web07', platform: 'alpine' } } })
    expect(Object.keys((JSON.parse(stdout) as { host: { info: object } }).host.info)).not.toContain('uptime')
    const cwd = temporaryDirectory()
    writeFileSync(
      join(cwd, 'p.yaml'),
      `ccm:\n  resources:\n  - file:\n      - /etc/copy: { ensure: present, owner: "${SELF.owner}", group: "${SELF.group}", mode: "0644", content: "{{ readFile('/etc/own') }}" }\n`,
    )
    const explained = await driftgate(['explain', 'p.yaml', 'file#/etc/copy', '--target', `root:${root}`], { cwd })
    expect(explained.stdout).toContain('inside')
  })

  test.each([
    [['--fix', '--confirm-within', '1h'], /driftgate undo/],
    [['--fix', '--probe', 'true'], /driftgate undo/],
  ])('refuses %j', async (more, message) => {
    const root = makeRoot({})
    const args = ['scan', join(POLICIES, 'ssh.yaml'), '--target', `root:${root}`, ...more]
    const { code, stderr } = await driftgate(args, { cwd: root })
    expect([code, stderr]).toEqual([1, expect.stringMatching(message)])
  })

  test.each([
    ['/mnt', /must be one of local, root:DIR/],
    ['rot:/mnt', /did you mean "root:"/],
    ['local:9', /must be local alone/],
    ['root:', /must be root:/],
    ['root:/nowhere-at-all', /cannot open/],
    ['root:/', /this machine/],
  ])('refuses the target %s', async (target, message) => {
    const { code, stderr } = await driftgate(['facts', '--target', target], { cwd: '/' })
    expect([code, stderr]).toEqual([1, expect.stringMatching(message)])
  })
})
