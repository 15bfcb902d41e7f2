import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { compilePatterns } from '../../../../src/model/path-patterns.ts'
import type { EntryAttributes, TreeFinding, TreeQuery } from '../../../../src/host/file-trees.ts'
import { staysIn } from '../../../../src/host/live/trees/listing.ts'
import { openFileSystems } from '../../../../src/host/live/trees/file-systems.ts'
import { openFileTrees, THIS_MACHINE } from '../../../../src/host/live/trees/trees.ts'
import { bindMount, cannotMount, mount } from '../../../support/mount.ts'
import { needsRoot, temporaryDirectory } from '../../../support/temporary.ts'
import { runAsNobody } from '../../../support/unprivileged.ts'

const REPOSITORY = new URL('../../../../', import.meta.url).pathname

function query(directory: string, asked: Partial<TreeQuery> = {}): TreeQuery {
  return {
    directory,
    depth: Infinity,
    fileSystems: 'own',
    include: undefined,
    exclude: compilePatterns([]),
    judge: ({ kind }) => (kind === 'file' ? 'listed' : 'fine'),
    signal: new AbortController().signal,
    timeoutMs: 60_000,
    ...asked,
  }
}

async function find(asked: TreeQuery, trees = openFileTrees()): Promise<TreeFinding> {
  const seen = await trees.find(asked)
  if (seen.kind !== 'present') throw new Error(JSON.stringify(seen))
  return seen.state
}

function paths({ entries }: TreeFinding): readonly string[] {
  return entries.map(({ path }) => path)
}

function put(directory: string, ...names: readonly string[]): void {
  mkdirSync(directory, { recursive: true })
  for (const name of names) writeFileSync(join(directory, name), '')
}

test('links are not followed, but the directory itself may be one', async () => {
  const base = temporaryDirectory()
  put(join(base, 'elsewhere'), 'x')
  put(join(base, 'real'), 'a')
  symlinkSync('../elsewhere', join(base, 'real/link'))
  symlinkSync('real', join(base, 'tree'))
  const found = await find(query(join(base, 'tree')))
  expect({ paths: paths(found), count: found.count }).toEqual({ paths: ['a'], count: 3 })
})

test('nothing is absent, and what is no directory is invalid', async () => {
  const base = temporaryDirectory()
  put(base, 'file')
  const trees = openFileTrees()
  expect(await trees.find(query(join(base, 'none')))).toMatchObject({ kind: 'absent' })
  expect(await trees.find(query(join(base, 'file')))).toMatchObject({ kind: 'unknown', reason: 'invalid' })
})

test('each attribute is judged once, and may be judged later', async () => {
  const base = temporaryDirectory()
  put(join(base, 'a/b'), ...Array.from({ length: 50 }, (_, index) => `f${index}`))
  chmodSync(join(base, 'a/b/f7'), 0o600)
  const asked: EntryAttributes[] = []
  const judge: TreeQuery['judge'] = async (attributes) => {
    asked.push(attributes)
    return attributes.mode === 0o600 ? 'listed' : 'fine'
  }
  expect(paths(await find(query(base, { judge })))).toEqual(['a/b/f7'])
  expect(new Set(asked.map(({ kind, mode }) => `${kind} ${mode}`)).size).toBe(asked.length)
})

test('a tree is read once for all queries, and again once it has changed', async () => {
  const base = temporaryDirectory()
  put(join(base, 'a/b'), 'x')
  const trees = openFileTrees()
  expect(paths(await find(query(base), trees))).toEqual(['a/b/x'])
  put(join(base, 'a/b'), 'y')
  expect(paths(await find(query(base), trees))).toEqual(['a/b/x'])
  expect(paths(await find(query(join(base, 'a')), trees))).toEqual(['b/x'])
  trees.forget()
  expect(paths(await find(query(join(base, 'a')), trees))).toEqual(['b/x', 'b/y'])
})

test('after a change of attributes only the directories with these paths are read again', async () => {
  const base = temporaryDirectory()
  put(join(base, 'a'), 'x')
  put(join(base, 'a/below'), 'y')
  put(join(base, 'b'), 'z')
  // Where something is mounted twice, as in many a container, all is read again.
  const trees = openFileTrees({ ground: { ...THIS_MACHINE, fileSystems: () => openFileSystems(() => []) } })
  const judge: TreeQuery['judge'] = ({ kind, mode }) => (kind === 'file' && mode === 0o600 ? 'listed' : 'fine')
  expect(paths(await find(query(base, { judge }), trees))).toEqual([])
  for (const name of ['a/x', 'b/z']) chmodSync(join(base, name), 0o600)
  trees.forget([join(base, 'a/x')])
  expect(paths(await find(query(base, { judge }), trees))).toEqual(['a/x'])
  for (const name of ['a/below/y', 'a/x']) chmodSync(join(base, name), name === 'a/x' ? 0o644 : 0o600)
  trees.forget([join(base, 'a/x'), join(base, 'a/below/y')])
  expect(paths(await find(query(base, { judge }), trees))).toEqual(['a/below/y'])
  // The attributes of a root would not be read again.
  trees.forget([base])
  expect(paths(await find(query(base, { judge }), trees))).toEqual(['a/below/y', 'b/z'])
})

