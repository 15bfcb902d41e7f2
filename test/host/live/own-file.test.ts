import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { expect, onTestFinished, test } from 'vitest'
import { draftFile, replaceFile } from '../../../src/host/live/own-file.ts'
import { temporaryDirectory } from '../../support/temporary.ts'

test('a file takes the place of what was there, a link too, and only when it is complete', () => {
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'target'), 'before')
  symlinkSync('target', join(directory, 'file'))
  const draft = draftFile(join(directory, 'file'))
  expect(readFileSync(join(directory, 'file'), 'utf8')).toBe('before')
  draft.commit('after')
  draft.discard()
  expect(readFileSync(join(directory, 'file'), 'utf8')).toBe('after')
  expect(readFileSync(join(directory, 'target'), 'utf8')).toBe('before')
  expect(readdirSync(directory).toSorted()).toEqual(['file', 'target'])
})

test('an explicit mode ignores the umask, and the default mode respects it', () => {
  const directory = temporaryDirectory()
  const umask = process.umask(0o077)
  onTestFinished(() => void process.umask(umask))
  replaceFile(join(directory, 'open'), '', { mode: 0o644 })
  replaceFile(join(directory, 'closed'), '')
  expect(['open', 'closed'].map((name) => statSync(join(directory, name)).mode & 0o777)).toEqual([0o644, 0o600])
})

test('a failed commit leaves no file behind', () => {
  const directory = temporaryDirectory()
  const path = join(directory, 'file')
  const draft = draftFile(path)
  mkdirSync(path)
  expect(() => draft.commit('text')).toThrow('EISDIR')
  expect(readdirSync(directory)).toEqual(['file'])
})

test('a directory that goes meanwhile is an error', () => {
  const directory = join(temporaryDirectory(), 'gone')
  mkdirSync(directory)
  const draft = draftFile(join(directory, 'file'))
  rmSync(directory, { recursive: true })
  expect(() => draft.commit('text')).toThrow('ENOENT')
  expect(() => draft.discard()).not.toThrow()
})

test('a full disk leaves the file of before and no other', ({ skip }) => {
  const directory = temporaryDirectory()
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=16k', 'tmpfs', directory])
  skip(status !== 0, 'needs to mount')
  onTestFinished(() => void spawnSync('umount', [directory]))
  replaceFile(join(directory, 'file'), 'before')
  expect(() => replaceFile(join(directory, 'file'), 'x'.repeat(100_000))).toThrow('ENOSPC')
  expect(readFileSync(join(directory, 'file'), 'utf8')).toBe('before')
  expect(readdirSync(directory)).toEqual(['file'])
})
