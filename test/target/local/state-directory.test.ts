import { chmodSync, chownSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { prepareStateDirectory, stateDirectories } from '../../../src/target/local/state-directory.ts'
import { needsRoot, temporaryDirectory } from '../../support/temporary.ts'

test.each([
  ['root', 0, undefined, ['/var/lib/driftgate', '/tmp/driftgate-0']],
  ['root with a state home', 0, '/state', ['/var/lib/driftgate', '/tmp/driftgate-0']],
  ['a user', 1000, undefined, ['/home/eve/.local/state/driftgate', '/tmp/driftgate-1000']],
  ['a user with a state home', 1000, '/state', ['/state/driftgate', '/tmp/driftgate-1000']],
  ['a relative state home is ignored', 1000, 'state', ['/home/eve/.local/state/driftgate', '/tmp/driftgate-1000']],
])('%s', (_name, uid, stateHome, expected) => {
  expect(stateDirectories({ uid, home: '/home/eve', temporary: '/tmp', stateHome })).toEqual(expected)
})

describe('a directory is used only if it is safe', () => {
  test('it is made for the running user alone', () => {
    const path = join(temporaryDirectory(), 'a/b')
    expect(prepareStateDirectory([path])).toEqual({ kind: 'ready', path })
    expect(statSync(path).mode & 0o777).toBe(0o700)
  })

  test('the next one is taken where others could write', () => {
    const base = temporaryDirectory()
    mkdirSync(join(base, 'open'))
    chmodSync(join(base, 'open'), 0o777)
    expect(prepareStateDirectory([join(base, 'open'), join(base, 'next')])).toEqual({
      kind: 'ready',
      path: join(base, 'next'),
    })
  })

  test.each([
    ['a file', (path: string) => writeFileSync(path, ''), 'is not a directory'],
    ['a link', (path: string) => symlinkSync('/', path), 'is not a directory'],
    ['writable by others', (path: string) => (mkdirSync(path), chmodSync(path, 0o722)), 'others can write'],
  ])('%s is refused', (_name, make, reason) => {
    const path = join(temporaryDirectory(), 'state')
    make(path)
    expect(prepareStateDirectory([path])).toMatchObject({
      kind: 'failed',
      message: expect.stringContaining(reason) as string,
    })
  })

  test.skipIf(needsRoot)('one of another user is refused (needs root)', () => {
    const path = temporaryDirectory()
    chownSync(path, 4711, 4711)
    expect(prepareStateDirectory([path])).toMatchObject({
      kind: 'failed',
      message: expect.stringContaining('another user') as string,
    })
  })

  test('one that cannot be made is refused with the reason', () => {
    expect(prepareStateDirectory(['/proc/no/such'])).toMatchObject({
      kind: 'failed',
      message: expect.stringContaining('/proc/no/such') as string,
    })
  })
})