test('excluded directories are not read until a query includes them', async () => {
  const base = temporaryDirectory()
  put(join(base, 'skipped/deep'), 'x')
  const trees = openFileTrees()
  expect(paths(await find(query(base, { exclude: compilePatterns(['skipped']) }), trees))).toEqual([])
  expect(paths(await find(query(base, { depth: 1 }), trees))).toEqual([])
  put(join(base, 'skipped'), 'y')
  expect(paths(await find(query(base), trees))).toEqual(['skipped/deep/x', 'skipped/y'])
})

test('more entries than are kept are found all the same', async () => {
  const base = temporaryDirectory()
  for (const name of ['a', 'b', 'c']) put(join(base, name), '1', '2', '3')
  const trees = openFileTrees({ mostKept: 4 })
  const all = ['a/1', 'a/2', 'a/3', 'b/1', 'b/2', 'b/3', 'c/1', 'c/2', 'c/3']
  expect(paths(await find(query(base), trees))).toEqual(all)
  expect(paths(await find(query(base), trees))).toEqual(all)
})

test('a directory that is replaced or gone meanwhile ends nothing', async () => {
  const base = temporaryDirectory()
  put(join(base, 'gone'), 'x')
  put(join(base, 'link'), 'y')
  put(join(base, 'stays'), 'z')
  put(join(base, 'outside'), 'o')
  // The first judgement is that of the directory itself: after it nothing below was read.
  const judge: TreeQuery['judge'] = ({ kind, mode }) => {
    if (mode === 0o700) {
      rmSync(join(base, 'gone'), { recursive: true })
      rmSync(join(base, 'link'), { recursive: true })
      symlinkSync('outside', join(base, 'link'))
    }
    return kind === 'file' ? 'listed' : 'fine'
  }
  // Where others can write, a directory is proved to be none behind a link.
  chmodSync(base, 0o777)
  chmodSync(join(base, 'outside'), 0o700)
  const found = await find(query(base, { judge, exclude: compilePatterns(['outside/*']) }))
  expect({ paths: paths(found), unread: found.unread }).toEqual({ paths: ['stays/z'], unread: [] })
})

test('an interrupted or slow search is unknown, and entries found until then are kept', async () => {
  const base = temporaryDirectory()
  put(join(base, 'a'), 'x')
  const end = new AbortController()
  end.abort()
  const interrupted = await find(query(base, { signal: end.signal }))
  expect(interrupted.unread).toEqual([{ kind: 'unknown', reason: 'timeout', detail: `${base}: interrupted` }])
  const late = await find(query(base, { timeoutMs: 0 }))
  expect(late.unread).toMatchObject([{ kind: 'unknown', reason: 'timeout' }])
  expect(late.unread[0]?.detail).toContain('timed out after 0 s')
})

test('storage directories of containers are not entered unless requested', async () => {
  // It must lie where it would lie: below the root.
  const { containersBelow } = await import('../../../../src/host/live/trees/file-systems.ts')
  const { stepInto } = await import('../../../../src/model/path-patterns.ts')
  expect(stepInto(containersBelow('/var/lib'), 'docker').isMatch).toBe(true)
  expect(stepInto(containersBelow('/home/somebody/.local/share'), 'containers').isMatch).toBe(true)
  expect(containersBelow('/var/lib/docker')).toEqual([])
  expect(containersBelow('/var/lib/docker/overlay2/x/diff')).toEqual([])
})

test.skipIf(needsRoot)('a directory that cannot be entered is denied, not empty (needs root)', async () => {
  const base = temporaryDirectory()
  for (const name of ['closed', 'listed', 'open']) put(join(base, name), 'x', 'y')
  chmodSync(join(base, 'closed'), 0o700)
  // Names can be read, and nothing can be looked at.
  chmodSync(join(base, 'listed'), 0o744)
  const found = await runAsNobody(
    `import { openFileTrees } from '${REPOSITORY}src/host/live/trees/trees.ts'
    const signal = new AbortController().signal
    const judge = ({ kind }) => (kind === 'file' ? 'listed' : 'fine')
    const query = { depth: Infinity, fileSystems: 'own', include: undefined, exclude: [], judge, signal, timeoutMs: 9e9 }
    const seen = await openFileTrees().find({ directory: process.argv[2], ...query })
    console.log(JSON.stringify(seen.state))`,
    [base],
  )
  expect(found).toMatchObject({
    entries: [{ path: 'open/x' }, { path: 'open/y' }],
    unread: [
      { reason: 'permission-denied', detail: expect.stringMatching(/listed\/[xy]: permission denied/) as unknown },
      { reason: 'permission-denied', detail: `${base}/closed: permission denied` },
    ],
  })
})

