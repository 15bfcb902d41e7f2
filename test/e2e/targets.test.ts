import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { findReadingProgram } from '../../src/target/local/access/programs.ts'
import type { Run } from '../../src/core/run.ts'
import { driftgate, DRIFTGATE, start, temporaryDirectory } from '../support/driftgate.ts'
import { dockerFiles, OWN_ARCHITECTURE, savedTar } from '../support/image.ts'
import { needsStrace } from '../support/programs.ts'

const POLICIES = fileURLToPath(new URL('../../policies', import.meta.url))

function makeRoot(files: Readonly<Record<string, string>>): string {
  const root = temporaryDirectory()
  mkdirSync(join(root, 'etc'))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return root
}

describe('--target root:DIR', () => {
  test('judges what is below it, and the report says so', async () => {
    const root = makeRoot({
      'etc/hostname': 'web07\n',
      'etc/motd': 'hello\n',
      'etc/os-release': 'ID=debian\nVERSION_ID=12\n',
      'etc/passwd': `ann:x:${process.getuid?.() ?? 0}:0::/:/bin/sh\n`,
      'etc/group': 'root:x:0:\n',
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
        '      - /etc/motd: { ensure: present, owner: ann, group: root, mode: "0600", source: motd }',
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
      ['service#ssh', 'error', 'no-provider'],
      ['sysctl#kernel.ostype', 'error', 'not-observable'],
      ['command#always', 'error', 'not-observable'],
    ])
    expect(code).toBe(3)
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
      ['compliant', 'not judged, because only a running system has it: value'],
      ['drifted', expect.stringMatching(/stored: want 0, found 1.*not judged/)],
      ['not-applicable', expect.stringMatching(/only a running system has it: value/)],
      ['not-applicable', expect.stringMatching(/only a running system has it: ensure/)],
      ['compliant', expect.stringMatching(/not judged/)],
      ['not-applicable', expect.stringMatching(/only a running system/)],
      ['not-applicable', expect.stringMatching(/only a running system/)],
      // That no kernel is there is nothing that only a running system has.
      ['error', expect.stringMatching(/no kernel is installed/)],
      ['not-applicable', expect.stringMatching(/control\.if: .*"host\.info\.uptime".*only a running system/)],
      ['not-applicable', expect.stringMatching(/uptime.*only a running system/)],
      ['not-applicable', expect.stringMatching(/control\.unless: .*only a running system/)],
    ])
    expect(code).toBe(2)
    expect((await scan('none.yaml', '--offline-as', 'not-applicable')).code).toBe(5)
    expect((await scan('none.yaml')).code).toBe(3)
  })

  test('--offline-as is for targets that do not run', async () => {
    const args = ['scan', join(POLICIES, 'ssh.yaml'), '--offline-as', 'not-applicable']
    const { code, stderr } = await driftgate(args, { cwd: temporaryDirectory() })
    expect([code, stderr]).toEqual([1, expect.stringMatching(/--offline-as needs a --target/)])
  })

  test('facts and templates are those of the root', async () => {
    const root = makeRoot({ 'etc/hostname': 'web07\n', 'etc/os-release': 'ID=alpine\n', 'etc/own': 'inside' })
    const { stdout } = await driftgate(['facts', '--target', `root:${root}`], { cwd: root })
    expect(JSON.parse(stdout)).toMatchObject({ host: { info: { hostname: 'web07', platform: 'alpine' } } })
    expect(Object.keys((JSON.parse(stdout) as { host: { info: object } }).host.info)).not.toContain('uptime')
    const cwd = temporaryDirectory()
    writeFileSync(
      join(cwd, 'p.yaml'),
      `ccm:\n  resources:\n  - file:\n      - /etc/copy: { ensure: present, owner: root, group: root, mode: "0644", content: "{{ readFile('/etc/own') }}" }\n`,
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
    ['root:/nowhere-at-all', /cannot be opened/],
    ['root:/', /this machine/],
  ])('refuses the target %s', async (target, message) => {
    const { code, stderr } = await driftgate(['facts', '--target', target], { cwd: '/' })
    expect([code, stderr]).toEqual([1, expect.stringMatching(message)])
  })
})

