import { join } from 'node:path'
import { expect, test } from 'vitest'
import { mount } from '../../../src/subjects/mounts/index.ts'
import { auditResource, type ContractScene, contractTests } from '../../../src/testing/index.ts'
import { needsRootToFix, put } from '../../support/contract.ts'
import { temporaryDirectory } from '../../support/temporary.ts'
import { handsIn, machineIn, mountinfo } from './scene.ts'

type Files = Readonly<Record<string, string>>

const SYSTEMD = 'usr/lib/systemd/systemd'
const BASE: Files = { [SYSTEMD]: '', 'proc/cmdline': 'quiet\n' }
const HOME = mountinfo('/home rw,nosuid,nodev,relatime ext4 /dev/vdb rw')
const BARE_HOME = mountinfo('/home rw,relatime ext4 /dev/vdb rw')
const NODEV = { options: { includes: ['nodev'] } }

function scene(title: string, state: ContractScene['state'], files: Files, properties: object = {}): ContractScene {
  return {
    title,
    state,
    arrange(directory) {
      const { mountinfo: text = mountinfo(), ...others } = files
      put(directory, { ...BASE, 'proc/self/mountinfo': text, ...others })
      return { name: '/home', ...properties }
    },
    target: machineIn,
    remediator: handsIn,
  }
}

const FSTAB = { 'etc/fstab': '# disks\nUUID=1\t/\text4 defaults 0 1\ntmpfs  /home tmpfs nosuid,nodev 0 0\n' }
const BARE_FSTAB = { 'etc/fstab': 'tmpfs  /home\ttmpfs defaults 0 0 # all of us' }

const scenes: readonly ContractScene[] = [
  scene('now and stored', 'compliant', { mountinfo: HOME, ...FSTAB }, NODEV),
  scene('a file system of its own', 'compliant', { mountinfo: HOME, ...BARE_FSTAB }),
  scene('a directory of the root', 'unfixable', {}, NODEV),
  scene('a directory of the root that may be one', 'compliant', {}, { ...NODEV, if_absent: 'compliant' }),
  scene(
    'a directory of the root, with a resource about options alone',
    'not-applicable',
    {},
    { ...NODEV, if_absent: 'not-applicable' },
  ),
  scene('neither now nor stored', 'fixable', { mountinfo: BARE_HOME, ...BARE_FSTAB }, NODEV),
  scene('now and not stored', 'fixable', { mountinfo: HOME, ...BARE_FSTAB }, { ...NODEV, fstype: 'ext4' }),
  scene('stored and not now', 'fixable', { mountinfo: BARE_HOME, ...FSTAB }, { ...NODEV, device: '/dev/vdb' }),
  scene(
    'a unit says otherwise than fstab',
    'fixable',
    { mountinfo: HOME, ...FSTAB, 'etc/systemd/system/home.mount': '[Mount]\nWhere=/home\nOptions=rw\n' },
    NODEV,
  ),
  scene(
    'what systemd mounts itself',
    'fixable',
    { mountinfo: mountinfo('/dev/shm rw,noexec tmpfs tmpfs rw'), 'etc/hostname': '' },
    {
      name: '/dev/shm',
      options: { includes: ['noexec'] },
    },
  ),
  scene('another type', 'unfixable', { mountinfo: HOME, ...FSTAB }, { fstype: { one_of: ['xfs', 'btrfs'] } }),
  scene(
    'no way out of an option',
    'unfixable',
    { mountinfo: mountinfo('/home rw,nodev tmpfs tmpfs rw,size=1024k'), ...FSTAB },
    { options: { excludes: ['size=1024k'] } },
  ),
  scene(
    'no nearest options',
    'unfixable',
    { mountinfo: HOME, ...FSTAB },
    { options: { none_of: [['nosuid', 'nodev', 'relatime']] }, stored_options: NODEV.options },
  ),
]

/** Their fixes write files of root. */
const FIXED_AS_ROOT = ['a unit says otherwise than fstab', 'what systemd mounts itself']

