import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readRealPath, readTree } from '../../../src/host/live/tree-reader.ts'
import { asOrdinaryUser } from '../../support/unprivileged.ts'

function directory(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'driftgate-tree-')))
  chmodSync(path, 0o755)
  onTestFinished(() => rmSync(path, { recursive: true }))
  return path
}

test('directories come before their entries, names in the order of their bytes, links are not followed', () => {
  const root = directory()
  mkdirSync(join(root, 'a', 'b'), { recursive: true })
  mkdirSync(join(root, 'empty'))
  for (const path of ['a/b/c', 'a/z', 'a.txt', 'B', 'é', '\u{1f600}', '\uff5e', '.hidden'])
    writeFileSync(join(root, path), '')
  symlinkSync('a', join(root, 'link'))
  symlinkSync('nowhere', join(root, 'dangling'))
  execFileSync('mkfifo', [join(root, 'fifo')])
  const tree = readTree(root)
  const entries = tree.kind === 'known' ? tree.value.map(({ path, kind }) => `${kind} ${path}`) : []
  expect(entries).toEqual([
    'file .hidden',
    'file B',
    'directory a',
    'directory a/b',
    'file a/b/c',
    'file a/z',
    'file a.txt',
    'symlink dangling',
    'directory empty',
    'fifo fifo',
    'symlink link',
    'file é',
    'file \uff5e',
    'file \u{1f600}',
  ])
  symlinkSync(root, `${root}/self`)
  expect(readTree(join(root, 'self'))).toMatchObject({ kind: 'known' })
})

test('a missing directory and a non-directory are unknown', () => {
  const root = directory()
  writeFileSync(join(root, 'file'), '')
  expect(readTree(join(root, 'none'))).toMatchObject({ kind: 'unknown', reason: 'not-observable' })
  expect(readTree(join(root, 'file'))).toMatchObject({ kind: 'unknown' })
})

test('a directory that cannot be read makes the tree unknown', async () => {
  const root = directory()
  mkdirSync(join(root, 'closed'), { mode: 0 })
  const tree = await asOrdinaryUser(() => readTree(root))
  expect(tree).toMatchObject({ kind: 'unknown', reason: 'permission-denied' })
  chmodSync(join(root, 'closed'), 0o700)
})

test('a tree that is too deep is unknown', () => {
  const root = directory()
  mkdirSync(join(root, ...Array.from({ length: 300 }, () => 'd')), { recursive: true })
  expect(readTree(root)).toMatchObject({ kind: 'unknown', detail: `${root}: deeper than 256 directories` })
})

test('symlinks resolve to their target, to null if dangling, to unknown in a loop', () => {
  const root = directory()
  mkdirSync(join(root, 'a'))
  symlinkSync('a', join(root, 'link'))
  symlinkSync('nowhere', join(root, 'dangling'))
  symlinkSync('loop', join(root, 'loop'))
  expect(readRealPath(join(root, 'link'))).toEqual({ kind: 'known', value: join(root, 'a') })
  expect(readRealPath(join(root, 'dangling'))).toEqual({ kind: 'known', value: null })
  expect(readRealPath(join(root, 'loop'))).toMatchObject({ kind: 'unknown' })
})
