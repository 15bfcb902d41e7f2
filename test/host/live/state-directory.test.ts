import { chmodSync, chownSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { describe, expect, test } from 'vitest'
import {
  ownStateDirectories,
  prepareStateDirectory,
  regularStateDirectory,
} from '../../../src/host/live/state-directory.ts'
import { needsRoot, temporaryDirectory } from '../../support/temporary.ts'
import { runAsNobody } from '../../support/unprivileged.ts'

test('it is that of the system for root, and below the state home of everyone else', () => {
  const home = join(homedir(), '.local/state/driftgate')
  const expected = process.geteuid?.() === 0 ? ['/var/lib/driftgate', '/var/lib/driftgate'] : ['/state/driftgate', home]
  expect(['/state', 'relative'].map(regularStateDirectory)).toEqual(expected)
})

describe('a directory is used only if it is safe', () => {
  test('it is made for the running user alone', () => {
    const path = join(temporaryDirectory(), 'a/b')
    expect(prepareStateDirectory(path)).toEqual({ kind: 'ready', path })
    expect(statSync(path).mode & 0o777).toBe(0o700)
  })

  test.each([
    ['a file', (path: string) => writeFileSync(path, ''), 'it is not a directory'],
    ['a link', (path: string) => symlinkSync('/', path), 'it is not a directory'],
    ['writable by others', (path: string) => (mkdirSync(path), chmodSync(path, 0o722)), 'other users can write'],
  ])('%s is refused', (_name, make, reason) => {
    const path = join(temporaryDirectory(), 'state')
    make(path)
    expect(prepareStateDirectory(path)).toMatchObject({
      kind: 'failed',
      message: expect.stringContaining(reason) as string,
    })
  })

  test.skipIf(needsRoot)('one of another user is refused (needs root)', () => {
    const path = temporaryDirectory()
    chownSync(path, 4711, 4711)
    expect(prepareStateDirectory(path)).toMatchObject({
      kind: 'failed',
      message: expect.stringContaining('another user') as string,
    })
  })

  test('a directory that other users can write to is not trusted, nor are its contents', () => {
    const path = join(temporaryDirectory(), 'state')
    expect(ownStateDirectories(path)).toEqual([])
    mkdirSync(join(path, 'roots/one'), { recursive: true, mode: 0o700 })
    expect(ownStateDirectories(path)).toEqual([path, join(path, 'roots/one')])
    chmodSync(path, 0o770)
    expect(() => ownStateDirectories(path)).toThrow(`cannot use ${path}: other users can write to it`)
  })

  test('a directory that cannot be created is refused with the reason', () => {
    expect(prepareStateDirectory('/proc/no/such')).toMatchObject({
      kind: 'failed',
      message: expect.stringContaining('/proc/no/such') as string,
    })
  })
})

test.skipIf(needsRoot)(
  'a user without a home directory has no state, and a fix is refused with what to do',
  async () => {
    const script = `
    import { ownStateDirectories, prepareStateDirectory } from './src/host/live/state-directory.ts'
    console.log(JSON.stringify([ownStateDirectories(), prepareStateDirectory()]))`
    expect(await runAsNobody(script, [], 4_123_456)).toEqual([
      [],
      {
        kind: 'failed',
        message: expect.stringMatching(/the user has no home directory; set another one with --state-dir/),
      },
    ])
  },
)
