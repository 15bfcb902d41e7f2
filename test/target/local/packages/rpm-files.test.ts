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
import { filesBelow } from '../../../../src/target/local/machine-files.ts'
import { openRpmFiles } from '../../../../src/target/local/packages/rpm-files.ts'
import { temporaryDirectory } from '../../../support/temporary.ts'

const hasRpm = ['rpm', 'rpmbuild'].every((name) => spawnSync(name, ['--version']).status === 0)

const COUNT = 210
const DATABASE = '/usr/lib/sysimage/rpm'

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
  const options = ['--dbpath', join(root, DATABASE), '--define', '_db_backend sqlite']
  return execFileSync('rpm', [...options, ...args], { encoding: 'utf8' })
}

describe.skipIf(!hasRpm)('the packages of an rpm database (needs rpm and rpmbuild)', () => {
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

  test('are what rpm says', async () => {
    const database = openRpmFiles(filesBelow(made), 'x86_64')
    const lines = rpm(made, '-qa', '--queryformat', '%{NAME} %{EPOCHNUM}:%{VERSION}-%{RELEASE} %{ARCH}\\n')
      .trim()
      .split('\n')
    expect(lines.length).toBe(COUNT)
    for (const line of lines) {
      const [name = '', version = '', architecture] = line.split(' ')
      const found = await database.find(name)
      expect(found, name).toMatchObject({ value: [{ version: version.replace(/^0:/, ''), architecture }] })
    }
    expect(await database.find('pack.5-x')).toEqual({ kind: 'known', value: [] })
    expect(await database.find('nothing')).toEqual({ kind: 'known', value: [] })
  })

  test.each([
    ['that is cut off', (file: string) => truncateSync(file, 32_768)],
    ['that is cut off within a page', (file: string) => truncateSync(file, 33_000)],
    ['that is empty', (file: string) => truncateSync(file, 0)],
    ['that is none', (file: string) => writeFileSync(file, 'x'.repeat(5000))],
    ['with changes in its log', (file: string) => writeFileSync(`${file}-wal`, 'x')],
    ['with an unfinished change', (file: string) => writeFileSync(`${file}-journal`, 'x')],
    ['beside another one', (file: string) => writeFileSync(join(file, '../Packages.db'), 'x')],
  ])('of a database %s are not known', async (_name, damage) => {
    const root = copy()
    damage(at(root))
    expect(await openRpmFiles(filesBelow(root), 'x86_64').find('pack.6-x')).toMatchObject({ kind: 'unknown' })
  })

  test.skipIf(spawnSync('sqlite3', ['--version']).status !== 0)(
    'of a database whose last changes rpm has put into the log alone are not known, and then what rpm says',
    async () => {
      const [root, left] = [copy(), join(temporaryDirectory(), 'root')]
      // As long as somebody reads, nothing of the log is put into the database.
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
    const whole = readFileSync(at(root))
    const right = await openRpmFiles(filesBelow(root), 'x86_64').find('pack.7-x')
    const pages = whole.length / 4096
    for (let page = 0; page < pages; page += Math.ceil(pages / 40)) {
      const bytes = Buffer.from(whole)
      bytes.fill(0xa5, page * 4096, page * 4096 + 64)
      writeFileSync(at(root), bytes)
      const found = await openRpmFiles(filesBelow(root), 'x86_64').find('pack.7-x')
      if (found.kind === 'known') expect(found).toEqual(right)
    }
  })
})

test.each(['Packages', 'Packages.db'])(
  'the format of %s is not read, and its packages are not absent',
  async (name) => {
    const root = temporaryDirectory()
    mkdirSync(join(root, 'var/lib/rpm'), { recursive: true })
    writeFileSync(join(root, 'var/lib/rpm', name), 'x')
    const database = openRpmFiles(filesBelow(root), 'x86_64')
    expect(database.exists()).toBe(true)
    expect(await database.find('bash')).toMatchObject({ kind: 'unknown', reason: 'not-observable' })
  },
)
