import { modeOf } from '../../support/tree.ts'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { NO_JOURNAL } from '../../../src/host/live/journal.ts'
import { createLocalRemediator } from '../../../src/host/live/local-remediator.ts'

const remediator = createLocalRemediator(NO_JOURNAL)
const masked = 0o777 & ~process.umask()

function directory(): string {
  const path = mkdtempSync(join(tmpdir(), 'driftgate-tree-'))
  onTestFinished(() => rmSync(path, { recursive: true }))
  return path
}

test('a file with default attributes is like one that a program makes', async () => {
  const root = directory()
  chmodSync(root, 0o2755)
  const path = join(root, 'a')
  const content = { kind: 'bytes', bytes: Buffer.from('x') } as const
  expect(await remediator.writeFile(path, content, { defaultMode: 0o644 })).toEqual({ kind: 'done' })
  expect(readFileSync(path, 'utf8')).toBe('x')
  const made = statSync(path)
  expect([modeOf(path), made.uid, made.gid]).toEqual([0o644 & masked, process.geteuid?.(), statSync(root).gid])
  expect(readdirSync(root)).toEqual(['a'])
})

test('a directory with default attributes is made with its parents; one that is there stays as it is', async () => {
  const root = directory()
  const path = join(root, 'a', 'b')
  expect(await remediator.createDirectory(path, { defaultMode: 0o755 })).toEqual({ kind: 'done' })
  expect([modeOf(path), modeOf(join(root, 'a'))]).toEqual([0o755 & masked, 0o755 & masked])
  chmodSync(path, 0o700)
  expect(await remediator.createDirectory(path, { defaultMode: 0o755 })).toEqual({ kind: 'done' })
  expect(modeOf(path)).toBe(0o700)
})

test('a link at the path of a directory is kept, and followed only if no other user can change it', async () => {
  const root = directory()
  mkdirSync(join(root, 'real'))
  symlinkSync('real', join(root, 'link'))
  const path = join(root, 'link', 'sub')
  expect(await remediator.createDirectory(path, { defaultMode: 0o755 })).toEqual({ kind: 'done' })
  expect(lstatSync(join(root, 'link')).isSymbolicLink()).toBe(true)
  chmodSync(root, 0o1777)
  expect(await remediator.createDirectory(join(root, 'link', 'x'), { defaultMode: 0o755 })).toMatchObject({
    kind: 'failed',
  })
  expect(existsSync(join(root, 'real', 'x'))).toBe(false)
})

test('a file in the way of a directory is a failure', async () => {
  const root = directory()
  writeFileSync(join(root, 'a'), '')
  const outcome = await remediator.createDirectory(join(root, 'a', 'b'), { defaultMode: 0o755 })
  expect(outcome).toMatchObject({ kind: 'failed', message: expect.stringContaining('is not a directory') })
})

test('only a directory without entries is removed', async () => {
  const root = directory()
  mkdirSync(join(root, 'empty'))
  mkdirSync(join(root, 'full', 'sub'), { recursive: true })
  writeFileSync(join(root, 'file'), '')
  for (const name of ['empty', 'full', 'none', 'none/below']) {
    expect(await remediator.removeEmptyDirectory(join(root, name))).toEqual({ kind: 'done' })
  }
  expect(await remediator.removeEmptyDirectory(join(root, 'file'))).toMatchObject({ kind: 'failed' })
  expect(readdirSync(root)).toEqual(['file', 'full'])
})
