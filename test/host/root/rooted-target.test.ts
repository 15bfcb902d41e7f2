import { put } from '../../support/contract.ts'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { openRootedTarget } from '../../../src/host/root/open-root.ts'
import type { Target } from '../../../src/host/target.ts'
import { temporaryDirectory } from '../../support/temporary.ts'
import { INTERFACES, NETWORK } from '../../../src/subjects/network/subject.ts'
import { ACCOUNTS } from '../../../src/subjects/accounts/subject.ts'
import { TLS } from '../../../src/subjects/certificates/subject.ts'
import { PACKAGES } from '../../../src/subjects/packages/subject.ts'
import { SERVICES } from '../../../src/subjects/services/subject.ts'
import { SOCKETS } from '../../../src/subjects/sockets/subject.ts'
import { PROCESSES } from '../../../src/subjects/processes/subject.ts'
import { FIREWALL } from '../../../src/subjects/firewall/subject.ts'
import { MOUNTS } from '../../../src/subjects/mounts/subject.ts'
import { KERNEL_BUILDS, KERNEL_MODULES } from '../../../src/subjects/kernel-modules/subject.ts'
import { SYSCTL } from '../../../src/subjects/sysctl/subject.ts'

const signal = new AbortController().signal

let outside: string
let root: string

function plant(files: Readonly<Record<string, string>>): void {
  put(root, files)
}

function link(path: string, target: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  symlinkSync(target, join(root, path))
}

function open(): Target {
  const opened = openRootedTarget(root)
  if (opened.kind === 'refused') throw new Error(opened.message)
  return opened.target
}

beforeEach(() => {
  outside = temporaryDirectory()
  root = join(outside, 'root')
  plant({ 'etc/secret': 'inside\n', 'usr/lib/os-release': 'ID=debian\nVERSION_ID="12"\n' })
  mkdirSync(join(outside, 'etc'))
  writeFileSync(join(outside, 'etc/secret'), 'outside\n')
})

describe('links below a root', () => {
  test.each([
    ['an absolute one', () => link('srv/x', '/etc/secret'), '/srv/x'],
    ['one with more .. than there are directories', () => link('srv/x', '../../../../../etc/secret'), '/srv/x'],
    ['an absolute one on the way', () => link('srv/x', '/etc'), '/srv/x/secret'],
    ['a relative one on the way', () => link('srv/x', '../../etc'), '/srv/x/secret'],
    ['one to the root, and up from there', () => link('srv/x', '/'), '/srv/x/../../etc/secret'],
    ['a path that goes up itself', () => undefined, '/../../etc/secret'],
    ['several', () => [link('srv/x', 'y'), link('srv/y', '/srv/../srv/z'), link('srv/z', '../etc')], '/srv/x/secret'],
  ])('%s stay inside', async (_name, make, path) => {
    make()
    const target = open()
    expect(target.probe.readText(path)).toEqual({ kind: 'known', value: 'inside\n' })
    expect(target.files.realPath(path)).toEqual({ kind: 'known', value: '/etc/secret' })
    const head = target.files.readHead(path, 3)
    expect(head.kind === 'known' && Buffer.from(head.value).toString()).toBe('ins')
    const stat = target.files.stat(path)
    if (stat.kind !== 'present') throw new Error('it is there')
    expect(await target.files.digest(path, stat.state)).toMatchObject({ value: { sizeBytes: 7 } })
  })

  test('a link that names a path outside leads nowhere', () => {
    link('srv/x', join(outside, 'etc/secret'))
    expect(open().files.stat('/srv/x')).toMatchObject({ kind: 'absent' })
    expect(open().files.lstat('/srv/x')).toMatchObject({ state: { kind: 'symlink' } })
    expect(open().files.linkTarget('/srv/x')).toEqual({ kind: 'known', value: join(outside, 'etc/secret') })
  })

  test('a circle is unknown', () => {
    link('srv/x', '/srv/x')
    expect(open().files.stat('/srv/x')).toMatchObject({ kind: 'unknown' })
    expect(open().files.realPath('/srv/x')).toMatchObject({ kind: 'unknown' })
  })

  test('to /dev/null are known as such', () => {
    link('etc/x', '/dev/null')
    expect(open().files.realPath('/etc/x')).toEqual({ kind: 'known', value: '/dev/null' })
  })
})

test.each(['/proc/sys/kernel/ostype', '/sys/class', '/dev/null', '/run/x', '/var/run/x', '/srv/../proc/1'])(
  '%s is not read, even if it exists',
  (path) => {
    plant({ 'proc/sys/kernel/ostype': 'Linux\n', 'proc/1': '', 'run/x': '', 'sys/class/x': '', 'srv/x': '' })
    link('var/run', '/run')
    const target = open()
    expect(target.files.lstat(path)).toMatchObject({ kind: 'unknown', reason: 'not-observable' })
    expect(target.files.stat(path)).toMatchObject({ kind: 'unknown', reason: 'not-observable' })
    expect(target.files.realPath(path).kind === 'unknown' || path === '/dev/null').toBe(true)
  },
)

