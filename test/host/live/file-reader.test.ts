import { createHash } from 'node:crypto'
import { appendFileSync, mkdirSync, mkdtempSync, renameSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { FileStat } from '../../../src/host/target.ts'
import { readDigest, readDirectoryEmpty, readFileHead } from '../../../src/host/live/file-reader.ts'
import { readFollowedStat, readLstat } from '../../../src/host/live/file-stat.ts'
import { temporaryDirectory } from '../../support/temporary.ts'

function statOf(path: string): FileStat {
  const seen = readFollowedStat(path)
  if (seen.kind !== 'present') throw new Error(`${path}: ${seen.kind}`)
  return seen.state
}

function digestOf(text: string | Buffer): object {
  return { kind: 'known', value: { sha256: createHash('sha256').update(text).digest('hex'), sizeBytes: text.length } }
}

const chunk = 1024 * 1024

test.each([0, 1, chunk - 1, chunk, chunk + 1, 2 * chunk, 3 * chunk + 5])('a file of %i bytes', async (length) => {
  const path = join(temporaryDirectory(), 'file')
  const content = Buffer.alloc(length, 'driftgate')
  writeFileSync(path, content)
  expect(await readDigest(path, statOf(path))).toEqual(digestOf(content))
})

test.each([
  ['small', 'short', 'a little longer'],
  ['grown large', 'short', 'x'.repeat(2 * chunk)],
  ['large', 'x'.repeat(2 * chunk), 'y'.repeat(2 * chunk + 1)],
  ['shrunk', 'x'.repeat(2 * chunk), 'short'],
])('a file that changed since it was described is read as it is now: %s', async (_name, before, after) => {
  const path = join(temporaryDirectory(), 'file')
  writeFileSync(path, before)
  const stat = statOf(path)
  writeFileSync(path, after)
  expect(await readDigest(path, stat)).toEqual(digestOf(after))
})

test('another file of the same size in its place is noticed', async () => {
  const directory = temporaryDirectory()
  const path = join(directory, 'file')
  writeFileSync(path, 'one')
  const stat = statOf(path)
  writeFileSync(join(directory, 'other'), 'two')
  renameSync(join(directory, 'other'), path)
  expect(await readDigest(path, stat)).toEqual(digestOf('two'))
})

test('a file that keeps changing is not observable', async () => {
  const path = join(temporaryDirectory(), 'file')
  writeFileSync(path, Buffer.alloc(8 * chunk))
  const reading = Promise.resolve(readDigest(path, statOf(path)))
  let isRead = false
  void reading.then(() => (isRead = true))
  // Between any two of its chunks.
  for (let time = 1; !isRead; time++) {
    utimesSync(path, time, time)
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(await reading).toMatchObject({ kind: 'unknown', reason: 'not-observable' })
})

test.each(['file', 'large'])('a file that became a directory is not read: %s', async (name) => {
  const directory = temporaryDirectory()
  const path = join(directory, 'path')
  writeFileSync(path, name === 'large' ? Buffer.alloc(2 * chunk) : 'x')
  const stat = statOf(path)
  renameSync(path, join(directory, 'moved'))
  mkdirSync(path)
  expect(await readDigest(path, stat)).toMatchObject({ kind: 'unknown', reason: 'not-observable' })
})

test('a file that is gone is not observable, not empty', async () => {
  const path = join(temporaryDirectory(), 'file')
  writeFileSync(path, 'x')
  expect(await readDigest(join(path, '../none'), statOf(path))).toMatchObject({ kind: 'unknown' })
})

test('links are followed to regular files only', () => {
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'file'), 'text')
  symlinkSync('file', join(directory, 'link'))
  symlinkSync('/dev/zero', join(directory, 'device'))
  expect(readFileHead(join(directory, 'link'), 3)).toEqual({
    kind: 'known',
    value: Uint8Array.from(Buffer.from('tex')),
  })
  expect(readFileHead(join(directory, 'device'), 3)).toMatchObject({ kind: 'unknown', reason: 'not-observable' })
  expect(readFileHead(directory, 3)).toMatchObject({ kind: 'unknown' })
})

test('an empty directory', () => {
  const directory = temporaryDirectory()
  expect(readDirectoryEmpty(directory)).toEqual({ kind: 'known', value: true })
  mkdtempSync(join(directory, 'x'))
  expect(readDirectoryEmpty(directory)).toEqual({ kind: 'known', value: false })
  expect(readDirectoryEmpty(join(directory, 'none'))).toMatchObject({ kind: 'unknown' })
})

test('a dangling link exists by itself and leads to nothing', () => {
  const path = join(temporaryDirectory(), 'link')
  symlinkSync('none', path)
  expect(readLstat(path)).toMatchObject({ kind: 'present', state: { kind: 'symlink' } })
  expect(readFollowedStat(path)).toMatchObject({ kind: 'absent' })
})

test('appending while reading never gives a mix of two states', async () => {
  const path = join(temporaryDirectory(), 'file')
  writeFileSync(path, Buffer.alloc(4 * chunk, 'a'))
  const reading = readDigest(path, statOf(path))
  appendFileSync(path, 'b')
  expect(await reading).toEqual(digestOf(`${'a'.repeat(4 * chunk)}b`))
})
