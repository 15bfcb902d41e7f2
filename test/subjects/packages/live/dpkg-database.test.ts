import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { PackageInstance } from '../../../../src/subjects/packages/packages.ts'
import { openDpkgDatabase } from '../../../../src/subjects/packages/live/dpkg-database.ts'
import { needsRoot, temporaryDirectory } from '../../../support/temporary.ts'
import { runAsNobody } from '../../../support/unprivileged.ts'

const needsDpkg = spawnSync('dpkg-query', ['--version']).status === 0 ? undefined : 'needs dpkg'

interface Stanza {
  readonly name: string
  readonly state?: string
  readonly version?: string
  readonly architecture?: string
  readonly selection?: string
}

function stanza({
  name,
  state = 'installed',
  version = '1.0-1',
  architecture = 'amd64',
  selection = 'install',
}: Stanza): string {
  return `Package: ${name}\nStatus: ${selection} ok ${state}\nMaintainer: Nobody <nobody@example.com>\nArchitecture: ${architecture}\nVersion: ${version}\nDescription: none\n\n`
}

const DPKG: Stanza = { name: 'dpkg' }

/** A database with these packages beside dpkg, which has the machine's architecture. */
function makeDatabase(...packages: readonly Stanza[]): string {
  const directory = temporaryDirectory()
  mkdirSync(join(directory, 'updates'))
  mkdirSync(join(directory, 'info'))
  writeFileSync(join(directory, 'status'), [DPKG, ...packages].map(stanza).join(''))
  return directory
}

function find(directory: string, name: string): unknown {
  const found = openDpkgDatabase(directory).find(name)
  return found.kind === 'unknown' ? found : found.value.map(brief)
}

function brief({ id, state, version, native }: PackageInstance): string {
  return `${id} ${version} ${state}${native ? '' : ' foreign'}`
}

test.skipIf(needsDpkg)('agrees with dpkg-query about all packages of this machine', () => {
  const format = '${Package}\t${Version}\t${Architecture}\t${db:Status-Status}\n'
  const { stdout } = spawnSync('dpkg-query', ['-W', '-f', format], { encoding: 'utf8', maxBuffer: 2 ** 28 })
  const native = spawnSync('dpkg', ['--print-architecture'], { encoding: 'utf8' }).stdout.trim()
  const lines = stdout.trimEnd().split('\n')
  expect(lines.length).toBeGreaterThan(50)
  const database = openDpkgDatabase('/var/lib/dpkg')
  expect(database.nativeArchitecture()).toBe(native)
  for (const line of lines) {
    const [name = '', version, architecture, state] = line.split('\t')
    const found = database.find(`${name}:${architecture === 'all' ? native : architecture}`)
    const wanted = state === 'not-installed' ? [] : [{ version, architecture, state }]
    expect(found, line).toMatchObject({ kind: 'known', value: wanted })
  }
})

test('a package that is not there is absent, and so is one that was purged', () => {
  const directory = makeDatabase({ name: 'gone', state: 'not-installed' })
  expect(find(directory, 'nothing')).toEqual([])
  expect(find(directory, 'gone')).toEqual([])
})

test('a name is nothing but itself', () => {
  expect(find(makeDatabase({ name: 'telnetd' }), 'Telnetd')).toEqual([])
})

test.each([
  ['libc6', ['libc6 2 installed', 'libc6:i386 1 installed foreign']],
  ['libc6:i386', ['libc6:i386 1 installed foreign']],
  ['libc6:amd64', ['libc6 2 installed']],
  ['libc6:native', ['libc6 2 installed']],
  ['libc6:any', ['libc6 2 installed', 'libc6:i386 1 installed foreign']],
  ['libc6:armhf', []],
  ['tzdata', ['tzdata 3 installed']],
  ['tzdata:amd64', ['tzdata 3 installed']],
  ['wine32', ['wine32:i386 4 installed foreign']],
])('several architectures: %s', (name, expected) => {
  const directory = makeDatabase(
    { name: 'libc6', version: '2' },
    { name: 'libc6', version: '1', architecture: 'i386' },
    { name: 'tzdata', version: '3', architecture: 'all' },
    { name: 'wine32', version: '4', architecture: 'i386' },
  )
  expect(find(directory, name)).toEqual(expected)
})

test('changes of dpkg since it last wrote the whole file count', () => {
  const directory = makeDatabase({ name: 'nginx', version: '1' })
  writeFileSync(join(directory, 'updates/0001'), stanza({ name: 'nginx', version: '2', state: 'half-installed' }))
  writeFileSync(join(directory, 'updates/0002'), stanza({ name: 'nginx', version: '2', state: 'unpacked' }))
  writeFileSync(join(directory, 'updates/tmp.i'), 'not yet')
  expect(find(directory, 'nginx')).toEqual(['nginx 2 unpacked'])
})

test('images without dpkg describe each package in a file of its own', () => {
  const directory = temporaryDirectory()
  mkdirSync(join(directory, 'status.d'))
  writeFileSync(join(directory, 'status.d/base'), 'Package: base-files\nVersion: 12.4\nArchitecture: amd64\n')
  writeFileSync(join(directory, 'status.d/base.md5sums'), 'd41d8cd98f00b204e9800998ecf8427e  etc/x\n')
  expect(find(directory, 'base-files')).toEqual(['base-files 12.4 installed'])
  expect(find(directory, 'libc6')).toEqual([])
})

