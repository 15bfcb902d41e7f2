import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { expect, test } from 'vitest'
import { needsPrograms } from '../support/programs.ts'
import { needsRoot, temporaryDirectory } from '../support/temporary.ts'

/** Prints the digest of a package of Debian and an archive, made at the time that is the last argument. */
const MAKE = `import { createHash } from 'node:crypto'
  import { debOf } from './scripts/package/deb.mjs'
  import { gzipped, tarOf } from './scripts/package/tar.mjs'
  const now = Date.parse(process.argv.at(-1))
  Date.now = () => now
  globalThis.Date = class extends Date { constructor(...given) { super(...(given.length === 0 ? [now] : given)) } }
  const tree = [{ path: 'usr/bin/driftgate', mode: 0o755, bytes: Buffer.from('program') }]
  const info = { version: '1.2.3', commit: null, seconds: 1_700_000_000 }
  const bytes = [debOf(tree, { arch: 'x64', info }), gzipped(tarOf(tree, info.seconds))]
  console.log(createHash('sha256').update(Buffer.concat(bytes)).digest('hex'))`

function packagesAt(now: string): string {
  return execFileSync(process.execPath, ['--input-type=module', '-e', MAKE, now], { encoding: 'utf8' })
}

function containerfile(): readonly (readonly [instruction: string, ...words: string[]])[] {
  const lines = readFileSync('Containerfile', 'utf8').split('\n')
  return lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split(' ') as [string, ...string[]])
}

// Where a builder is installed test/artefacts builds it.
test('the Containerfile puts the package of Debian, and nothing else, into a Debian', () => {
  const name = "import('./scripts/package/deb.mjs').then(({ debName }) => console.log(debName('1.2.3', 'x64')))"
  const deb = execFileSync(process.execPath, ['-e', name], { encoding: 'utf8' }).trim()
  const [base, copy, install, ...start] = containerfile()
  expect(base).toEqual(['FROM', expect.stringMatching(/^docker\.io\/library\/debian:\d+-slim$/)])
  const [before = '', after = ''] = (copy?.[1] ?? '').split('*')
  expect([`packages/${deb}`.startsWith(before), `packages/${deb}`.endsWith(after)]).toEqual([true, true])
  const target = copy?.[2] ?? ''
  expect([copy?.[0], copy?.length, target]).toEqual(['COPY', 3, '/tmp/driftgate.deb'])
  expect(install).toEqual(['RUN', 'dpkg', '--install', target, '&&', 'rm', target])
  expect(start).toEqual([
    ['ENTRYPOINT', '["/usr/bin/driftgate"]'],
    ['CMD', '["--help"]'],
  ])
})

// That the program in them is the same is a test of the one file.
test('the same tree makes the same packages, whenever they are made', () => {
  expect(packagesAt('2026-01-01T00:00:00Z')).toMatch(/^[0-9a-f]{64}\n$/)
  expect(packagesAt('2026-01-01T00:00:00Z')).toBe(packagesAt('2031-05-05T05:05:05Z'))
})

/** Runs a script that imports from scripts/package, with arguments, and gives what it prints. */
function runScript(script: string, ...args: readonly string[]): string {
  return execFileSync(process.execPath, ['--input-type=module', '-e', script, ...args], { encoding: 'utf8' }).trim()
}

const MAKE_RPM = `import { rpmOf } from './scripts/package/rpm.mjs'
  const tree = [
    { path: 'usr/bin/driftgate', mode: 0o755, bytes: Buffer.from('program') },
    { path: 'lib/systemd/system/driftgate@.timer', mode: 0o644, bytes: Buffer.from('timer') },
    { path: 'var/lib/driftgate', mode: 0o700 },
  ]
  console.log(rpmOf(tree, { arch: 'x64', info: { version: '1.2.3-rc.1', seconds: 1_700_000_000 }, scratch: process.argv[1] }))`

