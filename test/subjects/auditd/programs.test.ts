import { execFileSync } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { findPrograms, type Programs } from '../../../src/subjects/auditd/programs.ts'
import { createLocalTarget } from '../../../src/host/live/local-target.ts'
import { put } from '../../support/contract.ts'
import { bindMount, cannotMount, mount } from '../../support/mount.ts'
import { needsRoot, temporaryDirectory } from '../../support/temporary.ts'
import { runAsNobody } from '../../support/unprivileged.ts'

const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url))

const SIGNAL = new AbortController().signal

async function programsBelow(directory: string): Promise<Programs> {
  const found = await findPrograms(createLocalTarget(), directory, SIGNAL)
  if (found.kind === 'unknown') throw new Error(found.detail)
  return found.value
}

/** Puts a file there that runs as its owner, or with another of the two bits as its group. */
function program(directory: string, path: string, mode = 0o4755): string {
  put(directory, { [path]: '' })
  chmodSync(join(directory, path), mode)
  return join(directory, path)
}

test('programs are files with either of the two bits, as find has them', async () => {
  const directory = temporaryDirectory()
  const user = program(directory, 'bin/a')
  const group = program(directory, 'bin/b', 0o2711)
  const both = program(directory, 'c', 0o6000)
  program(directory, 'plain', 0o1777)
  chmodSync(join(directory, 'bin'), 0o2755)
  const { paths } = await programsBelow(directory)
  expect(paths).toEqual([user, group, both])
  const found = execFileSync('find', [directory, '-xdev', '-type', 'f', '-perm', '/6000'], { encoding: 'utf8' })
  expect(found.trim().split('\n').toSorted()).toEqual(paths)
})

test('the programs of a missing directory are unknown', async () => {
  const found = await findPrograms(createLocalTarget(), '/nothing/here', SIGNAL)
  expect(found).toMatchObject({ kind: 'unknown', detail: expect.stringContaining('does not exist') })
})

test.skipIf(needsRoot)('a directory that cannot be read may hold others (needs root)', async () => {
  const directory = temporaryDirectory()
  const user = program(directory, 'bin/a')
  program(directory, 'closed/b')
  chmodSync(join(directory, 'closed'), 0o700)
  const seen = await runAsNobody(
    `import { findPrograms } from '${REPOSITORY}src/subjects/auditd/programs.ts'
     import { createLocalTarget } from '${REPOSITORY}src/host/live/local-target.ts'
     const found = await findPrograms(createLocalTarget(), process.argv[2], new AbortController().signal)
     console.log(JSON.stringify(found.value))`,
    [directory],
  )
  expect(seen).toMatchObject({ paths: [user], unread: [{ reason: 'permission-denied' }] })
})

test.skipIf(cannotMount)('programs that cannot be run as another user do not count (needs root)', async () => {
  const directory = temporaryDirectory()
  const tmpfs = (options: string, path: string) => mount(['-t', 'tmpfs', 'tmpfs', '-o', options], join(directory, path))
  program(tmpfs('nosuid', 'with [a] space'), 'a')
  program(tmpfs('noexec', 'noexec'), 'a')
  const counted = [program(tmpfs('nodev', 'counted'), 'a')]
  // Below a mount at which they do not count there is one at which they do.
  const outer = tmpfs('nosuid', 'outer')
  counted.push(program(tmpfs('nodev', 'outer/inner'), 'a'), program(outer, 'may count'))
  expect((await programsBelow(directory)).paths).toEqual(counted)
})

test.skipIf(cannotMount)('a program mounted twice counts at the mount where it can be run (needs root)', async () => {
  const directory = temporaryDirectory()
  const real = program(directory, 'real/bin/a')
  const twin = bindMount(join(directory, 'real'), join(directory, 'twin'))
  execFileSync('mount', ['-o', 'remount,bind,nosuid', twin])
  expect((await programsBelow(directory)).paths).toEqual([real])
})
