import { put } from '../../support/contract.ts'
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { compilePatterns, NO_PATTERNS } from '../../../src/model/path-patterns.ts'
import type { EntryAttributes, TreeFinding } from '../../../src/host/file-trees.ts'
import { openRootedTarget } from '../../../src/host/root/open-root.ts'
import { winnerOf } from '../../../src/subjects/sysctl/sysctl-conf.ts'
import type { Target } from '../../../src/host/target.ts'
import { temporaryDirectory } from '../../support/temporary.ts'
import { AUDITD } from '../../../src/subjects/auditd/subject.ts'
import { FIREWALL } from '../../../src/subjects/firewall/subject.ts'
import { KERNEL_BUILDS, KERNEL_MODULES } from '../../../src/subjects/kernel-modules/subject.ts'
import { MOUNTS } from '../../../src/subjects/mounts/subject.ts'
import { SYSCTL } from '../../../src/subjects/sysctl/subject.ts'

const signal = new AbortController().signal

let root: string

beforeEach(() => {
  root = join(temporaryDirectory(), 'root')
  plant({ 'etc/passwd': 'root:x:0:0::/root:/bin/sh\n', 'etc/group': 'root:x:0:\n' })
})

function plant(files: Readonly<Record<string, string>>): void {
  put(root, files)
}

function open(): Target {
  const opened = openRootedTarget(root)
  if (opened.kind === 'refused') throw new Error(opened.message)
  return opened.target
}

const NOT_KNOWN = { kind: 'unknown', reason: 'not-observable' }
const NEEDS_START = { ...NOT_KNOWN, needs: 'running-system' }

describe('kernel parameters', () => {
  const SYSTEMD = { 'usr/lib/systemd/systemd-sysctl': '' }

  function valueOf(path: string): unknown {
    const stored = open().open(SYSCTL).stored()
    return stored.kind === 'known' ? winnerOf(stored.value, path) : stored
  }

  // sysctl.d(5): a file of /etc hides one of the same name; files are read by name, and the last line counts.
  test('are what the files of a start say', () => {
    plant({
      ...SYSTEMD,
      'etc/sysctl.d/10-a.conf': 'kernel.sysrq = 1\n',
      'usr/lib/sysctl.d/10-a.conf': 'kernel.sysrq = 2\n',
      'usr/lib/sysctl.d/50-b.conf': 'kernel.sysrq = 3\n',
    })
    expect(valueOf('kernel/sysrq')).toMatchObject({ assignment: { value: '3', file: '/usr/lib/sysctl.d/50-b.conf' } })
  })

  test('are not what lies in /run, which a start empties', () => {
    plant({ ...SYSTEMD, 'run/sysctl.d/99-z.conf': 'kernel.sysrq = 1\n' })
    expect(valueOf('kernel/sysrq')).toEqual({ kind: 'none' })
  })

  test('an absolute link stays inside, and one to /dev/null is an empty file', () => {
    plant({ ...SYSTEMD, 'srv/mine': 'kernel.sysrq = 4\n', 'usr/lib/sysctl.d/20-b.conf': 'kernel.sysrq = 5\n' })
    mkdirSync(join(root, 'etc/sysctl.d'))
    symlinkSync('/srv/mine', join(root, 'etc/sysctl.d/10-a.conf'))
    symlinkSync('/dev/null', join(root, 'etc/sysctl.d/20-b.conf'))
    expect(valueOf('kernel/sysrq')).toMatchObject({ assignment: { value: '4' } })
  })

  test.each([
    ['without what applies them', {}],
    ['with a masked service', { ...SYSTEMD, mask: '' }],
  ])('are not known %s', (_name, files) => {
    plant(files)
    if ('mask' in files) {
      mkdirSync(join(root, 'etc/systemd/system'), { recursive: true })
      symlinkSync('/dev/null', join(root, 'etc/systemd/system/systemd-sysctl.service'))
    }
    expect(open().open(SYSCTL).stored()).toMatchObject(NOT_KNOWN)
    expect(open().open(SYSCTL).stored()).not.toHaveProperty('needs')
  })

  test('a directory among the files is passed over, as systemd-sysctl does', () => {
    plant(SYSTEMD)
    mkdirSync(join(root, 'etc/sysctl.d/10-a.conf'), { recursive: true })
    expect(open().open(SYSCTL).stored()).toMatchObject({ kind: 'known' })
  })
})

