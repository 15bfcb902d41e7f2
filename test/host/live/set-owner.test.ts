import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, linkSync, lstatSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { NO_JOURNAL } from '../../../src/host/live/journal.ts'
import { createLocalRemediator } from '../../../src/host/live/local-remediator.ts'
import { needsRoot, temporaryDirectory } from '../../support/temporary.ts'
import { runAsNobody } from '../../support/unprivileged.ts'

const remediator = createLocalRemediator(NO_JOURNAL)
const done = { kind: 'done' }

function ownerOf(path: string): [uid: number, gid: number] {
  const { uid, gid } = lstatSync(path)
  return [uid, gid]
}

/** A directory with a file, a link to a file outside, one to a directory outside, a fifo and a subdirectory. */
function plantTree(): { readonly tree: string; readonly outside: string } {
  const base = temporaryDirectory()
  const tree = join(base, 'tree')
  const outside = join(base, 'outside')
  mkdirSync(join(tree, 'sub/deeper'), { recursive: true })
  mkdirSync(outside)
  writeFileSync(join(outside, 'file'), '')
  writeFileSync(join(tree, 'file'), '')
  writeFileSync(join(tree, 'sub/deeper/file'), '')
  symlinkSync('../outside/file', join(tree, 'to-file'))
  symlinkSync('../outside', join(tree, 'to-directory'))
  symlinkSync('nowhere', join(tree, 'dangling'))
  execFileSync('mkfifo', [join(tree, 'fifo')])
  return { tree, outside }
}

const MEMBERS = ['file', 'sub', 'sub/deeper', 'sub/deeper/file', 'to-file', 'to-directory', 'dangling', 'fifo']

test.skipIf(needsRoot)('only what is named changes; the rest of a tree does with recursive', async () => {
  const { tree, outside } = plantTree()
  expect(await remediator.setOwner(tree, { uid: 1234 })).toEqual(done)
  expect(ownerOf(tree)).toEqual([1234, 0])
  expect(MEMBERS.map((name) => ownerOf(join(tree, name)))).toEqual(MEMBERS.map(() => [0, 0]))
  expect(await remediator.setOwner(tree, { gid: 77 }, { recursive: true })).toEqual(done)
  expect(ownerOf(tree)).toEqual([1234, 77])
  expect(MEMBERS.map((name) => ownerOf(join(tree, name)))).toEqual(MEMBERS.map(() => [0, 77]))
  expect([ownerOf(outside), ownerOf(join(outside, 'file'))]).toEqual([
    [0, 0],
    [0, 0],
  ])
})

test.skipIf(needsRoot)('a link is changed itself, never what it leads to', async () => {
  const { tree, outside } = plantTree()
  expect(await remediator.setOwner(join(tree, 'to-directory'), { uid: 1, gid: 2 }, { recursive: true })).toEqual(done)
  expect(ownerOf(join(tree, 'to-directory'))).toEqual([1, 2])
  expect([ownerOf(outside), ownerOf(join(outside, 'file'))]).toEqual([
    [0, 0],
    [0, 0],
  ])
})

test.skipIf(needsRoot)('a link above that others control is not followed', async () => {
  const { tree, outside } = plantTree()
  chmodSync(tree, 0o1777)
  expect(await remediator.setOwner(join(tree, 'to-directory/file'), { uid: 1 })).toMatchObject({
    kind: 'failed',
    message: expect.stringContaining('symbolic link "to-directory"') as string,
  })
  expect(ownerOf(join(outside, 'file'))).toEqual([0, 0])
})

test.skipIf(needsRoot)('a file keeps its set-id bits with the same owner and loses them with a new one', async () => {
  const path = join(temporaryDirectory(), 'program')
  writeFileSync(path, '')
  chownSync(path, 5, 6)
  chmodSync(path, 0o6755)
  expect(await remediator.setOwner(path, { uid: 5, gid: 6 })).toEqual(done)
  expect(lstatSync(path).mode & 0o7777).toBe(0o6755)
  expect(await remediator.setOwner(path, { uid: 7 })).toEqual(done)
  expect([ownerOf(path), lstatSync(path).mode & 0o7777]).toEqual([[7, 6], 0o755])
})

test('an interrupted walk says so', async () => {
  const { tree } = plantTree()
  const owner = { uid: process.geteuid?.() ?? 0 }
  expect(await remediator.setOwner(tree, owner, { recursive: true, signal: AbortSignal.abort() })).toEqual({
    kind: 'failed',
    message: `cannot set the owner of ${tree}: interrupted`,
  })
})

test.each<[string, string, boolean]>([
  ['/no/such/file', 'cannot set the owner of /no/such/file: "/no/such" is not a directory: it does not exist', false],
  ['/nothing-here', 'cannot set the owner of /nothing-here: no such file or directory', false],
  ['/', 'cannot set the owner of /: it is the root of the file system', true],
])('%s is refused', async (path, message, recursive) => {
  expect(await remediator.setOwner(path, { uid: 0 }, { recursive })).toEqual({ kind: 'failed', message })
})

test.skipIf(needsRoot)('a file with further names is changed where the system protects links', async () => {
  const directory = temporaryDirectory()
  writeFileSync(join(directory, 'a'), '')
  linkSync(join(directory, 'a'), join(directory, 'b'))
  const isProtected = execFileSync('cat', ['/proc/sys/fs/protected_hardlinks'], { encoding: 'utf8' }).trim() !== '0'
  const outcome = await remediator.setOwner(join(directory, 'a'), { uid: 9 })
  expect(outcome.kind).toBe(isProtected ? 'done' : 'failed')
  expect(ownerOf(join(directory, 'b'))).toEqual([isProtected ? 9 : 0, 0])
})

test.skipIf(needsRoot)('an unprivileged user gets an error that names the file', async () => {
  const { tree } = plantTree()
  const program = `
    import { NO_JOURNAL } from './src/host/live/journal.ts'
    import { createLocalRemediator } from './src/host/live/local-remediator.ts'
    const remediator = createLocalRemediator(NO_JOURNAL)
    const [, , tree] = process.argv
    console.log(JSON.stringify(await remediator.setOwner(tree, { uid: 65534 })))`
  expect(await runAsNobody(program, [tree])).toEqual({
    kind: 'failed',
    message: `cannot set the owner of ${tree}: operation not permitted; run as root; for root, look for an immutable attribute with lsattr`,
  })
})