test.each([
  ['that is empty', ''],
  ['with nothing but empty lines', '\n\n\n'],
  ['that ends within a line', `${stanza(DPKG)}Package: x\nStat`],
  ['that is something else', '<html></html>\n'],
])('a database %s is unknown, never absent', (_what, text) => {
  const directory = makeDatabase()
  writeFileSync(join(directory, 'status'), text)
  expect(find(directory, 'telnetd')).toMatchObject({ kind: 'unknown', reason: 'not-observable' })
})

test('a database that has lost a package whose files are listed is damaged', () => {
  const directory = makeDatabase()
  writeFileSync(join(directory, 'info/telnetd.list'), '/.\n')
  writeFileSync(join(directory, 'info/libssl3:amd64.list'), '/.\n')
  const damaged = { kind: 'unknown', reason: 'not-observable', detail: expect.stringContaining('damaged') }
  for (const name of ['telnetd', 'libssl3', 'ftpd', 'dpkg']) expect(find(directory, name)).toMatchObject(damaged)
})

test('an entry of another architecture is not the one whose files are listed', () => {
  const directory = makeDatabase({ name: 'libc6', architecture: 'i386' })
  writeFileSync(join(directory, 'info/libc6:i386.list'), '/.\n')
  expect(find(directory, 'libc6')).toEqual(['libc6:i386 1.0-1 installed foreign'])
  writeFileSync(join(directory, 'info/libc6:amd64.list'), '/.\n')
  expect(find(directory, 'libc6')).toMatchObject({ kind: 'unknown' })
})

test('a database without dpkg itself is damaged, unless dpkg never wrote it', () => {
  const directory = makeDatabase()
  writeFileSync(join(directory, 'status'), stanza({ name: 'bash' }))
  expect(find(directory, 'libc6')).toMatchObject({ kind: 'unknown', detail: expect.stringContaining('damaged') })
})

test.skipIf(needsDpkg)("this machine's database is damaged wherever it is cut between two packages", () => {
  const directory = temporaryDirectory()
  symlinkSync('/var/lib/dpkg/info', join(directory, 'info'))
  const stanzas = readFileSync('/var/lib/dpkg/status', 'utf8').split(/(?<=\n\n)/)
  expect(stanzas.length).toBeGreaterThan(50)
  for (const share of [0.01, 0.2, 0.4, 0.6, 0.8, 0.95]) {
    writeFileSync(join(directory, 'status'), stanzas.slice(0, Math.ceil(stanzas.length * share)).join(''))
    expect(find(directory, 'libc6'), String(share)).toMatchObject({ kind: 'unknown', reason: 'not-observable' })
  }
  writeFileSync(join(directory, 'status'), stanzas.join(''))
  expect(openDpkgDatabase(directory).find('libc6')).toMatchObject({ kind: 'known', value: [{ state: 'installed' }] })
})

test('no database is unknown', () => {
  const directory = temporaryDirectory()
  expect(openDpkgDatabase(directory).exists()).toBe(false)
  expect(find(directory, 'x')).toMatchObject({ kind: 'unknown', reason: 'not-observable' })
})

test('an empty file is a database only where dpkg itself is installed', () => {
  const directory = makeDatabase()
  writeFileSync(join(directory, 'status'), '')
  expect(openDpkgDatabase(directory).exists()).toBe(false)
  writeFileSync(join(directory, 'info/dpkg.list'), '/.\n')
  expect(openDpkgDatabase(directory).exists()).toBe(true)
})

test.skipIf(needsRoot)('a database that may not be read is denied, never absent (needs root)', async () => {
  const text = `
    import process from 'node:process'
    import { openDpkgDatabase } from './src/subjects/packages/live/dpkg-database.ts'
    const database = openDpkgDatabase(process.argv[2])
    console.log(JSON.stringify([database.exists(), database.find('telnetd')]))`
  const directory = makeDatabase()
  const denied = [true, { kind: 'unknown', reason: 'permission-denied', detail: expect.any(String) }]
  chmodSync(join(directory, 'status'), 0o600)
  expect(await runAsNobody(text, [directory])).toEqual(denied)
  chmodSync(directory, 0o700)
  expect(await runAsNobody(text, [directory])).toEqual(denied)
})

test('is read once, and again only once something was changed', () => {
  const directory = makeDatabase({ name: 'nginx', version: '1' })
  const database = openDpkgDatabase(directory)
  const version = (): unknown => {
    const found = database.find('nginx')
    return found.kind === 'known' ? found.value[0]?.version : found
  }
  expect(version()).toBe('1')
  writeFileSync(join(directory, 'status'), stanza(DPKG) + stanza({ name: 'nginx', version: '22' }))
  expect(version()).toBe('1')
  database.forget()
  expect(version()).toBe('22')
})

test.skipIf(needsDpkg)('reads the states that dpkg itself has written', () => {
  // A copy of this machine's database in which dpkg marks a package as held.
  const directory = temporaryDirectory()
  mkdirSync(join(directory, 'info'))
  mkdirSync(join(directory, 'updates'))
  cpSync('/var/lib/dpkg/status', join(directory, 'status'))
  const name = /^Package: (\S+)/.exec(readFileSync(join(directory, 'status'), 'utf8'))?.[1] ?? ''
  const options = { input: `${name} hold\n`, encoding: 'utf8' } as const
  expect(spawnSync('dpkg', [`--admindir=${directory}`, '--set-selections'], options).stderr).toBe('')
  expect(openDpkgDatabase(directory).find(name)).toMatchObject({ value: [{ held: true }] })
  expect(openDpkgDatabase('/var/lib/dpkg').find(name)).toMatchObject({ value: [{ held: false }] })
})
