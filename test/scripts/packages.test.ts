import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import process from 'node:process'
import { expect, test } from 'vitest'

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

/** The words of each instruction of the Containerfile. */
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
