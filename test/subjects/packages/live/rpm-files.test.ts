import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { filesBelow } from '../../../../src/host/live/machine-files.ts'
import { openRpmFiles } from '../../../../src/subjects/packages/live/rpm-files.ts'
import { temporaryDirectory } from '../../../support/temporary.ts'

const isThere = (name: string, option: string): boolean => spawnSync(name, [option]).status === 0
const needsRpm = ['rpm', 'rpmbuild'].every((name) => isThere(name, '--version')) ? undefined : 'needs rpm and rpmbuild'
const needsSqlite = isThere('sqlite3', '--version') ? undefined : 'needs sqlite3'
const needsLoad = needsRpm ?? needsSqlite ?? (isThere('db5.3_load', '-V') ? undefined : 'needs db5.3_load')

const COUNT = 210
const DATABASE = '/usr/lib/sysimage/rpm'

/** A root whose database rpm has made. */
let made: string

/** Packages whose names, epochs, versions and lengths differ, so that headers fill less and more than a page. */
function specification(): string {
  const head = 'Name: all\nVersion: 1\nRelease: 1\nSummary: s\nLicense: x\n%description\nd\n'
  const others = Array.from({ length: COUNT }, (_, index) => {
    const name = `pack.${index}-x`
    const epoch = index % 3 === 0 ? `Epoch: ${index}\n` : ''
    const architecture = index % 2 === 0 ? 'BuildArch: noarch\n' : ''
    const version = `Version: ${index % 7}.${index}~rc\nRelease: ${index}.el9\n`
    const text = 'long '.repeat(index * 30)
    return `%package -n ${name}\n${version}${epoch}${architecture}Summary: s\n%description -n ${name}\n${text}\n%files -n ${name}\n`
  })
  return `${head}${others.join('')}%files\n`
}

function rpm(root: string, ...args: readonly string[]): string {
  return rpmWith('sqlite', root, ...args)
}

