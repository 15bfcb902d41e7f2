import { execFileSync } from 'node:child_process'
import { chmodSync, readFileSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { packBundle } from '../../src/fetch/pack-bundle.ts'
import { filesIn, pack } from '../support/bundles.ts'
import { temporaryDirectory } from '../support/temporary.ts'

async function packed(source: string): Promise<Uint8Array> {
  const result = await packBundle(source)
  if ('message' in result) throw new Error(result.message)
  return result.bytes
}

/** What GNU tar finds in a bundle, with modes, in its order. */
function listed(bytes: Uint8Array): readonly string[] {
  const archive = join(temporaryDirectory(), 'bundle.tar.gz')
  writeFileSync(archive, bytes)
  return execFileSync('tar', ['--numeric-owner', '--full-time', '-tvzf', archive], {
    encoding: 'utf8',
    env: { TZ: 'UTC' },
  })
    .trim()
    .split('\n')
    .map((line) => line.replaceAll(/ +/g, ' '))
}

const SITE = 'resources: files/motd and extra.yaml'

test('a policy is packed first, with what it mentions and what that mentions, and with nothing else', async () => {
  const folder = filesIn({
    'site.yaml': SITE,
    'extra.yaml': 'see more.yaml',
    'more.yaml': 'a',
    'files/motd': 'Welcome',
    'files/.hidden': '',
    'secret.yaml': 'not for others',
  })
  chmodSync(join(folder, 'files/motd'), 0o4777)
  expect(listed(await packed(join(folder, 'site.yaml')))).toEqual([
    `-rw-r--r-- 0/0 ${SITE.length} 1970-01-01 00:00:00 manifest.yaml`,
    '-rw-r--r-- 0/0 13 1970-01-01 00:00:00 extra.yaml',
    '-rwxr-xr-x 0/0 7 1970-01-01 00:00:00 files/motd',
    '-rw-r--r-- 0/0 1 1970-01-01 00:00:00 more.yaml',
  ])
})

test('a folder is packed whole', async () => {
  const folder = filesIn({ 'a.txt': '', 'manifest.yaml': 'x', 'node_modules/y': '' })
  expect(listed(await packed(folder)).map((line) => line.split(' ').at(-1))).toEqual(['manifest.yaml', 'a.txt'])
})

test('the same files make the same bytes, wherever and whenever they were written', async () => {
  const files = { 'site.yaml': SITE, 'extra.yaml': '', 'files/motd': '1', [`files/${'long/'.repeat(40)}name`]: '2' }
  const [one, other] = [filesIn(files), filesIn(Object.fromEntries(Object.entries(files).toReversed()))]
  utimesSync(join(other, 'extra.yaml'), 1, 1)
  chmodSync(join(other, 'extra.yaml'), 0o600)
  const bytes = await packed(join(one, 'site.yaml'))
  expect(Buffer.compare(bytes, await packed(join(other, 'site.yaml')))).toBe(0)
  // The first line of it names neither a time nor a system.
  expect([...bytes.subarray(3, 10)]).toEqual([0, 0, 0, 0, 0, 2, 255])
  expect(listed(bytes).some((line) => line.endsWith(`files/${'long/'.repeat(40)}name`))).toBe(true)
})

test('a bundle is taken as it is', async () => {
  const archive = pack('site.tar.gz', { 'manifest.yaml': 'x' })
  expect(Buffer.compare(await packed(archive), readFileSync(archive))).toBe(0)
})

test('links become what they lead to, and none leads out of the folder', async () => {
  const folder = filesIn({ 'site.yaml': SITE, 'real.yaml': 'real', 'files/motd': '' })
  symlinkSync('real.yaml', join(folder, 'extra.yaml'))
  symlinkSync('..', join(folder, 'files/loop'))
  expect(listed(await packed(join(folder, 'site.yaml'))).join('\n')).toContain('4 1970-01-01 00:00:00 extra.yaml')
  symlinkSync('/etc/passwd', join(folder, 'files/users'))
  expect(await packBundle(join(folder, 'site.yaml'))).toEqual({
    message: `${join(folder, 'site.yaml')} cannot be packed: files/users leads out of its folder`,
  })
})

test.each([
  ['-', 'name a policy or a bundle that lies on this machine'],
  ['https://example.com/site.tar.gz', 'name a policy or a bundle that lies on this machine'],
  ['/nowhere/site.yaml', 'no such file or directory'],
  ['site.zip', 'of bundles only those called .tar.gz or .tgz are known here'],
])('%s is not packed', async (source, reason) => {
  expect(await packBundle(source)).toEqual({ message: `${source} cannot be packed: ${reason}` })
})

test('a policy beside another manifest.yaml that it needs is not packed', async () => {
  const folder = filesIn({ 'site.yaml': 'apply: manifest.yaml', 'manifest.yaml': 'x' })
  expect(await packBundle(join(folder, 'site.yaml'))).toEqual({
    message: expect.stringContaining('its folder holds another manifest.yaml, and a bundle has one: name the folder'),
  })
})

test('a policy that does not ship is not packed', async () => {
  expect(await packBundle('@nothing-of-this-name')).toHaveProperty('message')
  expect(await packBundle('@ssh')).toHaveProperty('bytes')
})

test('more than a bundle may hold is refused', async () => {
  const folder = filesIn({ 'manifest.yaml': 'x' })
  for (const name of ['one', 'other']) {
    writeFileSync(join(folder, name), '')
    truncateSync(join(folder, name), 40 * 1024 * 1024)
  }
  expect(await packBundle(folder)).toEqual({ message: expect.stringContaining('more than 10000 files or 64 MiB') })
})