describe('mounts', () => {
  test('are those of fstab and unit files, and what is mounted now only a running system knows', () => {
    plant({
      'etc/fstab': '/dev/sda2 /home ext4 nodev,nosuid 0 2\n',
      'usr/lib/systemd/systemd': '',
      'etc/systemd/system/srv.mount': '[Mount]\nWhat=/dev/sdb1\nWhere=/srv\nOptions=noexec\n',
      'etc/systemd/system/local-fs.target.wants/x': '',
    })
    symlinkSync('../srv.mount', join(root, 'etc/systemd/system/local-fs.target.wants/srv.mount'))
    const mounts = open().open(MOUNTS)
    expect(mounts.stored('/home')).toMatchObject({ value: { kind: 'stored', options: 'nodev,nosuid' } })
    expect(mounts.stored('/srv')).toMatchObject({ value: { kind: 'stored', options: 'noexec' } })
    expect(mounts.stored('/var')).toMatchObject({ value: { kind: 'nothing' } })
    expect(mounts.now('/home')).toMatchObject(NEEDS_START)
  })

  test('are not known where a boot argument changes them', () => {
    plant({ 'etc/fstab': '', 'boot/loader/entries/a.conf': 'options root=/dev/sda1 fstab=no\n' })
    expect(open().open(MOUNTS).stored('/home')).toMatchObject(NOT_KNOWN)
  })
})

describe('kernel modules', () => {
  const tree = (release: string, dependencies: string, builtIn = ''): Readonly<Record<string, string>> => ({
    [`usr/lib/modules/${release}/modules.dep`]: dependencies,
    [`usr/lib/modules/${release}/modules.builtin`]: builtIn,
    [`usr/lib/modules/${release}/modules.alias`]: '',
  })

  function statusOf(name: string): unknown {
    const status = open().open(KERNEL_MODULES).status(name)
    if (status.kind === 'unknown') throw new Error(status.detail)
    return status.value
  }

  beforeEach(() => {
    mkdirSync(join(root, 'usr/lib'), { recursive: true })
    symlinkSync('usr/lib', join(root, 'lib'))
  })

  test('are those of every kernel that is installed', () => {
    plant({
      ...tree('6.1', 'kernel/fs/cramfs/cramfs.ko:\nkernel/a.ko:\n', 'kernel/fs/ext4.ko\n'),
      ...tree('6.2', 'kernel/fs/cramfs/cramfs.ko:\n', 'kernel/fs/ext4.ko\n'),
      'usr/lib/modules/5.9/leftover': '',
      'etc/modprobe.d/x.conf': 'install cramfs /bin/false\n',
    })
    expect(statusOf('cramfs')).toMatchObject({
      presence: NEEDS_START,
      place: { value: 'loadable' },
      configuration: { value: { install: [{ file: '/etc/modprobe.d/x.conf', line: 1 }] } },
      isLocked: NEEDS_START,
    })
    expect(statusOf('ext4')).toMatchObject({ presence: { value: { kind: 'built-in' } } })
    expect(statusOf('none')).toMatchObject({ place: { value: 'absent' }, presence: NEEDS_START })
    expect(statusOf('a')).toMatchObject({ place: NOT_KNOWN })
  })

  test('are not known without a kernel', () => {
    expect(statusOf('cramfs')).toMatchObject({ place: NOT_KNOWN })
    expect(statusOf('cramfs')).not.toHaveProperty('place.needs')
  })

  test('build options are those of the kernels in /boot; without one nothing is known', async () => {
    expect(await open().open(KERNEL_BUILDS).installed()).toMatchObject(NOT_KNOWN)
    plant({ 'boot/vmlinuz-6.1': '', 'boot/config-6.1': 'CONFIG_A=y\n' })
    expect(await open().open(KERNEL_BUILDS).installed()).toMatchObject({ value: [{ release: '6.1' }] })
    expect(await open().open(KERNEL_BUILDS).running()).toMatchObject(NEEDS_START)
  })
})

