import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { OperatorError } from '../../../src/model/operator-error.ts'
import { openOutputFile } from '../../../src/host/live/output-file.ts'
import { temporaryName } from '../../../src/host/live/temporary-name.ts'

function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'driftgate-report-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

test('a report appears all at once, in folders that are created', () => {
  const directory = temporaryDirectory()
  const path = join(directory, 'new/deep/report.json')
  const file = openOutputFile(path)
  expect(readdirSync(join(directory, 'new/deep'))).not.toContain('report.json')
  void file.commit('text')
  file.discard()
  expect(readdirSync(join(directory, 'new/deep'))).toEqual(['report.json'])
  expect(readFileSync(path, 'utf8')).toBe('text')
})

test('a discarded report leaves what was there', () => {
  const directory = temporaryDirectory()
  const path = join(directory, 'report.json')
  writeFileSync(path, 'before')
  openOutputFile(path).discard()
  expect(readFileSync(path, 'utf8')).toBe('before')
  expect(readdirSync(directory)).toEqual(['report.json'])
})

test('a name as long as the system allows is fine', () => {
  const directory = temporaryDirectory()
  const name = 'x'.repeat(255)
  void openOutputFile(join(directory, name)).commit('text')
  expect(readdirSync(directory)).toEqual([name])
})

test.each([
  ['a file', 'target'],
  ['a link to a file', 'link'],
  ['nothing yet', 'new'],
])('a link that leads to %s stays, and what it leads to is written', (_what, to) => {
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'target'), 'before')
  symlinkSync('target', join(directory, 'link'))
  symlinkSync(to, join(directory, 'report'))
  const file = openOutputFile(join(directory, 'report'))
  expect(file.path).toBe(join(directory, 'report'))
  void file.commit('text')
  expect(lstatSync(join(directory, 'report')).isSymbolicLink()).toBe(true)
  expect(readFileSync(join(directory, to), 'utf8')).toBe('text')
})

test('a link that grows stays, too', async () => {
  const directory = temporaryDirectory()
  symlinkSync('target', join(directory, 'report'))
  const growing = openOutputFile(join(directory, 'report')).grow()
  await growing.append('text')
  growing.close()
  expect(lstatSync(join(directory, 'report')).isSymbolicLink()).toBe(true)
  expect(readFileSync(join(directory, 'target'), 'utf8')).toBe('text')
})

test('a link in a directory that others write to is not followed', () => {
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'target'), 'before')
  mkdirSync(join(directory, 'open'))
  chmodSync(join(directory, 'open'), 0o777)
  symlinkSync('../target', join(directory, 'open/report'))
  expect(() => openOutputFile(join(directory, 'open/report'))).toThrow(/is not followed: other users can write to/)
  expect(readFileSync(join(directory, 'target'), 'utf8')).toBe('before')
})

test('links in a circle are refused', () => {
  const directory = temporaryDirectory()
  symlinkSync('report', join(directory, 'report'))
  expect(() => openOutputFile(join(directory, 'report'))).toThrow('too many levels of symbolic links')
})

test.each(['/dev/fd/N', '/proc/self/fd/N', `/proc/${process.pid}/fd/N`, 'a link to it'])(
  'an output that this process has open as %s is appended to',
  async (name) => {
    const directory = temporaryDirectory()
    const descriptor = openSync(join(directory, 'log'), 'w+')
    onTestFinished(() => closeSync(descriptor))
    writeSync(descriptor, 'before,')
    const link = join(directory, 'link')
    symlinkSync(`/proc/self/fd/${descriptor}`, link)
    const path = name.startsWith('/') ? name.replace('N', String(descriptor)) : link
    await openOutputFile(path).commit('text')
    const growing = openOutputFile(path).grow()
    await growing.append(', more')
    growing.close()
    writeSync(descriptor, ', after')
    expect(readFileSync(join(directory, 'log'), 'utf8')).toBe('before,text, more, after')
  },
)

