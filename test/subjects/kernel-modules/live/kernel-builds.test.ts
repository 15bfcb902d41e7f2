import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { Reading } from '../../../../src/model/observation.ts'
import { openKernelBuilds } from '../../../../src/subjects/kernel-modules/live/kernel-builds.ts'
import { put } from '../../../support/contract.ts'
import { temporaryDirectory } from '../../../support/temporary.ts'

type Contents = Parameters<typeof put>[1]

const YES = 'CONFIG_A=y\n'
const NO = 'CONFIG_B=y\n'

function builds(files: Contents) {
  const root = temporaryDirectory()
  put(root, files)
  return { root, builds: openKernelBuilds({ root, release: '6.1.0' }) }
}

function valueOf<Value>(reading: Reading<Value>): Value {
  if (reading.kind === 'unknown') throw new Error(reading.detail)
  return reading.value
}

test.each<[string, Contents]>([
  ['/boot/config-6.1.0', { 'boot/config-6.1.0': YES, 'lib/modules/6.1.0/config': NO }],
  ['/lib/modules/6.1.0/config', { 'lib/modules/6.1.0/config': YES, 'lib/modules/6.1.0/build/.config': NO }],
  ['/lib/modules/6.1.0/build/.config', { 'lib/modules/6.1.0/build/.config': YES, 'boot/config-6.2.0': NO }],
])('the running kernel is told by %s', async (file, files) => {
  const build = valueOf(await builds(files).builds.running())
  expect(build).toMatchObject({ file, release: '6.1.0' })
  expect([...build.options]).toEqual([['CONFIG_A', 'y']])
})

test('the configuration in /proc has precedence over files', async () => {
  const { root, builds: kernels } = builds({ 'boot/config-6.1.0': NO, 'proc/config': YES })
  execFileSync('gzip', [join(root, 'proc/config')])
  expect(valueOf(await kernels.running()).file).toBe('/proc/config.gz')
})

test.each<[string, Contents, string, string]>([
  ['nowhere', {}, 'not-observable', 'not found in /proc/config.gz, /boot/config-6.1.0'],
  ['not compressed', { 'proc/config.gz': YES, 'boot/config-6.1.0': YES }, 'invalid', '/proc/config.gz'],
  ['garbled', { 'boot/config-6.1.0': 'what?\n', 'lib/modules/6.1.0/config': YES }, 'invalid', '/boot/config-6.1.0:1'],
])('%s is unknown', async (_, files, reason, detail) => {
  expect(await builds(files).builds.running()).toMatchObject({
    kind: 'unknown',
    reason,
    detail: expect.stringContaining(detail),
  })
})

test('a compressed one that is cut off is unknown', async () => {
  const { root, builds: kernels } = builds({ 'boot/config-6.1.0': YES })
  const { writeFileSync, mkdirSync } = await import('node:fs')
  mkdirSync(join(root, 'proc'))
  writeFileSync(join(root, 'proc/config.gz'), gzipSync(YES.repeat(1000)).subarray(0, 40))
  expect(await kernels.running()).toMatchObject({ kind: 'unknown', reason: 'invalid' })
})

test('kernels beside the running one, by their images', async () => {
  const { builds: kernels } = builds({
    'boot/vmlinuz-6.1.0': '',
    'boot/vmlinuz-6.2.0': '',
    'boot/config-6.2.0': NO,
    'boot/initrd.img-6.2.0': '',
    'lib/modules/6.3.0/vmlinuz': '',
    'lib/modules/6.3.0/config': YES,
    'lib/modules/6.4.0/modules.dep': '',
  })
  expect(valueOf(await kernels.installed()).map(({ release, file }) => [release, file])).toEqual([
    ['6.2.0', '/boot/config-6.2.0'],
    ['6.3.0', '/lib/modules/6.3.0/config'],
  ])
})

test('a kernel with an unknown configuration', async () => {
  const { builds: kernels } = builds({ 'boot/vmlinuz-6.2.0': '', 'boot/config-6.1.0': YES })
  expect(await kernels.installed()).toMatchObject({ kind: 'unknown', detail: expect.stringContaining('6.2.0') })
})

test('it is read once, and again once it was forgotten', async () => {
  const { root, builds: kernels } = builds({ 'boot/config-6.1.0': YES })
  await kernels.running()
  put(root, { 'boot/config-6.1.0': NO })
  expect(valueOf(await kernels.running()).options.has('CONFIG_A')).toBe(true)
  kernels.forget()
  expect(valueOf(await kernels.running()).options.has('CONFIG_A')).toBe(false)
})

const OWN = '/proc/config.gz'

test.skipIf(existsSync(OWN) ? undefined : `needs ${OWN}`)(
  `every option of this machine's kernel is as zcat and sed say (needs ${OWN})`,
  async () => {
    const script = `zcat ${OWN} | sed -n 's/^\\(CONFIG_[A-Za-z0-9_]*\\)=\\(.*\\)$/\\1 \\2/p'`
    const truth = execFileSync('sh', ['-c', script], { encoding: 'utf8' }).trim().split('\n')
    const { options } = valueOf(await openKernelBuilds().running())
    // Texts of a configuration have no backslashes, so their quotes are all there is to take away.
    const said = truth.map((line) => /^(\S+) "?(.*?)"?$/.exec(line)?.slice(1))
    expect(said.length).toBeGreaterThan(500)
    expect([...options]).toEqual(said)
  },
)
