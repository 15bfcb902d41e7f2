import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, linkSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { NO_JOURNAL } from '../../../src/host/live/journal.ts'
import { createLocalRemediator } from '../../../src/host/live/local-remediator.ts'
import { needsPrograms, run } from '../../support/programs.ts'
import { cannotMount, mount } from '../../support/mount.ts'
import { needsRoot, temporaryDirectory } from '../../support/temporary.ts'

const remediator = createLocalRemediator(NO_JOURNAL)
const own = { uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0 }

function write(path: string, text: string | Buffer, mode = 0o644, ids = own): Promise<unknown> {
  const content = { kind: 'bytes', bytes: Buffer.from(text) } as const
  return remediator.writeFile(path, content, { ...ids, mode }, { inPlace: true })
}

describe('a file that is written in place', () => {
  test.each([
    ['longer', 'old', 'a longer content'],
    ['shorter', 'a longer content', 'new'],
    ['empty', 'old', ''],
  ])('has the new content under all its names: %s', async (_case, old, next) => {
    const path = join(temporaryDirectory(), 'file')
    writeFileSync(path, old, { mode: 0o600 })
    linkSync(path, `${path}.other`)
    const { ino } = statSync(path)
    expect(await write(path, next, 0o640)).toEqual({ kind: 'done' })
    expect(readFileSync(`${path}.other`, 'utf8')).toBe(next)
    expect(statSync(path)).toMatchObject({ ino, nlink: 2, mode: 0o100640 })
  })

  test('takes the content of a source', async () => {
    const path = join(temporaryDirectory(), 'file')
    const bytes = Buffer.alloc(300_000, 'some text ')
    writeFileSync(path, 'old')
    writeFileSync(`${path}.source`, bytes)
    const content = { kind: 'copy', source: `${path}.source` } as const
    expect(await remediator.writeFile(path, content, { ...own, mode: 0o644 }, { inPlace: true })).toEqual({
      kind: 'done',
    })
    expect(readFileSync(path).equals(bytes)).toBe(true)
  })

  test('takes nothing of a source that is not a regular file', async () => {
    const path = join(temporaryDirectory(), 'file')
    writeFileSync(path, 'old')
    run('mkfifo', `${path}.source`)
    const content = { kind: 'copy', source: `${path}.source` } as const
    const outcome = await remediator.writeFile(path, content, { ...own, mode: 0o644 }, { inPlace: true })
    expect(outcome).toMatchObject({ kind: 'failed', message: expect.stringContaining('cannot read source') })
    expect(readFileSync(path, 'utf8')).toBe('old')
  })

  test('is never what a link leads to, a directory, or what is not there', async () => {
    const path = join(temporaryDirectory(), 'file')
    writeFileSync(path, 'old')
    symlinkSync('file', `${path}.link`)
    for (const each of [`${path}.link`, join(path, '..'), `${path}.missing`]) {
      expect(await write(each, 'new')).toMatchObject({ kind: 'failed' })
    }
    expect(readFileSync(path, 'utf8')).toBe('old')
  })

  test('is not written while it runs', async () => {
    const path = join(temporaryDirectory(), 'program')
    copyFileSync('/bin/sleep', path)
    const child = spawn(path, ['60'])
    await once(child, 'spawn')
    try {
      expect(await write(path, 'new', 0o755)).toMatchObject({ kind: 'failed' })
    } finally {
      child.kill('SIGKILL')
      await once(child, 'close')
    }
    expect(readFileSync(path).equals(readFileSync('/bin/sleep'))).toBe(true)
  })
})

const cannotSet = needsRoot ?? needsPrograms('setfacl', 'setcap', 'setfattr')

describe.skipIf(cannotSet)(`as root, a file that is written in place (${cannotSet ?? 'as root'})`, () => {
  test('keeps capabilities, list and attributes', async () => {
    const path = join(temporaryDirectory(), 'file')
    writeFileSync(path, 'old', { mode: 0o755 })
    run('setfattr', '-n', 'user.note', '-v', 'kept', path)
    run('setfacl', '-m', 'u:nobody:r', path)
    run('setcap', 'cap_net_raw+ep', path)
    const before = [run('getcap', path), run('getfacl', '-cpE', path)]
    expect(await write(path, 'new', statSync(path).mode & 0o7777)).toEqual({ kind: 'done' })
    expect([run('getcap', path), run('getfacl', '-cpE', path)]).toEqual(before)
    expect(run('getfattr', '--only-values', '-n', 'user.note', '--absolute-names', path)).toBe('kept')
  })

  test('is rejected if another user may have linked it into a directory of their own', async () => {
    const directory = temporaryDirectory()
    const path = join(directory, 'file')
    writeFileSync(path, 'old')
    linkSync(path, `${path}.other`)
    run('chown', 'nobody', directory)
    expect(await write(path, 'new')).toMatchObject({ kind: 'failed', message: expect.stringContaining('hard links') })
    expect(readFileSync(path, 'utf8')).toBe('old')
  })
})

test.skipIf(cannotMount)(`a full file system leaves the old content (${cannotMount ?? 'a tmpfs'})`, async () => {
  const directory = mount(['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs'], join(temporaryDirectory(), 'small'))
  const path = join(directory, 'file')
  writeFileSync(path, 'old', { mode: 0o644 })
  const outcome = await write(path, Buffer.alloc(200_000, 'x'), 0o600)
  expect(outcome).toMatchObject({ kind: 'failed', message: expect.stringContaining('no space left on device') })
  expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual(['old', 0o644])
})
