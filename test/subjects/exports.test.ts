import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runPolicies } from '../../src/engine/run.ts'
import { loadPolicy } from '../../src/policy/load.ts'
import { resourceTypes } from '../support/resource-types.ts'
import { createLocalTarget } from '../../src/host/live/local-target.ts'
import { type Given, sensorType } from '../support/sensor.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const { username, uid, gid } = userInfo()
const OWNER = { owner: String(uid), group: String(gid) }
const OWNED = { owner: username, uid, group: execFileSync('id', ['-gn']).toString().trim(), gid }

const given: Given = {}
const types = [...resourceTypes, sensorType({}, given)]

/** Everything that a later resource can read of one, with `none` for what it does not have. */
async function readOf(
  type: string,
  body: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, unknown>>> {
  delete given['reader']
  const fields = Object.keys(types.find((each) => each.type === type)?.exports ?? {})
  const data = Object.fromEntries(fields.map((name) => [name, `{{ lookup("resources.it.${name}", "none") }}`]))
  const resources = [{ [type]: { alias: 'it', ...body } }, { sensor: { name: 'reader', ensure: 'any', data } }]
  const file = join(temporaryDirectory(), 'p.yaml')
  writeFileSync(file, JSON.stringify({ ccm: { resources } }))
  const loaded = await loadPolicy(file, { types })
  if (!loaded.ok) throw new Error(loaded.problems.map(({ message }) => message).join('\n'))
  await runPolicies(loaded.value, { target: createLocalTarget(), types })
  return Object(given['reader']?.['data'])
}

const nothing = (fields: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(fields.map((name) => [name, 'none']))

// printf hello | sha256sum
const HELLO = '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824'

test('of a file', async () => {
  const name = join(temporaryDirectory(), 'a')
  writeFileSync(name, 'hello')
  chmodSync(name, 0o640)
  const seen = { path: name, exists: true, type: 'file', ...OWNED, mode: '0640', size: 5 }
  const wanted = { name, ensure: 'present', ...OWNER, mode: '0600' }
  expect(await readOf('file', { ...wanted, content: 'other' })).toEqual({ ...seen, checksum: HELLO })
  expect(await readOf('file', wanted)).toEqual({ ...seen, checksum: 'none' })
})

test('of a directory and of a link that leads nowhere', async () => {
  const directory = temporaryDirectory()
  chmodSync(directory, 0o750)
  const wanted = { ensure: 'present', ...OWNER, mode: '0600' }
  expect(await readOf('file', { name: directory, ...wanted })).toMatchObject({ type: 'directory', mode: '0750' })
  symlinkSync('nowhere', join(directory, 'link'))
  expect(await readOf('file', { name: join(directory, 'link'), ...wanted })).toMatchObject({
    exists: true,
    type: 'symlink',
  })
})

test('of a file that is not there', async () => {
  const name = join(temporaryDirectory(), 'a')
  expect(await readOf('file', { name, ensure: 'absent' })).toEqual({
    path: name,
    exists: false,
    ...nothing(['type', 'owner', 'uid', 'group', 'gid', 'mode', 'size', 'checksum']),
  })
})

test('of an archive', async () => {
  const directory = temporaryDirectory()
  const name = join(directory, 'a.tgz')
  const creates = join(directory, 'app')
  const wanted = { name, ensure: 'present', url: 'https://host.invalid/a.tgz', ...OWNER }
  const unpacked = { ...wanted, extract_parent: directory, creates }
  expect(await readOf('archive', unpacked)).toEqual({
    path: name,
    exists: false,
    created: false,
    ...nothing(['owner', 'uid', 'group', 'gid', 'checksum']),
  })
  writeFileSync(name, 'hello')
  mkdirSync(creates)
  const seen = { path: name, exists: true, created: true, ...OWNED }
  expect(await readOf('archive', unpacked)).toEqual({ ...seen, checksum: 'none' })
  const checked = { ...unpacked, checksum: '0'.repeat(64) }
  expect(await readOf('archive', checked)).toEqual({ ...seen, checksum: HELLO })
  expect(await readOf('archive', wanted)).toMatchObject({ exists: true, created: 'none' })
})

test('of the guards of a command', async () => {
  const directory = temporaryDirectory()
  const wanted = { name: 'c', command: '/bin/true' }
  expect(await readOf('exec', { ...wanted, creates: directory })).toEqual({
    created: true,
    ...nothing(['onlyif', 'unless']),
  })
  expect(await readOf('exec', { ...wanted, creates: join(directory, 'a') })).toMatchObject({ created: false })
  expect(await readOf('exec', { ...wanted, onlyif: `/bin/sh -c 'exit 3'` })).toEqual({
    onlyif: 3,
    ...nothing(['created', 'unless']),
  })
  expect(await readOf('exec', { ...wanted, unless: `/bin/sh -c 'exit 4'` })).toEqual({
    unless: 4,
    ...nothing(['created', 'onlyif']),
  })
})

test('of a scaffold', async () => {
  const directory = temporaryDirectory()
  const at = (name: string): string => join(directory, name)
  mkdirSync(at('source'))
  for (const name of ['same', 'other', 'missing']) writeFileSync(at(`source/${name}`), name)
  const wanted = { name: at('target'), ensure: 'present', source: at('source') }
  expect(await readOf('scaffold', wanted)).toEqual({
    path: at('target'),
    exists: false,
    ...nothing(['stable', 'changed', 'purged']),
  })
  mkdirSync(at('target'))
  for (const [name, text] of Object.entries({ same: 'same', other: 'x', foreign: '' }))
    writeFileSync(at(`target/${name}`), text)
  const seen = { path: at('target'), exists: true, stable: [at('target/same')] }
  const changed = [at('target/missing'), at('target/other')]
  expect(await readOf('scaffold', wanted)).toEqual({ ...seen, changed, purged: [] })
  expect(await readOf('scaffold', { ...wanted, purge: true })).toEqual({
    ...seen,
    changed,
    purged: [at('target/foreign')],
  })
  expect(await readOf('scaffold', { ...wanted, ensure: 'absent' })).toMatchObject({
    exists: true,
    stable: [at('target/other'), at('target/same')],
  })
})