describe('--target image:PATH', () => {
  const image = {
    layers: [
      [
        { name: 'etc/passwd', content: 'ann:x:1000:0::/:/bin/sh\n' },
        { name: 'etc/group', content: 'root:x:0:\n' },
        { name: 'etc/os-release', content: 'ID=alpine\nVERSION_ID=3.20\n' },
        { name: 'etc/hostname', content: 'builder\n' },
        { name: 'etc/secret', content: 'hello\n', mode: 0o600, uid: 1000 },
      ],
    ],
    names: ['web:1'],
  }

  test('judges what is in it, as anybody', async () => {
    const cwd = temporaryDirectory()
    const files = dockerFiles(image)
    writeFileSync(join(cwd, 'web.tar'), savedTar(files))
    writeFileSync(
      join(cwd, 'p.yaml'),
      `ccm:
  resources:
  - file:
      - /etc/secret: { ensure: present, owner: ann, group: root, mode: "0600", content: "hello\\n" }
      - /dev/null: { ensure: absent }
  - service:
      - ssh: { ensure: running }
`,
    )
    const { code, stdout, stderr } = await driftgate(
      ['scan', 'p.yaml', '--target', 'image:web.tar', '--report', 'json'],
      { cwd },
    )
    expect(stderr).toBe('')
    const run = JSON.parse(stdout) as Run
    const digest = [...files.keys()]
      .find((name) => name.endsWith('.json') && name !== 'manifest.json')
      ?.replace('.json', '')
    expect(run.target).toEqual({
      kind: 'image',
      hostname: 'web:1',
      os: { id: 'alpine', version: '3.20' },
      path: join(cwd, 'web.tar'),
      image: { name: 'web:1', digest: `sha256:${digest}`, platform: `linux/${OWN_ARCHITECTURE}` },
    })
    expect(run.policies[0]?.resources.map(({ id, verdict, reason }) => [id, verdict, reason])).toEqual([
      ['file#/etc/secret', 'compliant', undefined],
      ['file#/dev/null', 'error', 'not-observable'],
      ['service#ssh', 'error', 'no-provider'],
    ])
    expect(code).toBe(3)
  })

  test('refuses what is damaged, and to fix', async () => {
    const cwd = temporaryDirectory()
    const scan = ['scan', join(POLICIES, 'ssh.yaml'), '--target', 'image:web.tar']
    const tar = savedTar(dockerFiles(image))
    writeFileSync(join(cwd, 'web.tar'), tar)
    const fix = await driftgate([...scan, '--fix'], { cwd })
    expect([fix.code, fix.stderr]).toEqual([1, expect.stringMatching(/only looked at/)])
    tar[tar.indexOf('hello')] = 0x48
    writeFileSync(join(cwd, 'web.tar'), tar)
    const damaged = await driftgate(scan, { cwd })
    expect([damaged.code, damaged.stderr]).toEqual([
      1,
      expect.stringMatching(/layer 1 of 1 .* has to be sha256:.*damaged or was changed/),
    ])
  })
})

/** What Node opens itself, what driftgate reads of its own process and of its own configuration. */
const OWN = [
  /^\/proc\/(?:self|\d+|meminfo|version_signature)\b/,
  /^\/sys\/(?:fs\/cgroup|devices\/system\/cpu)\b/,
  /^\/etc\/(?:ld\.so\.cache|ssl\/|driftgate)/,
  /^\/(?:usr\/)?lib\/x86_64-linux-gnu\//,
  /^\/usr\/(?:local\/)?(?:lib|share)\/(?:ssl|locale|zoneinfo)/,
  /^\/dev\/(?:null|urandom|pts|tty)/,
]
const OF_THE_MACHINE = /^\/(?:etc|var|usr|lib|proc|sys|run|boot|dev)\//

test.skipIf(needsStrace)(
  'nothing of this machine is opened or run (needs strace, and the right to trace)',
  async () => {
    const root = makeRoot({
      'etc/passwd': 'root:x:0:0::/root:/bin/sh\n',
      'etc/group': 'root:x:0:\n',
      'usr/bin/systemctl': '',
      'etc/os-release': 'ID=debian\nVERSION_ID=12\n',
      'usr/lib/systemd/systemd': '',
      'usr/lib/systemd/systemd-sysctl': '',
      'usr/lib/modules/6.1/modules.dep': '',
      'etc/ufw/ufw.conf': 'ENABLED=yes\n',
      'etc/sysctl.d/10-a.conf/in-the-way': '',
    })
    mkdirSync(join(root, 'boot'))
    symlinkSync('../../../../../../../../boot', join(root, 'boot/loader'))
    const secrets = [
      'shadow login.defs ssh/sshd_config security/pwquality.conf nsswitch.conf fstab',
      'sysctl.conf sysctl.d/99-z.conf modprobe.d/z.conf audit/audit.rules audit/rules.d/z.rules',
      'default/ufw ufw/before.rules iptables/rules.v4 systemd/system/var.mount cron.d/z',
    ].flatMap((line) => line.split(' '))
    for (const name of secrets) {
      mkdirSync(dirname(join(root, 'etc', name)), { recursive: true })
      symlinkSync(
        `../../../../../../../../../../etc/${name === 'shadow' ? 'hostname' : 'passwd'}`,
        join(root, 'etc', name),
      )
    }
    const out = join(temporaryDirectory(), 'trace')
    const policies = readdirSync(POLICIES).filter((name) => name.endsWith('.yaml'))
    const scan = [process.execPath, DRIFTGATE, 'scan', ...policies, '--target', `root:${root}`, '--report', 'json']
    const calls = ['-f', '-q', '-y', '-s', '200', '-e', 'trace=open,openat,execve', '-o', out]
    const { code } = await start('strace', [...calls, ...scan], { cwd: POLICIES }).outcome
    expect(code).toBe(2)
    const lines = readFileSync(out, 'utf8').split('\n')
    const opened = lines.flatMap((line) => /= \d+<(.*)>$/.exec(line)?.[1] ?? [])
    expect(opened.some((path) => path === join(root, 'etc/passwd'))).toBe(true)
    const inside = (path: string): boolean => path.startsWith(root)
    const foreign = opened.filter(
      (path) =>
        OF_THE_MACHINE.test(path) && !inside(path) && path !== process.execPath && !OWN.some((own) => own.test(path)),
    )
    expect([...new Set(foreign)]).toEqual([])
    // Nothing but what reads extended attributes, for which Node has no call.
    const reading = findReadingProgram()
    const reader = reading.kind === 'known' ? reading.value.command : undefined
    const started = lines.flatMap((line) => /execve\("([^"]*)"/.exec(line)?.[1] ?? [])
    expect(new Set(started.slice(1))).toEqual(new Set([reader]))
  },
  120_000,
)