test.skipIf(cannotMount)('other file systems are only entered where that is said (needs root)', async () => {
  const base = temporaryDirectory()
  put(base, 'a')
  const memory = mount(['-t', 'tmpfs', 'tmpfs'], join(base, 'memory'))
  put(join(memory, 'below'), 'b')
  const inner = mount(['-t', 'tmpfs', 'tmpfs'], join(memory, 'below/inner'))
  put(inner, 'c')
  mount(['-t', 'proc', 'proc'], join(memory, 'kernel'))
  const own = await find(query(base))
  expect({ paths: paths(own), leftOut: own.leftOut }).toEqual({
    paths: ['a'],
    leftOut: [{ path: 'memory', why: 'tmpfs' }],
  })
  const local = await find(query(base, { fileSystems: 'all_local' }))
  expect({ paths: paths(local), leftOut: local.leftOut }).toEqual({
    paths: ['a', 'memory/below/b', 'memory/below/inner/c'],
    leftOut: [{ path: 'memory/kernel', why: 'proc' }],
  })
  // As find(1) has it.
  const truth = (...words: readonly string[]): string =>
    execFileSync('find', [base, ...words, '-type', 'f', '-printf', String.raw`%P\n`], { encoding: 'utf8' })
  expect(truth('-xdev').trim().split('\n')).toEqual(paths(own))
})

test.skipIf(cannotMount)('a file system that is mounted twice is searched once (needs root)', async () => {
  const base = temporaryDirectory()
  const memory = mount(['-t', 'tmpfs', 'tmpfs'], join(base, 'memory'))
  put(join(memory, 'a/b'), 'x')
  bindMount(join(memory, 'a'), join(base, 'twin'))
  const found = await find(query(base, { fileSystems: 'all_local' }))
  expect(paths(found)).toHaveLength(1)
  expect(statSync(join(base, 'twin/b/x')).ino).toBe(statSync(join(memory, 'a/b/x')).ino)
})

test.skipIf(cannotMount)('an overlay that is the root of a tree is looked at like any (needs root)', async () => {
  const base = temporaryDirectory()
  const disk = mount(['-t', 'tmpfs', 'tmpfs'], join(base, 'disk'))
  put(join(disk, 'lower/d'), 'below')
  put(join(disk, 'upper/d'), 'above')
  mkdirSync(join(disk, 'work'))
  const layers = `lowerdir=${disk}/lower,upperdir=${disk}/upper,workdir=${disk}/work`
  const over = mount(['-t', 'overlay', 'overlay', '-o', layers], join(base, 'over'))
  expect(paths(await find(query(over)))).toEqual(['d/above', 'd/below'])
  const all = await find(query(base, { fileSystems: 'all_local' }))
  expect(paths(all)).toContain('over/d/below')
})

test.skipIf(cannotMount)('a directory that is overmounted meanwhile is not observable (needs root)', async () => {
  const base = temporaryDirectory()
  put(join(base, 'a'), 'x')
  put(join(base, 'b'), 'y')
  chmodSync(base, 0o777)
  let isMounted = false
  const judge: TreeQuery['judge'] = ({ kind }) => {
    if (kind === 'directory' && !isMounted) mount(['-t', 'tmpfs', 'tmpfs'], join(base, 'a'))
    isMounted = true
    return kind === 'file' ? 'listed' : 'fine'
  }
  const found = await find(query(base, { judge, include: compilePatterns(['*']) }))
  expect(paths(found)).toEqual(['b/y'])
  expect(found.unread).toMatchObject([{ reason: 'not-observable', detail: `${base}/a was replaced during the scan` }])
})

test.each([
  ['root, writable only by root', { uid: 0, mode: 0o755 }, 7, true],
  ['another user', { uid: 7, mode: 0o755 }, 0, false],
  ['root, and a group can write there', { uid: 0, mode: 0o775 }, 0, false],
  ['root, and all can, but no more than what is their own', { uid: 0, mode: 0o1777 }, 0, true],
  ['root, and all can, with what is their own', { uid: 0, mode: 0o1777 }, 7, false],
])('whether something stays in a directory of %s', (_, directory, owner, stays) => {
  expect(staysIn(directory, owner)).toBe(stays)
})