function rpmWith(backend: string, root: string, ...args: readonly string[]): string {
  const options = ['--dbpath', join(root, DATABASE), '--define', `_db_backend ${backend}`]
  return execFileSync('rpm', [...options, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
}

/** The same packages in the format that rpm had until 4.16, in the order of bytes of a machine. */
function convert(root: string, byteOrder: 'LE' | 'BE'): string {
  const other = join(temporaryDirectory(), 'root')
  mkdirSync(join(other, DATABASE), { recursive: true })
  const query = 'SELECT hnum, hex(blob) FROM Packages'
  const rows = execFileSync('sqlite3', [join(root, DATABASE, 'rpmdb.sqlite'), query], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  })
  const number = (value: number): string => {
    const bytes = Buffer.alloc(4)
    bytes[`writeUInt32${byteOrder}`](value)
    return bytes.toString('hex')
  }
  const pairs = rows
    .trim()
    .split('\n')
    .map((row) => row.split('|'))
    .map(([key = '', header = '']) => [number(Number(key)), header.toLowerCase()])
  const order = byteOrder === 'LE' ? 1234 : 4321
  const head = `VERSION=3\nformat=bytevalue\ntype=hash\ndb_lorder=${order}\nHEADER=END\n`
  const lines = [[number(0), number(pairs.length + 1)], ...pairs].flat().map((value) => ` ${value}\n`)
  execFileSync('db5.3_load', ['-t', 'hash', join(other, DATABASE, 'Packages')], {
    input: `${head}${lines.join('')}DATA=END\n`,
  })
  return other
}

const FORMAT = '%{NAME} %{EPOCHNUM}:%{VERSION}-%{RELEASE} %{ARCH}\\n'

/** Compares the packages of a root with what rpm says of them. */
async function expectAll(root: string, said: string): Promise<void> {
  const database = openRpmFiles(filesBelow(root), 'x86_64')
  const lines = said.trim().split('\n')
  expect(lines.length).toBe(COUNT)
  for (const line of lines) {
    const [name = '', version = '', architecture] = line.split(' ')
    const found = await database.find(name)
    expect(found, name).toMatchObject({ value: [{ version: version.replace(/^0:/, ''), architecture }] })
  }
  expect(await database.find('pack.5-x')).toEqual({ kind: 'known', value: [] })
  expect(await database.find('nothing')).toEqual({ kind: 'known', value: [] })
}

/** Every package that is still readable after the damage is correct. */
async function expectNoneWrong(file: string, root: string): Promise<void> {
  const whole = readFileSync(file)
  const right = await openRpmFiles(filesBelow(root), 'x86_64').find('pack.7-x')
  expect(right).toMatchObject({ kind: 'known', value: [{}] })
  const pages = whole.length / 4096
  for (let page = 0; page < pages; page += Math.ceil(pages / 40)) {
    for (const garbage of [0xa5, 0]) {
      const bytes = Buffer.from(whole)
      bytes.fill(garbage, page * 4096, page * 4096 + 64)
      writeFileSync(file, bytes)
      const found = await openRpmFiles(filesBelow(root), 'x86_64').find('pack.7-x')
      if (found.kind === 'known') expect([page, garbage, found]).toEqual([page, garbage, right])
    }
  }
}

describe.skipIf(needsRpm)('the packages of an rpm database (needs rpm and rpmbuild)', () => {
  beforeAll(() => {
    const work = mkdtempSync(join(tmpdir(), 'driftgate-rpm-'))
    made = join(work, 'root')
    mkdirSync(join(made, DATABASE), { recursive: true })
    writeFileSync(join(work, 'all.spec'), specification())
    const defined = ['--define', `_topdir ${work}`, '--define', '_binary_payload w0.gzdio']
    execFileSync('rpmbuild', ['-bb', '--quiet', ...defined, join(work, 'all.spec')], { stdio: 'ignore' })
    const files = execFileSync('find', [join(work, 'RPMS'), '-name', '*.rpm'], { encoding: 'utf8' })
      .trim()
      .split('\n')
    rpm(made, '--justdb', '--nodeps', '--ignorearch', '-i', ...files)
    rpm(made, '--justdb', '--nodeps', '-e', 'pack.5-x')
    return () => rmSync(work, { recursive: true })
  }, 120_000)

  function copy(): string {
    const root = join(temporaryDirectory(), 'root')
    cpSync(made, root, { recursive: true })
    return root
  }

  const at = (root: string): string => join(root, DATABASE, 'rpmdb.sqlite')

  test('are those of rpm', async () => {
    await expectAll(made, rpm(made, '-qa', '--queryformat', FORMAT))
  })

  describe.skipIf(needsLoad)('in a hash table of Berkeley DB (needs sqlite3 and db5.3_load)', () => {
    test('are those of rpm, in either order of bytes', async () => {
      const root = convert(made, 'LE')
      await expectAll(root, rpmWith('bdb_ro', root, '-qa', '--queryformat', FORMAT))
    })

    test('are the same on a machine with the other order of bytes', async () => {
      await expectAll(convert(made, 'BE'), rpm(made, '-qa', '--queryformat', FORMAT))
    })

    test.each([
      ['cut off', (file: string) => truncateSync(file, 32_768)],
      ['cut off within a page', (file: string) => truncateSync(file, 33_000)],
      ['empty', (file: string) => truncateSync(file, 0)],
      ['none', (file: string) => writeFileSync(file, 'x'.repeat(8192))],
    ])('that is %s are not known', async (_name, damage) => {
      const root = convert(made, 'LE')
      damage(join(root, DATABASE, 'Packages'))
      expect(await openRpmFiles(filesBelow(root), 'x86_64').find('nothing')).toMatchObject({ kind: 'unknown' })
    })

    test('in which any page is garbled are not known, or the same', async () => {
      const root = convert(made, 'LE')
      await expectNoneWrong(join(root, DATABASE, 'Packages'), root)
    })

    test('in which a page of packages is empty are not known', async () => {
      const root = convert(made, 'LE')
      const file = join(root, DATABASE, 'Packages')
      const whole = readFileSync(file)
      const pages = Array.from({ length: whole.length / 4096 - 1 }, (_, index) => (index + 1) * 4096)
      const ofPackages = pages.filter((start) => whole[start + 25] === 13 && whole.readUInt16LE(start + 20) > 0)
      expect(ofPackages.length).toBeGreaterThan(1)
      for (const start of ofPackages) {
        writeFileSync(file, Buffer.from(whole).fill(0, start, start + 4096))
        expect(await openRpmFiles(filesBelow(root), 'x86_64').find('nothing')).toMatchObject({ kind: 'unknown' })
      }
    })
  })

  test.each([
    ['that is cut off', (file: string) => truncateSync(file, 32_768)],
    ['that is cut off within a page', (file: string) => truncateSync(file, 33_000)],
    ['that is empty', (file: string) => truncateSync(file, 0)],
    ['that is invalid', (file: string) => writeFileSync(file, 'x'.repeat(5000))],
    ['with changes in its log', (file: string) => writeFileSync(`${file}-wal`, 'x')],
    ['with an unfinished change', (file: string) => writeFileSync(`${file}-journal`, 'x')],
    ['beside another one', (file: string) => writeFileSync(join(file, '../Packages.db'), 'x')],
  ])('of a database %s are not known', async (_name, damage) => {
    const root = copy()
    damage(at(root))
    expect(await openRpmFiles(filesBelow(root), 'x86_64').find('pack.6-x')).toMatchObject({ kind: 'unknown' })
  })

  test.skipIf(needsSqlite)(
    'of a database whose last changes rpm has put into the log alone are not known, and then what rpm says',
    async () => {
      const [root, left] = [copy(), join(temporaryDirectory(), 'root')]
      // During a read, SQLite does not copy the log into the database.
      const reader = spawn('sqlite3', [at(root)], { stdio: ['pipe', 'pipe', 'inherit'] })
      reader.stdin.write('BEGIN; SELECT count(*) FROM Packages;\n')
      await once(reader.stdout, 'data')
      rpm(root, '--justdb', '--nodeps', '-e', 'pack.6-x')
      cpSync(root, left, { recursive: true })
      reader.kill('SIGKILL')
      expect(await openRpmFiles(filesBelow(left), 'x86_64').find('pack.6-x')).toMatchObject({
        kind: 'unknown',
        detail: expect.stringMatching(/rpmdb\.sqlite-wal holds changes/),
      })
      // A link leads to the database, and not to its log.
      renameSync(join(left, DATABASE), join(left, 'other'))
      mkdirSync(join(left, DATABASE))
      symlinkSync('../../../../other/rpmdb.sqlite', at(left))
      expect(await openRpmFiles(filesBelow(left), 'x86_64').find('pack.6-x')).toMatchObject({ kind: 'unknown' })
      expect(rpm(left, '-qa')).not.toContain('pack.6-x')
      rpm(left, '--rebuilddb')
      expect(await openRpmFiles(filesBelow(left), 'x86_64').find('pack.6-x')).toEqual({ kind: 'known', value: [] })
    },
  )

  test('of a database in which any page is garbled are not known, or the same', async () => {
    const root = copy()
    await expectNoneWrong(at(root), root)
  })
})

test('the format of Packages.db is not read, and its packages are not absent', async () => {
  const root = temporaryDirectory()
  mkdirSync(join(root, 'var/lib/rpm'), { recursive: true })
  writeFileSync(join(root, 'var/lib/rpm/Packages.db'), 'x')
  const database = openRpmFiles(filesBelow(root), 'x86_64')
  expect(database.exists()).toBe(true)
  expect(await database.find('bash')).toMatchObject({ kind: 'unknown', reason: 'not-observable' })
})