test.skipIf(needsPrograms('rpmbuild', 'rpm') ?? needsRoot)('rpm installs and removes what rpmbuild packs', () => {
  const directory = temporaryDirectory()
  const root = join(directory, 'root')
  mkdirSync(root)
  const rpm = (...args: readonly string[]): string =>
    execFileSync('rpm', ['--root', root, '--dbpath', '/var/lib/rpm', ...args], { encoding: 'utf8', stdio: 'pipe' })
  mkdirSync(join(directory, 'scratch'))
  const path = runScript(MAKE_RPM, join(directory, 'scratch'))
  expect(path).toMatch(/\/driftgate-1\.2\.3~rc\.1-1\.x86_64\.rpm$/)
  // The root has neither the required libraries nor a shell for the scripts.
  rpm('--nodeps', '--noscripts', '--ignorearch', '--install', path)
  expect(rpm('--query', '--list', 'driftgate').trim().split('\n')).toEqual([
    '/usr/bin/driftgate',
    '/usr/lib/systemd/system/driftgate@.timer',
    '/var/lib/driftgate',
  ])
  expect(statSync(join(root, 'var/lib/driftgate')).mode & 0o7777).toBe(0o700)
  rpm('--noscripts', '--erase', 'driftgate')
  expect(existsSync(join(root, 'usr/bin/driftgate'))).toBe(false)
})

test('the bill of materials has each dependency of the lockfile, and Node', () => {
  const script = `import { sbomOf } from './scripts/package/sbom.mjs'
    console.log(sbomOf({ root: '.', info: { version: '1.2.3', seconds: null }, runtime: '24.0.0' }))`
  const { bomFormat, components } = JSON.parse(runScript(script)) as {
    bomFormat: string
    components: readonly { name: string; version: string; licenses: unknown }[]
  }
  const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { dependencies: Record<string, string> }
  const found = new Set(components.map(({ name, version }) => `${name}@${version}`))
  expect(bomFormat).toBe('CycloneDX')
  for (const [name, version] of Object.entries({ ...dependencies, node: '24.0.0' })) {
    expect(found).toContain(`${name}@${version}`)
  }
  expect(found.has('vitest@4.1.12')).toBe(false)
  expect(components.filter(({ licenses }) => licenses === undefined)).toEqual([])
})

test.skipIf(needsPrograms('openssl'))('openssl verifies the signature of the sums', () => {
  const directory = temporaryDirectory()
  const openssl = (...args: readonly string[]): string =>
    execFileSync('openssl', args, { cwd: directory, encoding: 'utf8', stdio: 'pipe' })
  openssl('genpkey', '-algorithm', 'ed25519', '-out', 'key.pem')
  openssl('pkey', '-in', 'key.pem', '-pubout', '-out', 'public.pem')
  writeFileSync(join(directory, 'SUMS'), 'sums\n')
  const script = `import { readFileSync, writeFileSync } from 'node:fs'
    import { signatureOf } from './scripts/package/sign.mjs'
    const file = (name) => process.argv[1] + '/' + name
    writeFileSync(file('SUMS.sig'), signatureOf(readFileSync(file('SUMS')), readFileSync(file('key.pem'), 'utf8')))`
  runScript(script, directory)
  const verify = [
    'pkeyutl',
    '-verify',
    '-pubin',
    '-inkey',
    'public.pem',
    '-rawin',
    '-in',
    'SUMS',
    '-sigfile',
    'SUMS.sig',
  ]
  expect(openssl(...verify)).toContain('Signature Verified Successfully')
  writeFileSync(join(directory, 'SUMS'), 'others\n')
  expect(() => openssl(...verify)).toThrow('Command failed')
})

test('a runtime with another digest is refused', () => {
  const script = `import { verify } from './scripts/package/runtime.mjs'
    verify(Buffer.from('node'), 'sha512-other', 'node.tgz')`
  expect(() => runScript(script)).toThrow('node.tgz has the digest sha512-')
})