for (const { name, run } of contractTests(mount, { scenes }))
  test.skipIf(needsRootToFix(name, FIXED_AS_ROOT))(name, run)

async function audited(files: Files, properties: object = {}): Promise<{ verdict: string; text: string }> {
  const directory = temporaryDirectory()
  put(directory, { ...BASE, 'proc/self/mountinfo': HOME, ...files })
  const target = machineIn(directory)
  const result = await auditResource(
    mount,
    { name: '/home', ...NODEV, ...properties },
    { workingDirectory: directory, target },
  )
  return { verdict: result.verdict, text: JSON.stringify(result) }
}

test.each<[string, Files]>([
  ['garbled', { 'proc/self/mountinfo': '27 1 254:0 / /home rw,nodev\n' }],
  ['empty', { 'proc/self/mountinfo': '' }],
])('a mountinfo that is %s is unknown, not "nothing is mounted"', async (_title, files) => {
  const wanted = { if_absent: 'compliant' }
  expect(await audited({ ...FSTAB, ...files }, wanted)).toMatchObject({ verdict: 'error' })
})

test('a hidden /proc is unknown, not "nothing is mounted"', async () => {
  const directory = temporaryDirectory()
  put(directory, { ...BASE, ...FSTAB })
  const target = machineIn(directory)
  const wanted = { name: '/home', ...NODEV, if_absent: 'compliant' }
  const result = await auditResource(mount, wanted, { workingDirectory: directory, target })
  expect(result).toMatchObject({ verdict: 'error' })
})

test('the mount of the root is unknown without an entry in fstab', async () => {
  const root = { name: '/', options: { includes: ['relatime'] } }
  expect(await audited({}, root)).toMatchObject({ verdict: 'error', text: expect.stringContaining('boot loader') })
  const fstab = { 'etc/fstab': '/dev/vda / ext4 relatime,noauto 0 1\n' }
  expect(await audited(fstab, root)).toMatchObject({ verdict: 'compliant' })
})

test('an unreadable fstab makes the stored options unknown', async () => {
  const directory = temporaryDirectory()
  // A directory in its place cannot be read, not even by root.
  put(directory, { ...BASE, 'proc/self/mountinfo': HOME, [join('etc/fstab', 'x')]: '' })
  const target = machineIn(directory)
  const result = await auditResource(mount, { name: '/home', ...NODEV }, { workingDirectory: directory, target })
  expect(result).toMatchObject({ verdict: 'error', unknown: [{ property: 'stored_options' }] })
})

test('the first line counts where systemd mounts, the last where nothing but mount -a does', async () => {
  const twice = { 'etc/fstab': '/dev/vdb /home ext4 defaults\n/dev/vdc /home/ ext4 nodev\n' }
  const stored = { options: { includes: ['nosuid'] }, stored_options: { includes: ['nodev'] } }
  expect(await audited(twice, stored)).toMatchObject({
    verdict: 'drifted',
    text: expect.stringContaining('set by /etc/fstab:1'),
  })
  const directory = temporaryDirectory()
  put(directory, { ...twice, 'proc/self/mountinfo': HOME })
  const result = await auditResource(
    mount,
    { name: '/home', ...stored },
    { workingDirectory: directory, target: machineIn(directory) },
  )
  expect(result).toMatchObject({ verdict: 'compliant' })
})

test('a boot argument mounts a path without an entry, and may disable fstab', async () => {
  const extra = 'quiet systemd.mount-extra=/dev/vdb:/home:ext4:nodev,nosuid\n'
  expect(await audited({ 'proc/cmdline': extra })).toMatchObject({ verdict: 'compliant' })
  const bare = { 'proc/cmdline': 'systemd.mount-extra=/dev/vdb:/home\n' }
  expect(await audited(bare)).toMatchObject({ verdict: 'drifted', text: expect.stringContaining('/proc/cmdline:1') })
  expect(await audited({ ...FSTAB, 'proc/cmdline': 'fstab=no\n' })).toMatchObject({
    verdict: 'drifted',
    text: expect.stringContaining('no fstab entry or mount unit mounts it'),
  })
})
