import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { findReadingProgram } from '../../src/host/live/access/programs.ts'
import type { Run } from '../../src/model/run.ts'
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

  test('judges the contents of the image, for any user', async () => {
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
      ['service#ssh', 'drifted', undefined],
    ])
    expect(code).toBe(2)
  })

  test('refuses what is damaged, and to fix', async () => {
    const cwd = temporaryDirectory()
    const scan = ['scan', join(POLICIES, 'ssh.yaml'), '--target', 'image:web.tar']
    const tar = savedTar(dockerFiles(image))
    writeFileSync(join(cwd, 'web.tar'), tar)
    const fix = await driftgate([...scan, '--fix'], { cwd })
    expect([fix.code, fix.stderr]).toEqual([1, expect.stringContaining('is read-only')])
    tar[tar.indexOf('hello')] = 0x48
    writeFileSync(join(cwd, 'web.tar'), tar)
    const damaged = await driftgate(scan, { cwd })
    expect([damaged.code, damaged.stderr]).toEqual([
      1,
      expect.stringMatching(/layer 1 of 1 .* expected sha256:.*damaged or was changed/),
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