test('properties that only a running system has are unknown', async () => {
  plant({ 'sbin/init': '' })
  const target = open()
  const answers = [
    target.open(KERNEL_MODULES).signatures(),
    await target.open(KERNEL_BUILDS).running(),
    await target.open(KERNEL_BUILDS).installed(),
    ...(await target.access.beyondMode(['/run/x'])),
    ...(await target.access.flags(['/proc/x'])),
    target.access.wayTo('/run/x/y'),
    target.open(SYSCTL).read('kernel/ostype'),
    target.open(SYSCTL).interfaces('ipv4'),
    target.open(SYSCTL).stored(),
    await target.open(TLS).certificates({ host: 'localhost', port: 1, serverName: 'x', timeoutMs: 1 }, signal),
    target.open(MOUNTS).now('/'),
    target.open(PROCESSES).list(),
    target.open(SOCKETS).listening(['tcp']),
    await target.open(FIREWALL).rules(signal),
    await target.open(FIREWALL).stored('nftables', signal),
    await target.open(INTERFACES).list(),
    await target.open(NETWORK).resolve({ name: 'localhost', timeoutMs: 1, signal }),
    target.probe.filesystemUsage('/'),
    target.open(ACCOUNTS).read(),
    await target.names.userId('root'),
    await target.open(SERVICES).status('ssh.service', signal),
    await target.open(PACKAGES).apt.find('bash'),
    await target.open(PACKAGES).dnf.find('bash'),
  ]
  expect(answers.map(({ kind }) => kind)).toEqual(answers.map(() => 'unknown'))
  const outcome = await target.run({ argv: ['/bin/true'], workingDirectory: '/', signal })
  expect(outcome.kind).toBe('not-started')
  expect(target.names.userName(0)).toBeUndefined()
})

test('a service does not exist where nothing could start it', async () => {
  expect(await open().open(SERVICES).status('ssh.service', signal)).toMatchObject({ kind: 'absent' })
})

test('accounts, packages and units are those below the root', async () => {
  plant({
    'etc/passwd': 'root:x:0:0::/root:/bin/sh\nann:x:1234:1234::/home/ann:/bin/sh\n',
    'etc/group': 'root:x:0:\nann:x:1234:\n',
    'var/lib/dpkg/status':
      'Package: dpkg\nStatus: install ok installed\nVersion: 1\nArchitecture: amd64\n\n' +
      'Package: nowhere-else\nStatus: install ok installed\nVersion: 2.0\nArchitecture: all\n',
    'usr/bin/systemctl': '',
    'usr/lib/systemd/system/here.service': '[Install]\nWantedBy=multi-user.target\n',
    'usr/lib/systemd/system/off.service': '[Install]\nWantedBy=multi-user.target\n',
  })
  link('lib', '/usr/lib')
  link('etc/systemd/system/multi-user.target.wants/here.service', '/lib/systemd/system/here.service')
  link('etc/systemd/system/gone.service', '/dev/null')
  const target = open()
  expect(await target.names.userId('ann')).toEqual({ kind: 'known', value: 1234 })
  expect(await target.names.findGroupName(1234)).toEqual({ kind: 'known', value: 'ann' })
  expect(await target.names.userId('nobody')).toEqual({ kind: 'known', value: null })
  expect(await target.open(PACKAGES).apt.find('nowhere-else')).toMatchObject({ value: [{ version: '2.0' }] })
  expect(await target.open(PACKAGES).apt.find('bash')).toEqual({ kind: 'known', value: [] })
  const states = await Promise.all(
    ['here', 'off', 'gone'].map((name) => target.open(SERVICES).status(`${name}.service`, signal)),
  )
  expect(states).toMatchObject(
    ['enabled', 'disabled', 'masked'].map((state) => ({
      state: { runtime: { kind: 'unknown', reason: 'not-observable' }, enablement: { value: { state } } },
    })),
  )
  expect(await target.open(SERVICES).status('ssh.service', signal)).toMatchObject({ kind: 'absent' })
})

// systemd's user records, https://systemd.io/USER_RECORD: `perMachine` counts on the machines that it names.
test('perMachine of a user record matches the system below the root, not this machine', () => {
  const perMachine = [
    { matchHostname: hostname(), shell: '/bin/wrong' },
    { matchHostname: 'web07', shell: '/bin/right' },
  ]
  plant({
    'etc/hostname': 'web07\n',
    'etc/nsswitch.conf': 'passwd: files systemd\ngroup: files systemd\nshadow: files systemd\n',
    'etc/passwd': 'root:x:0:0::/root:/bin/sh\n',
    'etc/group': 'root:x:0:\n',
    'etc/userdb/eve.user': JSON.stringify({ userName: 'eve', uid: 4000, gid: 4000, perMachine }),
  })
  const set = open().open(ACCOUNTS).read()
  if (set.kind === 'unknown') throw new Error(set.detail)
  expect(set.value.users.find(({ name }) => name === 'eve')).toMatchObject({ shell: '/bin/right' })
})

test('a system says who it is', () => {
  plant({ 'etc/hostname': '# its name\nweb07\n', 'etc/machine-id': `${'a'.repeat(32)}\n` })
  expect(open().system).toEqual({
    platform: 'linux',
    hostname: 'web07',
    os: { id: 'debian', version: '12' },
    identity: 'a'.repeat(32),
  })
})

test.each([
  ['/', /root of this machine/],
  ['/etc/passwd', /not a directory/],
  ['/nowhere-at-all', /no such file or directory/],
])('%s is no target', (path, message) => {
  expect(openRootedTarget(path)).toMatchObject({ message: expect.stringMatching(message) })
})

test('an empty directory is no target, because all that is to be absent would be', () => {
  mkdirSync(join(outside, 'mnt'))
  expect(openRootedTarget(join(outside, 'mnt'))).toMatchObject({ kind: 'refused' })
})
