import { modeOf } from '../../support/tree.ts'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { expect, onTestFinished, test } from 'vitest'
import { NO_JOURNAL } from '../../../src/host/live/journal.ts'
import { createLocalRemediator } from '../../../src/host/live/local-remediator.ts'
import { temporaryDirectory } from '../../support/temporary.ts'

const remediator = createLocalRemediator(NO_JOURNAL)
const OWN = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }

test.each([0o022, 0o077, 0o000])('directories above a wanted one get 0755 with the umask %o', async (mask) => {
  const before = process.umask(mask)
  onTestFinished(() => void process.umask(before))
  const root = temporaryDirectory()
  await remediator.createDirectory(join(root, 'a/b/c'), { ...OWN, mode: 0o700 })
  expect(['a', 'a/b', 'a/b/c'].map((name) => modeOf(join(root, name)))).toEqual([0o755, 0o755, 0o700])
  await remediator.createDirectory(join(root, 'd/e'), { ...OWN, mode: 0o755, parentsMode: 0o750 })
  expect(['d', 'd/e'].map((name) => modeOf(join(root, name)))).toEqual([0o750, 0o755])
  await remediator.createDirectory(join(root, 'f/g'), { defaultMode: 0o755 })
  expect(['f', 'f/g'].map((name) => modeOf(join(root, name)))).toEqual([0o755, 0o755])
})

test('a directory that is there keeps its permissions', async () => {
  const root = temporaryDirectory()
  mkdirSync(join(root, 'a'), { mode: 0o711 })
  await remediator.createDirectory(join(root, 'a/b'), { ...OWN, mode: 0o700 })
  expect(modeOf(join(root, 'a'))).toBe(0o711)
})
