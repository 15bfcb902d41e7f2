import { chmodSync, chownSync, copyFileSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { hasProgram, run } from '../../../support/programs.ts'
import { needsRoot, temporaryDirectory } from '../../../support/temporary.ts'
import { audit, fix, type Values } from './scene.ts'

const NOBODY = 65_534
const ROOT = { owner: 'root', group: 'root' }

const skipped =
  needsRoot ??
  (['setfacl', 'getfacl', 'setcap', 'getcap'].every(hasProgram) ? undefined : 'needs the tools of acl and libcap')

function put(mode: number): string {
  const name = join(temporaryDirectory(), 'it')
  writeFileSync(name, 'secret')
  chmodSync(name, mode)
  return name
}

function folder(mode: number): string {
  const name = join(temporaryDirectory(), 'it')
  mkdirSync(name)
  chmodSync(name, mode)
  return name
}

/** One fix has to do, and what it cannot do the audit before it has to say. */
async function converges(values: Values): Promise<void> {
  await fix({ ...ROOT, ...values })
  const { drift } = await audit({ ...ROOT, ...values })
  expect(drift).toEqual([])
}

describe.skipIf(skipped)(`access is judged by what a fix leaves (${skipped ?? 'as root'})`, () => {
  test('an entry that a narrower mode makes worth more', async () => {
    const name = put(0o644)
    run('setfacl', '-m', 'u:nobody:rw,m::r', name)
    await converges({ name, mode: '0640' })
    expect(run('getfacl', '-cnp', name)).not.toContain('user:65534')
  })

  test('an entry that a wider mask makes worth more', async () => {
    const name = put(0o600)
    run('setfacl', '-m', 'u:nobody:rw,m::-', name)
    await converges({ name, mode: '0660' })
  })

  test('an entry of a directory', async () => {
    const name = folder(0o755)
    run('setfacl', '-m', 'u:nobody:rwx,m::rx', name)
    await converges({ name, ensure: 'directory', mode: '0750' })
  })

  test('a default entry of a directory that is opened', async () => {
    const name = folder(0o700)
    run('setfacl', '-d', '-m', 'u:nobody:rwx', name)
    await converges({ name, ensure: 'directory', mode: '0755' })
  })

  test('an entry of the former owner', async () => {
    const name = put(0o660)
    chownSync(name, NOBODY, 0)
    run('setfacl', '-m', 'u:nobody:rw', name)
    await converges({ name, mode: '0660' })
  })

  test('an entry of the former group', async () => {
    const name = put(0o660)
    chownSync(name, 0, 1)
    run('setfacl', '-m', 'g:1:rw', name)
    await converges({ name, mode: '0660' })
  })

  test('capabilities of a file that becomes a program', async () => {
    const name = put(0o644)
    copyFileSync('/bin/true', name)
    chmodSync(name, 0o644)
    run('setcap', 'cap_net_raw=ep', name)
    await converges({ name, mode: '0755' })
  })

  test('capabilities that a new owner has taken away already', async () => {
    const name = put(0o755)
    copyFileSync('/bin/true', name)
    chownSync(name, NOBODY, 0)
    run('setcap', 'cap_net_raw=ep', name)
    await converges({ name, mode: '0755' })
    expect(run('getcap', name)).toBe('')
  })

  test('an accepted entry stays', async () => {
    const name = put(0o644)
    run('setfacl', '-m', 'u:nobody:rw,m::r', name)
    await converges({ name, mode: { at_most: '0644' } })
    expect(run('getfacl', '-cnp', name)).toContain('user:65534:rw-')
  })

  test.each(['present', 'directory'])('something new (%s) where a default list gives more', async (ensure) => {
    const above = folder(0o755)
    run('setfacl', '-d', '-m', 'u:nobody:rwx', above)
    await converges({ name: join(above, 'new'), ensure, mode: ensure === 'present' ? '0640' : '0750' })
  })

  test('something new that a group can replace is said by the audit, and stays as the fix has left it', async () => {
    const above = folder(0o755)
    chownSync(above, 0, 1)
    chmodSync(above, 0o2775)
    const values = { ...ROOT, name: join(above, 'new'), ensure: 'present', content: 'x', mode: '0644' }
    const leaves = [
      { reason: expect.stringMatching(/^group daemon can write to .*, which a fix of its content leaves unchanged/) },
    ]
    expect((await audit(values)).plan).toMatchObject({ kind: 'act', leaves })
    await fix(values)
    expect(statSync(values.name).mode & 0o7777).toBe(0o644)
    expect((await audit(values)).drift.map(({ property }) => property)).toEqual(['access'])
    expect((await audit({ ...values, access: 'any' })).drift).toEqual([])
  })
})
