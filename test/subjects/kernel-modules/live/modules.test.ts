import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { known, type Reading, unknown } from '../../../../src/model/observation.ts'
import { openKernelModules } from '../../../../src/subjects/kernel-modules/live/modules.ts'
import { createLocalProbe } from '../../../../src/host/live/probe.ts'
import { readRealPath } from '../../../../src/host/live/tree-reader.ts'
import type { ModuleConfiguration, ModuleStatus } from '../../../../src/subjects/kernel-modules/kernel-modules.ts'
import { moduleMachine } from '../../../support/module-machine.ts'
import { temporaryDirectory } from '../../../support/temporary.ts'

const DENIED = unknown('permission-denied', 'nobody may see this')

/** The machine with these files more, without those below `without`, and where those in `denied` cannot be read. */
function statusOf(
  name: string,
  files: Readonly<Record<string, string>> = {},
  {
    without = [],
    denied = [],
    arrange,
  }: { without?: string[]; denied?: string[]; arrange?: (root: string) => void } = {},
): ModuleStatus {
  const root = temporaryDirectory()
  moduleMachine(root, files)
  for (const path of without) rmSync(join(root, path), { recursive: true })
  arrange?.(root)
  const probe = createLocalProbe()
  const guarded = <Value>(path: string, read: () => Reading<Value>): Reading<Value> =>
    denied.some((each) => path === join(root, each)) ? DENIED : read()
  const modules = openKernelModules({
    probe: {
      ...probe,
      readText: (path) => guarded(path, () => probe.readText(path)),
      list: (path) => guarded(path, () => probe.list(path)),
    },
    realPath: readRealPath,
    place: { root, release: '6.1.0', searchPath: '' },
  })
  const status = modules.status(name)
  if (status.kind === 'unknown') throw new Error(status.detail)
  return status.value
}

function configurationOf(name: string, files: Readonly<Record<string, string>>): ModuleConfiguration {
  const { configuration } = statusOf(name, files)
  if (configuration.kind === 'unknown') throw new Error(configuration.detail)
  return configuration.value
}

test('a module that could be loaded, whichever way it is packed and written', () => {
  for (const name of ['cramfs', 'usb-storage', 'usb_storage', 'ext4']) {
    expect(statusOf(name).place, name).toEqual(known('loadable'))
  }
  expect(statusOf('overlayfs').place).toEqual(known('absent'))
  expect(statusOf('crc16').place, 'what another one needs is no entry of its own').toEqual(known('absent'))
})

test('a built-in module is part of the kernel, with parameters and without', () => {
  const builtIn = known({ kind: 'built-in' })
  expect(statusOf('fuse')).toMatchObject({ place: known('built-in'), presence: builtIn })
  const shown = statusOf('loop', { 'sys/module/loop/parameters/max_loop': '8\n' }, { without: ['lib'] })
  expect(shown).toMatchObject({ place: known('built-in'), presence: builtIn })
})

test('a loaded module is in one of two lists', () => {
  const listed = { 'proc/modules': 'nf_nat 49152 2 xt_nat,nft_chain_nat, Live 0x0\nodd 1 - - Live 0x0\n' }
  expect(statusOf('nf-nat', listed).presence).toEqual(
    known({ kind: 'loaded', references: 2, holders: ['xt_nat', 'nft_chain_nat'] }),
  )
  expect(statusOf('odd', listed).presence).toEqual(known({ kind: 'loaded', references: undefined, holders: [] }))
  const shown = {
    'sys/module/cramfs/initstate': 'live\n',
    'sys/module/cramfs/refcnt': '1\n',
    'sys/module/cramfs/holders/user': '',
  }
  expect(statusOf('cramfs', shown).presence).toEqual(known({ kind: 'loaded', references: 1, holders: ['user'] }))
  expect(statusOf('cramfs').presence).toEqual(known({ kind: 'not-loaded' }))
})

test.each([
  ['the list is hidden and nothing else tells', { denied: ['proc/modules'] }],
  ['the directories are hidden', { denied: ['sys/module'] }],
  ['neither of them exists', { without: ['proc/modules', 'sys/module'] }],
  ['the built-in modules are unknown', { without: ['lib/modules'] }],
  ['the list of built-in modules is unreadable', { denied: ['lib/modules/6.1.0/modules.builtin'] }],
])('whether a module is loaded is unknown where %s', (_, machine) => {
  expect(statusOf('cramfs', {}, machine).presence.kind).toBe('unknown')
})

test('an empty list tells nothing, as one that a container has covered', () => {
  const covered = { 'proc/modules': '' }
  expect(statusOf('cramfs', covered, { without: ['sys'] }).presence.kind).toBe('unknown')
  expect(statusOf('cramfs', covered).presence).toEqual(known({ kind: 'not-loaded' }))
})

test('a listed module is loaded, with any other file hidden', () => {
  const { presence, place } = statusOf('ext4', {}, { denied: ['sys/module'], without: ['lib/modules'] })
  expect(presence).toMatchObject(known({ kind: 'loaded' }))
  expect(place.kind).toBe('unknown')
})

