import { execFileSync } from 'node:child_process'
import { chmodSync, readFileSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { packBundle, type PackOptions } from '../../../src/policy/fetch/pack-bundle.ts'
import { seedOf } from '../../../src/fleet/nats/nkey.ts'
import { makeKey, makeKeys } from '../../../src/host/signing/keys.ts'
import { filesIn, pack } from '../../support/bundles.ts'
import { temporaryDirectory } from '../../support/temporary.ts'

async function packed(source: string, options?: PackOptions): Promise<Uint8Array> {
  const result = await packBundle(source, options)
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

const SITE = 'policy: { id: site }\n'

/** What a policy names, as its line 3 would. */
function naming(folder: string, ...paths: readonly string[]) {
  return { named: paths.map((path) => ({ path: join(folder, path), by: 'site.yaml:3' })) }
}

test('a policy is packed first, followed only by the files that it names', async () => {
  const folder = filesIn({
    'site.yaml': 'see extra.yaml, more.yaml and secret.yaml',
    'extra.yaml': 'see more.yaml',
    'more.yaml': 'a',
    'files/motd': 'Welcome',
    'files/.profile': '',
    'secret.yaml': 'not for others',
  })
  chmodSync(join(folder, 'extra.yaml'), 0o755)
  const options = naming(folder, 'extra.yaml', 'files', 'missing.yaml')
  const result = await packBundle(join(folder, 'site.yaml'), options)
  expect(result).toMatchObject({ leftOut: [] })
  expect(listed(await packed(join(folder, 'site.yaml'), options))).toEqual([
    '-rw-r--r-- 0/0 41 1970-01-01 00:00:00 manifest.yaml',
    '-rwxr-xr-x 0/0 13 1970-01-01 00:00:00 extra.yaml',
    '-rw-r--r-- 0/0 0 1970-01-01 00:00:00 files/.profile',
    '-rw-r--r-- 0/0 7 1970-01-01 00:00:00 files/motd',
  ])
})

/** A private key of another format each. */
const KEYS = {
  'policy.pem': makeKeys().privatePem,
  'ssh.txt': '-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl',
  'pgp.asc': '-----BEGIN PGP PRIVATE KEY BLOCK-----\n',
  'putty.ppk': 'PuTTY-User-Key-File-3: ssh-ed25519\n',
  'nats.nk': `${seedOf(makeKey())}\n`,
  'context.creds': `-----BEGIN USER NKEY SEED-----\n${seedOf(makeKey())}\n`,
}

const makeWritable: Readonly<Record<string, (path: string) => void>> = {
  ...Object.fromEntries(
    Object.entries(KEYS).map(([name, text]) => [name, (path: string) => writeFileSync(path, text)]),
  ),
  'key.der': (path) => writeFileSync(path, makeKey().export({ type: 'pkcs8', format: 'der' })),
  // RFC 7292, section 4
  'store.bin': (path) => writeFileSync(path, Buffer.from('3082098602010330820944', 'hex')),
  '.env': (path) => writeFileSync(path, 'PASSWORD=x'),
  'prod.env': (path) => writeFileSync(path, 'PASSWORD=x'),
  'store.p12': (path) => writeFileSync(path, 'x'),
  tool: (path) => {
    writeFileSync(path, '')
    chmodSync(path, 0o4755)
  },
  mine: (path) => {
    writeFileSync(path, '')
    chmodSync(path, 0o600)
  },
  'closed/open': (path) => {
    writeFileSync(path, '')
    chmodSync(dirname(path), 0o700)
  },
}

test.each(Object.entries(makeWritable))(
  '%s is private: left out of folders, packed only if allowed',
  async (name, make) => {
    const folder = filesIn({ 'site.yaml': SITE, 'closed/plain': '' })
    make(join(folder, name))
    expect(await packBundle(join(folder, 'site.yaml'), naming(folder, name))).toEqual({
      message: expect.stringContaining(`${name} (site.yaml:3) would be sent to every host, and `),
    })
    const allowPrivate = [join(folder, name)]
    const allowed = await packBundle(join(folder, 'site.yaml'), { ...naming(folder, name), allowPrivate })
    expect(allowed).toMatchObject({ entries: [{ path: 'manifest.yaml' }, { path: name, by: 'site.yaml:3' }] })
    const unnamed = await packBundle(join(folder, 'site.yaml'), { allowPrivate })
    expect(unnamed).toEqual({ message: expect.stringContaining('is not a private file of the policy') })
    const whole = await packBundle(folder)
    expect('entries' in whole && whole.entries.map(({ path }) => path)).not.toContain(name)
    if (!name.startsWith('.'))
      expect(whole).toHaveProperty('leftOut', expect.arrayContaining([expect.objectContaining({ path: name })]))
  },
)

test('a link to a key, a policy with a key in it and a bundle with a key are private, too', async () => {
  const key = KEYS['policy.pem']
  const folder = filesIn({ 'site.yaml': SITE, 'keys/policy.pem': key, 'own.yaml': `${SITE}# ${key}` })
  symlinkSync('keys/policy.pem', join(folder, 'motd'))
  const message = expect.stringContaining('it contains a private key')
  expect(await packBundle(join(folder, 'site.yaml'), naming(folder, 'motd'))).toEqual({ message })
  expect(await packBundle(join(folder, 'own.yaml'))).toEqual({ message })
  const archive = pack('site.tar.gz', { 'manifest.yaml': SITE, 'files/host.pem': key })
  expect(await packBundle(archive)).toEqual({ message })
  expect(await packBundle(archive, { allowPrivate: ['files/host.pem'] })).toHaveProperty('bytes')
})

test('a folder is packed whole', async () => {
  const folder = filesIn({ 'a.txt': '', 'manifest.yaml': 'x', 'node_modules/y': '' })
  expect(listed(await packed(folder)).map((line) => line.split(' ').at(-1))).toEqual(['manifest.yaml', 'a.txt'])
})

test('the same files make the same bytes, wherever and whenever they were written', async () => {
  const files = { 'site.yaml': SITE, 'extra.yaml': '', 'files/motd': '1', [`files/${'long/'.repeat(40)}name`]: '2' }
  const [one, other] = [filesIn(files), filesIn(Object.fromEntries(Object.entries(files).toReversed()))]
  utimesSync(join(other, 'extra.yaml'), 1, 1)
  chmodSync(join(other, 'extra.yaml'), 0o640)
  const bytes = await packed(join(one, 'site.yaml'), naming(one, 'extra.yaml', 'files'))
  expect(Buffer.compare(bytes, await packed(join(other, 'site.yaml'), naming(other, 'files', 'extra.yaml')))).toBe(0)
  // The first line of it names neither a time nor a system.
  expect([...bytes.subarray(3, 10)]).toEqual([0, 0, 0, 0, 0, 2, 255])
  expect(listed(bytes).some((line) => line.endsWith(`files/${'long/'.repeat(40)}name`))).toBe(true)
})

test('a bundle is taken as it is', async () => {
  const archive = pack('site.tar.gz', { 'manifest.yaml': 'x' })
  expect(Buffer.compare(await packed(archive), readFileSync(archive))).toBe(0)
})

test('links become their targets, and a link out of the folder is refused', async () => {
  const folder = filesIn({ 'site.yaml': SITE, 'real.yaml': 'real', 'files/motd': '' })
  symlinkSync('real.yaml', join(folder, 'extra.yaml'))
  symlinkSync('..', join(folder, 'files/loop'))
  const named = naming(folder, 'extra.yaml', 'files')
  expect(listed(await packed(join(folder, 'site.yaml'), named)).join('\n')).toContain(
    '4 1970-01-01 00:00:00 extra.yaml',
  )
  symlinkSync('/etc/passwd', join(folder, 'files/users'))
  expect(await packBundle(join(folder, 'site.yaml'), named)).toEqual({
    message: `${join(folder, 'site.yaml')} cannot be packed: files/users is outside its directory`,
  })
})

test.each([
  ['-', 'name a policy or a bundle on this host'],
  ['https://example.com/site.tar.gz', 'name a policy or a bundle on this host'],
  ['/nowhere/site.yaml', 'no such file or directory'],
  ['site.zip', 'only bundles named .tar.gz or .tgz are supported here'],
])('%s is not packed', async (source, reason) => {
  expect(await packBundle(source)).toEqual({ message: `${source} cannot be packed: ${reason}` })
})

test('a policy beside another manifest.yaml that it needs is not packed', async () => {
  const folder = filesIn({ 'site.yaml': 'apply: manifest.yaml', 'manifest.yaml': 'x' })
  expect(await packBundle(join(folder, 'site.yaml'), naming(folder, 'manifest.yaml'))).toEqual({
    message: expect.stringContaining(
      'its directory contains another manifest.yaml, and a bundle has one: name the directory',
    ),
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
