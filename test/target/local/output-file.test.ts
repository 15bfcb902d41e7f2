import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { OperatorError } from '../../../src/core/operator-error.ts'
import { openOutputFile } from '../../../src/target/local/output-file.ts'

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

test('a link at the path is replaced, not followed', () => {
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'target'), 'before')
  symlinkSync('target', join(directory, 'report'))
  void openOutputFile(join(directory, 'report')).commit('text')
  expect(readFileSync(join(directory, 'target'), 'utf8')).toBe('before')
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

test('a growing report shows what it has, in the file that somebody may be following', () => {
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

test('a growing report replaces a link at its path, and leaves nothing else behind', () => {
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'target'), 'before')
  symlinkSync('target', join(directory, 'report'))
  const file = openOutputFile(join(directory, 'report'))
  const growing = file.grow()
  void growing.append('text')
  growing.close()
  file.discard()
  expect(readFileSync(join(directory, 'target'), 'utf8')).toBe('before')
  expect(readFileSync(join(directory, 'report'), 'utf8')).toBe('text')
  expect(readdirSync(directory).toSorted()).toEqual(['report', 'target'])
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
    expect(() => openOutputFile(path)).toThrow(/cannot write the report .*other users could change; name the real path/)
  }
  expect(readdirSync(real)).toEqual([])
  chmodSync(holder, 0o755)
  const file = openOutputFile(join(holder, 'link', 'report.json'))
  void file.commit('kept')
  expect(readFileSync(join(real, 'report.json'), 'utf8')).toBe('kept')
})