test.each([
  ['no list of modules', 'cramfs', { without: ['lib/modules/6.1.0/modules.dep'] }],
  ['an unreadable list', 'cramfs', { denied: ['lib/modules/6.1.0/modules.dep'] }],
  ['no aliases, and an unknown name', 'other', { without: ['lib/modules/6.1.0/modules.alias'] }],
  ['unreadable configuration, and an unknown name', 'other', { denied: ['etc/modprobe.d'] }],
])('whether a module could be loaded is unknown with %s', (_, name, machine) => {
  expect(statusOf(name, {}, machine).place.kind).toBe('unknown')
})

test.each([
  ['the kernel', {}, 'fs-cramfs', 'cramfs'],
  ['the configuration', { 'etc/modprobe.d/a.conf': 'alias my-* ext4\n' }, 'my-disk', 'ext4'],
])('an alias of %s is not taken for a module that does not exist', (_, files, name, module) => {
  const written = name.replaceAll('-', '_')
  expect(statusOf(name, files).place).toEqual(unknown('invalid', `${written} is an alias; name the module ${module}`))
})

test('files are read in the order of their names, and the first directory that has a name wins', () => {
  const { install, masked } = configurationOf('cramfs', {
    'lib/modprobe.d/a.conf': 'install cramfs /bin/true\n',
    'lib/modprobe.d/b.conf': '\ninstall cramfs /bin/b\n',
    'run/modprobe.d/c.conf': 'install cramfs /bin/c\n',
    'etc/modprobe.d/b.conf': 'install other /bin/false\n',
    'etc/modprobe.d/d.txt': 'install cramfs /bin/never\n',
    'usr/local/lib/modprobe.d/0.conf': 'install c?amfs /bin/0\n',
  })
  expect(install.map(({ file, line, command }) => `${file}:${line} ${command}`)).toEqual([
    '/usr/local/lib/modprobe.d/0.conf:1 /bin/0',
    '/lib/modprobe.d/a.conf:1 /bin/true',
    '/run/modprobe.d/c.conf:1 /bin/c',
  ])
  expect(masked).toEqual([{ file: '/lib/modprobe.d/b.conf', line: 2, command: '/bin/b', by: '/etc/modprobe.d/b.conf' }])
})

test('a link to /dev/null is an empty file', () => {
  const { configuration } = statusOf(
    'cramfs',
    { 'lib/modprobe.d/a.conf': 'install cramfs /bin/false\n' },
    {
      arrange(root) {
        mkdirSync(join(root, 'etc/modprobe.d'), { recursive: true })
        symlinkSync('/dev/null', join(root, 'etc/modprobe.d/a.conf'))
      },
    },
  )
  expect(configuration).toMatchObject(known({ install: [], masked: [{ by: '/etc/modprobe.d/a.conf' }] }))
})

test.each([
  ['a file of it', { denied: ['etc/modprobe.d/a.conf'] }],
  ['one of its directories', { denied: ['run/modprobe.d'] }],
])('the configuration is unknown where %s cannot be read', (_, machine) => {
  const { configuration } = statusOf('cramfs', { 'etc/modprobe.d/a.conf': '' }, machine)
  expect(configuration).toEqual(DENIED)
})

test('a directory that only some versions of modprobe read makes it unknown', () => {
  const files = { 'usr/lib/modprobe.d/a.conf': 'install cramfs /bin/false\n' }
  expect(statusOf('cramfs', files).configuration.kind).toBe('unknown')
  const merged = statusOf('cramfs', files, {
    arrange(root) {
      mkdirSync(join(root, 'lib'), { recursive: true })
      symlinkSync('../usr/lib/modprobe.d', join(root, 'lib/modprobe.d'))
    },
  })
  expect(merged.configuration).toMatchObject(known({ install: [{ file: '/lib/modprobe.d/a.conf' }] }))
})

test('modules that the boot arguments refuse', () => {
  const refused = (cmdline: string, name = 'usb-storage') => statusOf(name, { 'proc/cmdline': cmdline }).isRefused
  expect(refused('ro quiet\n')).toEqual(known(false))
  expect(refused('ro module_blacklist=cramfs,usb_storage quiet\n')).toEqual(known(true))
  expect(refused('"module_blacklist=usb_storage"\n')).toEqual(known(true))
  // The kernel compares to the letter, and the last one counts.
  expect(refused('module_blacklist=usb-storage\n')).toEqual(known(false))
  expect(refused('module_blacklist=usb_storage module_blacklist=cramfs\n')).toEqual(known(false))
  expect(refused('xmodule_blacklist=usb_storage\n')).toEqual(known(false))
  expect(statusOf('cramfs', {}, { denied: ['proc/cmdline'] }).isRefused).toEqual(DENIED)
})

test('the kernel tells whether it still loads anything', () => {
  expect(statusOf('cramfs').isLocked).toEqual(known(false))
  expect(statusOf('cramfs', { 'proc/sys/kernel/modules_disabled': '1\n' }).isLocked).toEqual(known(true))
  expect(statusOf('cramfs', {}, { denied: ['proc/sys/kernel/modules_disabled'] }).isLocked).toEqual(DENIED)
})