test('an output that is open only for reading is refused before the work starts', () => {
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'log'), 'before')
  const descriptor = openSync(join(directory, 'log'), 'r')
  onTestFinished(() => closeSync(descriptor))
  expect(() => openOutputFile(`/dev/fd/${descriptor}`)).toThrow('it is not open for writing')
})

test('a temporary file left beside the report by a killed process is removed by the next one', () => {
  const directory = temporaryDirectory()
  const gone = spawnSync('true').pid.toString(16).padStart(6, '0')
  const left = temporaryName('report').replace(/[0-9a-f]{6}(?=[0-9a-f]{10}$)/, gone)
  writeFileSync(join(directory, left), '')
  expect(readdirSync(directory)).toHaveLength(1)
  const other = openOutputFile(join(directory, 'other'))
  expect(readdirSync(directory)).toHaveLength(2)
  other.discard()
  void openOutputFile(join(directory, 'report')).commit('text')
  expect(readdirSync(directory)).toEqual(['report'])
})

test('a device is written to, not replaced', () => {
  void openOutputFile('/dev/null').commit('text')
  expect(statSync('/dev/null').isCharacterDevice()).toBe(true)
})

test('a full device is an error with its reason', () => {
  expect(() => openOutputFile('/dev/full').commit('text')).toThrow(/\/dev\/full: no space left/)
})

test.each([
  ['a directory', (directory: string) => directory, /it is a directory/],
  ['a path below a file', (directory: string) => join(directory, 'file/report'), /not a directory/],
  ['a file system that takes none', () => '/proc/nothing/report', /no such file or directory/],
  ['a name that is too long', (directory: string) => join(directory, 'x'.repeat(256)), /name is too long/],
])('%s is refused at once', (_what, choose, message) => {
  const directory = temporaryDirectory()
  mkdirSync(join(directory, 'folder'))
  writeFileSync(join(directory, 'file'), '')
  const open = (): unknown => openOutputFile(choose(directory))
  expect(open).toThrow(OperatorError)
  expect(open).toThrow(message)
})

test('a growing report is written in place, for readers that follow the file', () => {
  const path = join(temporaryDirectory(), 'events.ndjson')
  writeFileSync(path, 'of yesterday')
  const before = statSync(path).ino
  const file = openOutputFile(path)
  expect(readFileSync(path, 'utf8')).toBe('of yesterday')
  const growing = file.grow()
  void growing.append('one\n')
  expect(readFileSync(path, 'utf8')).toBe('one\n')
  void growing.append('two\n')
  growing.close()
  file.discard()
  expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n')
  expect(statSync(path).ino).toBe(before)
})

test('a growing report on a disk that is full holds whole texts only', ({ skip }) => {
  const directory = temporaryDirectory()
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=16k', 'tmpfs', directory])
  skip(status !== 0, 'needs to mount')
  onTestFinished(() => void spawnSync('umount', [directory]))
  const path = join(directory, 'events.ndjson')
  const growing = openOutputFile(path).grow()
  const line = `${'x'.repeat(1000)}\n`
  expect(() => {
    for (let count = 0; count < 100; count++) void growing.append(line)
  }).toThrow(`cannot write the report ${path}: no space left on the device`)
  growing.close()
  const text = readFileSync(path, 'utf8')
  expect(text.length).toBeGreaterThan(1000)
  expect(text).toBe(line.repeat(text.length / line.length))
})

test('a report is not written through a link that another user can change', () => {
  const holder = temporaryDirectory()
  const real = temporaryDirectory()
  chmodSync(holder, 0o1777)
  symlinkSync(real, join(holder, 'link'))
  for (const path of [join(holder, 'link', 'report.json'), join(holder, 'link', 'new', 'report.json')]) {
    expect(() => openOutputFile(path)).toThrow(/cannot write the report .*other users can change; use the real path/)
  }
  expect(readdirSync(real)).toEqual([])
  chmodSync(holder, 0o755)
  const file = openOutputFile(join(holder, 'link', 'report.json'))
  void file.commit('kept')
  expect(readFileSync(join(real, 'report.json'), 'utf8')).toBe('kept')
})
