import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { NO_JOURNAL } from '../../../src/host/live/journal.ts'
import { createLocalRemediator } from '../../../src/host/live/local-remediator.ts'
import { openRootedMachine } from '../../../src/host/root/rooted-machine.ts'
import { put } from '../../support/contract.ts'
import { needsRoot, temporaryDirectory } from '../../support/temporary.ts'

const remediator = createLocalRemediator(NO_JOURNAL)

const upper = (text: string): string => text.toUpperCase()
const failed = (message: string): unknown => ({ kind: 'failed', message: expect.stringContaining(message) })

describe('a text that is edited', () => {
  test.skipIf(needsRoot)('keeps its owner, group and mode', async () => {
    const path = join(temporaryDirectory(), 'file')
    writeFileSync(path, '\uFEFFone\r\n')
    chownSync(path, 1, 2)
    chmodSync(path, 0o4750)
    expect(await remediator.editText(path, upper)).toEqual({ kind: 'done' })
    expect(readFileSync(path, 'utf8')).toBe('\uFEFFONE\r\n')
    expect(statSync(path)).toMatchObject({ uid: 1, gid: 2, mode: 0o104750 })
  })

  test.each([
    ['the same', (text: string) => text],
    ['undefined', () => undefined],
  ])('is not written where the edit gives %s', async (_, edit) => {
    const path = join(temporaryDirectory(), 'file')
    writeFileSync(path, 'one')
    const { ino, mtimeMs } = statSync(path)
    expect(await remediator.editText(path, edit)).toEqual({ kind: 'done' })
    expect(statSync(path)).toMatchObject({ ino, mtimeMs })
    expect(await remediator.editText(`${path}.none`, edit)).toEqual({ kind: 'done' })
    expect(lstatSync(`${path}.none`, { throwIfNoEntry: false })).toBeUndefined()
  })

  test('is created if absent', async () => {
    const path = join(temporaryDirectory(), 'file')
    expect(await remediator.editText(path, (text) => `${text}one\n`)).toEqual({ kind: 'done' })
    expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o133]).toEqual(['one\n', 0])
  })

  test('is edited through links that other users cannot change, and the links stay', async () => {
    const base = temporaryDirectory()
    put(base, { 'real/deep/file': 'one' })
    symlinkSync('real/deep', join(base, 'directory'))
    symlinkSync('../link', join(base, 'real/deep/first'))
    symlinkSync(join(base, 'real/deep/file'), join(base, 'real/link'))
    expect(await remediator.editText(join(base, 'directory/first'), upper)).toEqual({ kind: 'done' })
    expect(readFileSync(join(base, 'real/deep/file'), 'utf8')).toBe('ONE')
    expect(lstatSync(join(base, 'real/deep/first')).isSymbolicLink()).toBe(true)
    expect(lstatSync(join(base, 'real/link')).isSymbolicLink()).toBe(true)
  })

  test('is refused behind a link that others could change, that leads nowhere or in a circle', async () => {
    const base = temporaryDirectory()
    put(base, { file: 'one' })
    mkdirSync(join(base, 'open'))
    chmodSync(join(base, 'open'), 0o1777)
    symlinkSync('../file', join(base, 'open/link'))
    symlinkSync('none', join(base, 'dangling'))
    symlinkSync('circle', join(base, 'circle'))
    expect(await remediator.editText(join(base, 'open/link'), upper)).toEqual(failed('other users can change'))
    expect(await remediator.editText(join(base, 'dangling'), upper)).toEqual(failed('is a dangling symbolic link'))
    expect(await remediator.editText(join(base, 'circle'), upper)).toEqual(failed('too many symbolic links'))
    expect(readFileSync(join(base, 'file'), 'utf8')).toBe('one')
  })

  test.each([
    ['no text', (path: string) => writeFileSync(path, Buffer.from([0x61, 0xff])), 'not UTF-8 text'],
    ['too large', (path: string) => writeFileSync(path, Buffer.alloc(4 * 1024 * 1024 + 1, 'a')), 'larger than'],
    ['a directory', (path: string) => mkdirSync(path), 'a directory'],
    ['a pipe', (path: string) => void execFileSync('mkfifo', [path]), 'not a regular file'],
  ])('is refused where it is %s', async (_, make, message) => {
    const path = join(temporaryDirectory(), 'file')
    make(path)
    expect(await remediator.editText(path, upper)).toEqual(failed(message))
  })

  test('is left as it is where another program changes it meanwhile', async () => {
    const base = temporaryDirectory()
    const path = join(base, 'file')
    writeFileSync(path, 'one\n')
    const changing = (text: string): string => {
      writeFileSync(path, 'one\ntwo\n')
      return `${text}three\n`
    }
    expect(await remediator.editText(path, changing)).toEqual(failed('another program changed it'))
    expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n')
    const making = (text: string): string => {
      writeFileSync(`${path}.new`, 'one\n')
      return `${text}two\n`
    }
    expect(await remediator.editText(`${path}.new`, making)).toEqual(failed('another program changed it'))
    expect([readFileSync(`${path}.new`, 'utf8'), readdirSync(base)]).toEqual(['one\n', ['file', 'file.new']])
  })

  test('lies below the root whose links lead back to it', async () => {
    const root = temporaryDirectory()
    put(root, { 'etc/hosts': 'one', 'etc/hostname': 'a' })
    symlinkSync('/etc/hosts', join(root, 'etc/link'))
    const opened = openRootedMachine(root)
    if (opened.kind === 'refused') throw new Error(opened.message)
    expect(await opened.machine.openRemediator(NO_JOURNAL).editText('/etc/link', upper)).toEqual({ kind: 'done' })
    expect(readFileSync(join(root, 'etc/hosts'), 'utf8')).toBe('ONE')
  })
})
