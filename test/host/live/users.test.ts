import { execFileSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openAccounts, parseEntries } from '../../../src/host/live/users.ts'
import { temporaryDirectory } from '../../support/temporary.ts'
import { everyVersion } from '../../support/captured.ts'

test('both databases have name and id in the same fields', () => {
  const { ids, names } = parseEntries(
    'root:x:0:0:root:/root:/bin/bash\ntoor:x:0:0::/:/bin/sh\n+nis\n-::\n# no\nbroken\nroot:x:7:\nadm:x:4:a,b\n',
  )
  expect([...ids]).toEqual([
    ['root', 0],
    ['toor', 0],
    ['adm', 4],
  ])
  expect([...names]).toEqual([
    [0, 'root'],
    [7, 'root'],
    [4, 'adm'],
  ])
})

test('the machine agrees with id(1)', async () => {
  const users = openAccounts({ file: '/etc/passwd', service: 'passwd' })
  for (const name of ['root', 'daemon', 'nobody']) {
    expect(await users.id(name)).toEqual({
      kind: 'known',
      value: Number(execFileSync('id', ['-u', name], { encoding: 'utf8' })),
    })
  }
  expect(users.name(0)).toBe('root')
  expect(users.name(4_000_000_000)).toBeUndefined()
})

test('a name without an account is known to be absent', async () => {
  const users = openAccounts({ file: '/etc/passwd', service: 'passwd' })
  expect(await users.id('no-such-user-here')).toEqual({ kind: 'known', value: null })
})

test.each(['', '-x', '+x', 'a:b', 'a\nb', 'a\0b'])('%j cannot be a name and is asked nowhere', (name) => {
  expect(openAccounts({ file: '/etc/passwd', service: 'passwd' }).id(name)).toEqual({ kind: 'known', value: null })
})

test('an account made during the run is seen', async () => {
  const file = join(temporaryDirectory(), 'passwd')
  writeFileSync(file, 'root:x:0:0::/:\n')
  const users = openAccounts({ file, service: 'passwd' })
  expect(await users.id('made-later')).toEqual({ kind: 'known', value: null })
  writeFileSync(file, 'root:x:0:0::/:\nmade-later:x:77:77::/:\n')
  expect(await users.id('made-later')).toEqual({ kind: 'known', value: 77 })
})

test('without the file there are no local accounts', () => {
  expect(openAccounts({ file: join(temporaryDirectory(), 'none'), service: 'passwd' }).name(0)).toBeUndefined()
})

test('a file that cannot be read leaves accounts unknown', () => {
  expect(openAccounts({ file: temporaryDirectory(), service: 'passwd' }).id('root')).toMatchObject({
    kind: 'unknown',
    reason: 'not-observable',
  })
})

/** A directory with a program named getent, or with none. */
function getentIn(script: string | undefined): string {
  const directory = temporaryDirectory()
  if (script !== undefined) writeFileSync(join(directory, 'getent'), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  return directory
}

test('a getent in the PATH of the caller is never run', async () => {
  const ran = join(temporaryDirectory(), 'ran')
  const path = process.env['PATH']
  process.env['PATH'] = `${getentIn(`touch ${ran}; echo "$2:*:0:0::/:"`)}:${path}`
  onTestFinished(() => {
    process.env['PATH'] = path
  })
  expect(await openAccounts({ file: '/etc/passwd', service: 'passwd' }).id('no-such-user')).toEqual({
    kind: 'known',
    value: null,
  })
  expect(existsSync(ran)).toBe(false)
})

// The answers of getent(1): a line of the database, or exit code 2 for an unknown key.
test.each<[string, string | undefined, object]>([
  ['an account of a directory service', 'echo "$2:*:5001:5001:Eve:/home/eve:/bin/sh"', { kind: 'known', value: 5001 }],
  ['no account', 'exit 2', { kind: 'known', value: null }],
  ['trouble', 'exit 1', { kind: 'unknown', reason: 'not-observable' }],
  ['an answer without an id', 'echo nonsense', { kind: 'unknown', reason: 'not-observable' }],
  ['no such tool', undefined, { kind: 'known', value: null }],
])('getent: %s', async (_name, script, expected) => {
  const searchPath = getentIn(script)
  expect(await openAccounts({ file: '/etc/passwd', service: 'passwd', searchPath }).id('eve')).toMatchObject(expected)
})

test('a name is asked once', async () => {
  const log = join(temporaryDirectory(), 'log')
  const searchPath = getentIn(`echo "$@" >> ${log}; echo "$2:x:5001:"`)
  const groups = openAccounts({ file: '/etc/group', service: 'group', searchPath })
  await Promise.all([groups.id('eve'), groups.id('eve')])
  await groups.id('eve')
  expect(execFileSync('/bin/cat', [log], { encoding: 'utf8' })).toBe('group eve\n')
})

test('the name of an id is found in the file, then asked for', async () => {
  const users = openAccounts({ file: '/etc/passwd', service: 'passwd' })
  expect(await users.findName(0)).toEqual({ kind: 'known', value: 'root' })
  expect(await users.findName(4_000_000_000)).toEqual({ kind: 'known', value: null })
})

test.each<[string, string | undefined, object]>([
  ['an account of a directory service', 'echo "eve:*:$2:5001:Eve:/home/eve:/bin/sh"', { kind: 'known', value: 'eve' }],
  ['a name made of digits', 'echo "$2:*:7:7::/:"', { kind: 'known', value: null }],
  ['no account', 'exit 2', { kind: 'known', value: null }],
  ['trouble', 'exit 1', { kind: 'unknown', reason: 'not-observable' }],
])('the name of an id, getent: %s', async (_name, script, expected) => {
  const searchPath = getentIn(script)
  expect(await openAccounts({ file: '/etc/passwd', service: 'passwd', searchPath }).findName(5001)).toMatchObject(
    expected,
  )
})

test('a database that cannot be read knows no names', () => {
  expect(openAccounts({ file: temporaryDirectory(), service: 'passwd' }).findName(0)).toMatchObject({ kind: 'unknown' })
})

test.each(everyVersion('getent', 'passwd'))('parses users of getent passwd: getent %s', (_version, { stdout }) => {
  expect([...parseEntries(stdout).ids]).toEqual([
    ['root', 0],
    ['daemon', 1],
    ['nobody', 65_534],
  ])
})

test.each(everyVersion('getent', 'group'))('parses groups of getent group: getent %s', (_version, { stdout }) => {
  expect([...parseEntries(stdout).names]).toEqual([
    [0, 'root'],
    [1, 'daemon'],
    [4, 'adm'],
    [65_534, 'nogroup'],
  ])
})

test.each(everyVersion('getent', 'missing'))(
  'getent ends with 2 for a name without an account: getent %s',
  (_version, missing) => {
    expect([missing.code, missing.stdout]).toEqual([2, ''])
  },
)
