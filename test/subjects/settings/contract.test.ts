import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { settingType } from '../../../src/subjects/settings/index.ts'
import { loadSurfaces } from '../../../src/subjects/index.ts'
import { auditResource, type ContractScene, contractTests } from '../../../src/testing/index.ts'
import { needsRootToFix, put } from '../../support/contract.ts'
import { handsIn, machineIn } from '../../support/setting-machine.ts'
import { temporaryDirectory } from '../../support/temporary.ts'

const surfaces = await loadSurfaces()

const setting = settingType(surfaces)

type Files = Readonly<Record<string, string>>

function scene(title: string, state: ContractScene['state'], files: Files, properties: object): ContractScene {
  return {
    title,
    state,
    arrange(directory) {
      put(directory, files)
      return { name: 'login.defs:PASS_MAX_DAYS', ...properties }
    },
    target: machineIn,
    remediator: handsIn,
  }
}

const JOURNALD: Files = { 'usr/lib/systemd/systemd-journald': '' }

const ONE_OF_TWO = {
  name: 'either',
  any_of: { 'login.defs:PASS_MAX_DAYS': { at_most: '90', fix: '60' }, 'login.defs:PASS_MIN_DAYS': '1' },
}

const scenes: readonly ContractScene[] = [
  scene('the right value', 'compliant', { 'etc/login.defs': 'PASS_MAX_DAYS 90\n' }, { value: { at_most: '365' } }),
  scene('another value', 'fixable', { 'etc/login.defs': 'PASS_MAX_DAYS 99999\n' }, { value: { at_most: '365' } }),
  scene('a default that is right', 'compliant', JOURNALD, { name: 'journald:Compress', value: 'yes' }),
  scene('a default that has to be written', 'fixable', JOURNALD, {
    name: 'journald:Compress',
    value: 'yes',
    explicit: true,
  }),
  scene('a program that is not there', 'unfixable', {}, { name: 'journald:Compress', value: 'yes' }),
  scene(
    'a program that may be missing',
    'compliant',
    {},
    {
      name: 'journald:Compress',
      value: 'yes',
      if_absent: 'compliant',
    },
  ),
  scene(
    'a file with a format',
    'fixable',
    { 'etc/app.ini': '[main]\ncolour=blue\n' },
    {
      name: '/etc/app.ini:main.colour',
      format: 'ini',
      value: 'red',
    },
  ),
  scene(
    'a key that is not wanted',
    'fixable',
    { 'etc/app.ini': '[main]\ncolour=blue\n' },
    {
      name: '/etc/app.ini:main.colour',
      format: 'ini',
      ensure: 'absent',
    },
  ),
  scene(
    'one of two settings is compliant',
    'compliant',
    { 'etc/login.defs': 'PASS_MAX_DAYS 90\nUMASK 077\n' },
    ONE_OF_TWO,
  ),
  scene('none of two settings is compliant', 'fixable', { 'etc/login.defs': 'PASS_MAX_DAYS 99\n' }, ONE_OF_TWO),
  scene(
    'none of two settings is present',
    'unfixable',
    { 'etc/login.defs': '' },
    {
      name: 'either',
      any_of: { 'login.defs:PASS_MAX_DAYS': '90', 'login.defs:PASS_MIN_DAYS': '1' },
    },
  ),
]

const FIXED_AS_ROOT = ['a default that has to be written']

for (const { name, run } of contractTests(setting, { scenes }))
  test.skipIf(needsRootToFix(name, FIXED_AS_ROOT))(name, run)

test('a link to /dev/null hides a drop-in, and a link to nowhere may', async () => {
  const files = {
    ...JOURNALD,
    'usr/lib/systemd/journald.conf.d/a.conf': '[Journal]\nStorage=none\n',
    'etc/systemd/journald.conf.d/b.conf': '',
  }
  const look = (directory: string): ReturnType<typeof auditResource> =>
    auditResource(
      setting,
      { name: 'journald:Storage', value: 'auto' },
      { workingDirectory: directory, target: machineIn(directory) },
    )
  const hidden = temporaryDirectory()
  put(hidden, files)
  await expect(look(hidden)).resolves.toMatchObject({ verdict: 'drifted' })
  symlinkSync('/dev/null', join(hidden, 'etc/systemd/journald.conf.d/a.conf'))
  await expect(look(hidden)).resolves.toMatchObject({ verdict: 'compliant' })
  const dangling = temporaryDirectory()
  put(dangling, files)
  symlinkSync('/nowhere', join(dangling, 'etc/systemd/journald.conf.d/a.conf'))
  await expect(look(dangling)).resolves.toMatchObject({ verdict: 'error', reason: 'invalid' })
})

test('a main file that is a link is not replaced', async () => {
  const directory = temporaryDirectory()
  put(directory, { 'etc/vendor.defs': 'PASS_MAX_DAYS 99999\n' })
  symlinkSync('vendor.defs', join(directory, 'etc/login.defs'))
  const result = await auditResource(
    setting,
    { name: 'login.defs:PASS_MAX_DAYS', value: '365' },
    { workingDirectory: directory, target: machineIn(directory) },
  )
  expect(result).toMatchObject({ verdict: 'drifted', change: 'cannot' })
})
