import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { NO_PATTERNS } from '../../../src/model/path-patterns.ts'
import { openRootedTarget } from '../../../src/host/root/open-root.ts'
import type { Target } from '../../../src/host/target.ts'
import { needsRoot, temporaryDirectory } from '../../support/temporary.ts'

let root: string

function open(): Target {
  const opened = openRootedTarget(root)
  if (opened.kind === 'refused') throw new Error(opened.message)
  return opened.target
}

function withFstab(...lines: readonly string[]): Target {
  writeFileSync(join(root, 'etc/fstab'), lines.map((line) => `${line}\n`).join(''))
  return open()
}

const NOT_HERE = { kind: 'unknown', reason: 'not-observable', detail: expect.stringContaining('/etc/fstab:1') }

beforeEach(() => {
  root = temporaryDirectory()
  for (const name of ['etc', 'usr', 'home', 'srv/full', 'var']) mkdirSync(join(root, name), { recursive: true })
  writeFileSync(join(root, 'srv/full/file'), '')
})

describe('a file system that a start mounts and that is not here', () => {
  // fstab(5): by device, label, server or another directory; without `noauto` the start mounts it.
  test.each([
    'UUID=1 /home ext4 defaults 0 2',
    'LABEL=x /home/ xfs nofail 0 0',
    'server:/x /home nfs _netdev',
    '/var /home none bind',
    '/dev/x /home auto noauto,x-systemd.automount',
  ])('%s: nothing of it is known, and nothing absent', (line) => {
    const target = withFstab(line)
    for (const path of ['/home', '/home/ann', '/home/ann/.ssh/x', '/srv/../home/ann']) {
      expect(target.files.lstat(path), path).toMatchObject(NOT_HERE)
      expect(target.files.stat(path), path).toMatchObject(NOT_HERE)
    }
    expect(target.probe.readText('/home/ann/.profile')).toMatchObject(NOT_HERE)
    expect(target.probe.list('/home')).toMatchObject(NOT_HERE)
    expect(target.files.isDirectoryEmpty('/home')).toMatchObject(NOT_HERE)
    expect(target.files.realPath('/home/ann')).toMatchObject(NOT_HERE)
    expect(target.files.listTree('/')).toMatchObject(NOT_HERE)
    expect(target.files.listTree('/srv')).toMatchObject({ kind: 'known' })
    expect(target.files.lstat('/other')).toMatchObject({ kind: 'absent' })
  })

  test('is not passed over by links, or where its directory is missing', () => {
    symlinkSync('/home/web', join(root, 'srv/web'))
    symlinkSync('home', join(root, 'people'))
    const target = withFstab('/dev/x /people ext4 defaults', '/dev/y /data/deep ext4 defaults')
    expect(target.files.stat('/srv/web')).toMatchObject(NOT_HERE)
    expect(target.files.stat('/people/ann')).toMatchObject(NOT_HERE)
    for (const path of ['/data', '/data/deep', '/data/deep/x'])
      expect(target.files.lstat(path)).toMatchObject({ kind: 'unknown' })
    expect(target.files.lstat('/data2')).toMatchObject({ kind: 'absent' })
  })

  test('makes a look through a tree that has it unknown', async () => {
    const target = withFstab('/dev/x /home ext4 defaults')
    const signal = new AbortController().signal
    const query = {
      depth: 9,
      include: undefined,
      exclude: NO_PATTERNS,
      signal,
      timeoutMs: 10_000,
      judge: () => 'fine' as const,
    }
    const all = await target.trees.find({ ...query, directory: '/', fileSystems: 'all_local' })
    expect(all).toMatchObject({ state: { unread: [NOT_HERE] } })
    expect(await target.trees.find({ ...query, directory: '/home', fileSystems: 'own' })).toMatchObject(NOT_HERE)
  })

  // What is not empty was copied or mounted there; what begins empty is; an unmounted one stays as it is.
  test.each([
    '/dev/x /srv/full ext4 defaults',
    '/dev/x /home ext4 noauto',
    'tmpfs /home tmpfs defaults',
    '/dev/x none swap sw',
    '/dev/x / ext4 errors=remount-ro',
    '/dev/x /run/lock ext4 defaults',
    '# /dev/x /home ext4 defaults',
  ])('is not what %s says', (line) => {
    const target = withFstab(line)
    expect(target.files.lstat('/home')).toMatchObject({ kind: 'present' })
    expect(target.files.lstat('/home/ann')).toMatchObject({ kind: 'absent' })
    expect(target.files.lstat('/srv/full/other')).toMatchObject({ kind: 'absent' })
  })

  test.skipIf(needsRoot)('is known where an empty one is mounted', () => {
    execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', join(root, 'home')])
    onTestFinished(() => void execFileSync('umount', [join(root, 'home')]))
    const target = withFstab('/dev/x /home ext4 defaults')
    onTestFinished(() => target.forget())
    expect(target.files.lstat('/home/ann')).toMatchObject({ kind: 'absent' })
  })

  test('might be any where fstab cannot be read', () => {
    mkdirSync(join(root, 'etc/fstab'))
    expect(open().files.lstat('/home/ann')).toMatchObject({
      kind: 'unknown',
      detail: expect.stringContaining('/etc/fstab'),
    })
    expect(open().files.lstat('/home')).toMatchObject({ kind: 'present' })
  })
})