test('audit rules are those of the files, and accounts in them those of the target', async () => {
  plant({
    'etc/audit/rules.d/a.rules': '-w /etc/shadow -p wa -k x\n-a always,exit -F path=/bin/su -F auid>=ann\n',
    'etc/passwd': 'root:x:0:0::/root:/bin/sh\nann:x:4711:1::/:/bin/sh\n',
    'bin/su': '',
    'etc/audit/audit.rules': '-w /etc/shadow -p wa -k x\n',
  })
  const state = await open().open(AUDITD).state([], signal)
  if (state.kind === 'unknown') throw new Error(state.detail)
  expect(state.value.loaded).toMatchObject(NEEDS_START)
  expect(state.value.stored).toMatchObject({ value: { layer: { entries: [{}, {}] } } })
  expect(JSON.stringify(state.value.stored)).toContain('4711')
  expect(state.value.compiled).toMatchObject({ value: { entries: [{}] } })
})

test('firewall rules are those of files; those of nftables, too, where all of the text is understood', async () => {
  plant({
    'etc/iptables/rules.v4': '*filter\n:INPUT DROP [0:0]\nCOMMIT\n',
    'etc/nftables.conf': 'flush ruleset\n',
  })
  const firewall = open().open(FIREWALL)
  expect(await firewall.stored('iptables', signal)).toMatchObject({ value: { chains: [{ base: { hook: 'input' } }] } })
  expect(await firewall.stored('nftables', signal)).toMatchObject({ kind: 'known', value: { tables: [] } })
  expect(await firewall.rules(signal)).toMatchObject(NEEDS_START)
})

describe('trees', () => {
  const open0 = (attributes: EntryAttributes): 'listed' | 'fine' =>
    (attributes.mode & 0o002) !== 0 && attributes.kind === 'file' ? 'listed' : 'fine'

  async function find(directory: string, target = open()): Promise<TreeFinding> {
    const query = { directory, depth: 99, include: undefined, exclude: NO_PATTERNS, signal, timeoutMs: 60_000 }
    const seen = await target.trees.find({ ...query, fileSystems: 'all_local', judge: open0 })
    if (seen.kind !== 'present') throw new Error(JSON.stringify(seen))
    return seen.state
  }

  test('are gone through below the root; no link leads out, and what a start fills is left out', async () => {
    plant({ 'etc/a/open': '', 'srv/b': '', 'proc/open': '', 'run/open': '', '../etc/open': '' })
    // A name that is no UTF-8.
    writeFileSync(Buffer.concat([Buffer.from(`${root}/etc/`), Buffer.from([0xff, 0xfe])]), '')
    for (const name of ['etc/a/open', 'proc/open', 'run/open', '../etc/open']) chmodSync(join(root, name), 0o666)
    symlinkSync('../../etc', join(root, 'srv/out'))
    symlinkSync('/etc', join(root, 'in'))
    expect((await find('/')).entries.map(({ path }) => path)).toEqual(['etc/a/open'])
    expect((await find('/')).leftOut.map(({ path }) => path)).toEqual(['dev', 'proc', 'run', 'sys'])
    expect((await find('/in')).entries.map(({ path }) => path)).toEqual(['a/open'])
    const query = { depth: 9, include: compilePatterns(['*']), exclude: NO_PATTERNS, signal, timeoutMs: 1000 }
    for (const directory of ['/proc', '/run/x', '/nothing', '/srv/out/x']) {
      const seen = await open().trees.find({ ...query, directory, fileSystems: 'own', judge: open0 })
      expect(seen).toMatchObject(
        directory.startsWith('/nothing') || directory.startsWith('/srv') ? { kind: 'absent' } : NEEDS_START,
      )
    }
  })

  test('are read again once they are forgotten', async () => {
    plant({ 'srv/a/x': '', 'srv/b/open': '' })
    const target = open()
    await find('/srv', target)
    chmodSync(join(root, 'srv/b/open'), 0o666)
    target.forget()
    expect((await find('/srv', target)).entries).toMatchObject([{ path: 'b/open' }])
  })
})
