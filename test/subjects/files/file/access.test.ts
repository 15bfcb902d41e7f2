import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { FIRST_LOOK } from '../../../../src/model/decision.ts'
import { unknown } from '../../../../src/model/observation.ts'
import { file } from '../../../../src/subjects/files/file/index.ts'
import type { Examination } from '../../../../src/resource-type/define.ts'
import { openAccessReader } from '../../../../src/host/live/access/reader.ts'
import { createLocalTarget } from '../../../../src/host/live/local-target.ts'
import { hasProgram, run } from '../../../support/programs.ts'
import { needsRoot, temporaryDirectory } from '../../../support/temporary.ts'
import { audit, fix, type Values } from './scene.ts'

const NOBODY = 65_534
const DESIRED = 'no access beyond owner, group and mode'

const skipped =
  needsRoot ??
  (['setfacl', 'getfacl', 'setcap', 'getcap'].every(hasProgram) ? undefined : 'needs the tools of acl and libcap')

/** Whether the user nobody can do this. */
function canNobody(program: string, ...args: readonly string[]): boolean {
  return spawnSync(program, args, { uid: NOBODY, gid: NOBODY }).status === 0
}

function put(path: string, mode: number): string {
  writeFileSync(path, 'secret')
  chmodSync(path, mode)
  return path
}

const ROOT = { owner: 'root', group: 'root' }

async function found(values: Values): Promise<readonly unknown[]> {
  const { drift } = await audit({ ...ROOT, ...values })
  return drift.map(({ property, observed }) => [property, observed])
}

describe.skipIf(skipped)(`access beyond mode bits (${skipped ?? 'as root'})`, () => {
  test('an ACL lets the account nobody read a file of mode 0640, until a fix removes the entry', async () => {
    const name = put(join(temporaryDirectory(), 'shadow'), 0o640)
    chownSync(name, 0, 42)
    run('setfacl', '-m', 'u:nobody:r,u:root:rw,g:42:r', name)
    run('chmod', '0640', name)
    expect(statSync(name).mode & 0o7777).toBe(0o640)
    expect(canNobody('cat', name)).toBe(true)
    const values = { name, owner: 'root', group: '42', mode: '0640' }
    const { drift, plan } = await audit(values)
    expect(drift).toEqual([{ property: 'access', desired: DESIRED, observed: 'user nobody may read (ACL)' }])
    expect(plan).toMatchObject({ text: 'Would have updated attributes', obstacles: [] })
    const { outcome, after } = await fix(values)
    expect([outcome, after.drift]).toEqual([{ kind: 'done' }, []])
    expect(canNobody('cat', name)).toBe(false)
    // What gives no more than the mode is not touched.
    expect(run('getfacl', '-cpnE', name)).toBe(
      'user::rw-\nuser:0:rw-\ngroup::r--\ngroup:42:r--\nmask::r--\nother::---\n\n',
    )
  })

  test('an ACL without its last entry is gone, and the group keeps its permissions', async () => {
    const name = put(join(temporaryDirectory(), 'file'), 0o640)
    run('setfacl', '-m', 'u:nobody:r,g::-', name)
    const { after } = await fix({ name, ...ROOT, mode: { at_most: '0640' } })
    expect(after.drift).toEqual([])
    expect(run('getfacl', '-cp', name)).toBe('user::rw-\ngroup::---\nother::---\n\n')
    run('setfacl', '-m', 'u:nobody:r,g::-', name)
    await fix({ name, ...ROOT, mode: '0640' })
    expect(run('getfacl', '-cp', name)).toBe('user::rw-\ngroup::r--\nother::---\n\n')
  })

  test.each<[string, readonly [string, number, string], readonly string[]]>([
    ['all users may read', ['u:nobody:rw', 0o644, '0644'], []],
    ['the mask leaves nothing', ['u:nobody:rwx', 0o600, '0600'], []],
    ['a bound allows it', ['u:nobody:r', 0o640, 'at_most 0644'], []],
    ['a bound forbids a part', ['u:nobody:rw', 0o660, 'at_most 0664'], ['user nobody may read, write (ACL)']],
    ['a group', ['g:daemon:rx', 0o750, '0750'], ['group daemon may read, execute (ACL)']],
    ['an id without a name', ['u:54321:r', 0o640, '0640'], ['user 54321 may read (ACL)']],
    ['two', ['u:nobody:r,g:daemon:r', 0o640, '0640'], ['user nobody may read (ACL); group daemon may read (ACL)']],
  ])('the excess of an ACL over the permissions of others counts: %s', async (_case, [acl, bits, mode], expected) => {
    const name = put(join(temporaryDirectory(), 'file'), 0o600)
    run('setfacl', '-m', acl, name)
    chmodSync(name, bits)
    const wanted = mode.startsWith('at_most ') ? { at_most: mode.slice('at_most '.length) } : mode
    expect(await found({ name, mode: wanted })).toEqual(expected.map((text) => ['access', text]))
  })

  test('a directory passes its default ACL on to new entries', async () => {
    const name = join(temporaryDirectory(), 'directory')
    mkdirSync(name, 0o755)
    run('setfacl', '-d', '-m', 'u:nobody:rw', name)
    const secret = put(join(name, 'secret'), 0o640)
    expect(canNobody('cat', secret)).toBe(true)
    const values = { name, ensure: 'directory', mode: '0755' }
    expect(await found(values)).toEqual([['access', 'user nobody may read, write new files in it (ACL)']])
    expect((await fix({ ...values, ...ROOT })).after.drift).toEqual([])
    expect(run('getfacl', '-cpd', name)).not.toContain('nobody')
    // In a directory closed to other users, a default ACL gives no access.
    chmodSync(name, 0o700)
    run('setfacl', '-d', '-m', 'u:nobody:rw', name)
    expect(await found({ ...values, mode: '0700' })).toEqual([])
  })

  test('a copy of cat with a capability lets the account nobody read files of root', async () => {
    const folder = temporaryDirectory()
    const secret = put(join(folder, 'secret'), 0o600)
    const name = join(folder, 'cat')
    copyFileSync('/bin/cat', name)
    chmodSync(name, 0o755)
    run('setcap', 'cap_dac_read_search=ep', name)
    expect(canNobody(name, secret)).toBe(true)
    const values = { name, mode: '0755' }
    expect(await found(values)).toEqual([['access', 'it grants cap_dac_read_search=ep (capabilities)']])
    expect((await fix({ ...values, ...ROOT })).after.drift).toEqual([])
    expect(canNobody(name, secret)).toBe(false)
    expect(run('getcap', name)).toBe('')
    // What cannot be run gives nothing.
    run('setcap', 'cap_dac_read_search=ep', name)
    chmodSync(name, 0o644)
    expect(await found({ name, mode: '0644' })).toEqual([])
  })

  test('an owner of a directory on the way can put another file in the place', async () => {
    const folder = temporaryDirectory()
    mkdirSync(join(folder, 'etc/deep'), { recursive: true })
    const name = put(join(folder, 'etc/deep/shadow'), 0o600)
    chownSync(join(folder, 'etc'), NOBODY, NOBODY)
    expect(canNobody('mv', join(folder, 'etc/deep'), join(folder, 'etc/away'))).toBe(true)
    expect(canNobody('mv', join(folder, 'etc/away'), join(folder, 'etc/deep'))).toBe(true)
    for (const values of [{ mode: '0600' }, { owner: 'root' }, { group: 'root' }]) {
      expect(await found({ name, owner: undefined, group: undefined, mode: undefined, ...values })).toEqual([
        ['access', `${folder}/etc is owned by nobody`],
      ])
    }
    expect((await audit({ name, ...ROOT, mode: '0600' })).plan).toEqual({
      kind: 'refuse',
      obstacles: [{ reason: expect.stringContaining(`${folder}/etc is owned by nobody, which a fix`) }],
    })
    expect(await found({ name, mode: '0600', access: 'any' })).toEqual([])
    expect(await found({ name, mode: '0600', owner: { one_of: ['root', 'nobody'] } })).toEqual([])
    // The rest is repaired all the same.
    chmodSync(name, 0o644)
    const { after } = await fix({ name, ...ROOT, mode: '0600' })
    expect(after.drift.map(({ property }) => property)).toEqual(['access'])
  })

  test.each<[string, (directory: string) => void, string | undefined]>([
    ['world-writable', (path) => chmodSync(path, 0o777), 'is world-writable'],
    ['a group writes', (path) => chmod(path, 0o775, 1), 'group daemon can write to'],
    ['the group of root writes', (path) => chmodSync(path, 0o775), undefined],
    ['an ACL lets a user write', (path) => run('setfacl', '-m', 'u:nobody:rwx', path), 'user nobody can write to'],
    ['a list has a mask', (path) => run('setfacl', '-m', 'u:nobody:rwx,m:rx', path), undefined],
    ['a list keeps its group from it', (path) => chgrpWithout(path), undefined],
    ['sticky', (path) => chmodSync(path, 0o1777), undefined],
    ['sticky, of another user', (path) => chmod(path, 0o1777, 0, NOBODY), 'is owned by nobody'],
  ])('a directory on the way: %s', async (_case, arrange, expected) => {
    const folder = join(temporaryDirectory(), 'way')
    mkdirSync(folder)
    const name = put(join(folder, 'file'), 0o644)
    arrange(folder)
    const text = expected?.startsWith('is') === true ? `${folder} ${expected}` : `${expected} ${folder}`
    expect(await found({ name, mode: '0644' })).toEqual(expected === undefined ? [] : [['access', text]])
    // The kernel confirms the expectation: the account nobody moves the file or fails.
    const moved = spawnSync('mv', [name, `${name}2`], { uid: NOBODY, gid: 1 }).status === 0
    expect(moved).toBe(expected !== undefined)
  })

  function chmod(path: string, mode: number, gid: number, uid = 0): void {
    chownSync(path, uid, gid)
    chmodSync(path, mode)
  }

  function chgrpWithout(path: string): string {
    chownSync(path, 0, 1)
    return run('setfacl', '-m', 'g::rx,u:root:rwx', path)
  }

  test('a path of the desired owner, or of a group with its name, belongs to the owner', async () => {
    const folder = join(temporaryDirectory(), 'home')
    mkdirSync(folder)
    chmod(folder, 0o775, 1, 1)
    const name = put(join(folder, 'file'), 0o640)
    chownSync(name, 1, 1)
    expect(await found({ name, owner: 'daemon', group: 'daemon', mode: '0640' })).toEqual([])
    expect(await found({ name, owner: undefined, group: 'daemon', mode: '0640' })).toEqual([])
    expect(await found({ name, owner: 'root', group: 'daemon', mode: '0640' })).toEqual([
      ['owner', 'daemon'],
      ['access', `${folder} is owned by daemon`],
    ])
    chmod(folder, 0o775, 1)
    expect(await found({ name, owner: 'root', group: 'daemon', mode: '0640' })).toEqual([
      ['owner', 'daemon'],
      ['access', `group daemon can write to ${folder}`],
    ])
  })

  test("members of a file's writable group may replace the file as well", async () => {
    const folder = join(temporaryDirectory(), 'way')
    mkdirSync(folder)
    chmod(folder, 0o775, 3)
    const name = put(join(folder, 'file'), 0o660)
    chownSync(name, 0, 3)
    expect(await found({ name, group: '3', mode: '0660' })).toEqual([])
    chmodSync(name, 0o640)
    expect(await found({ name, group: '3', mode: '0640' })).toEqual([['access', `group sys can write to ${folder}`]])
  })

  test('the path is followed through links, and a link in a sticky directory belongs to its creator', async () => {
    const folder = temporaryDirectory()
    mkdirSync(join(folder, 'real/below'), { recursive: true })
    put(join(folder, 'real/below/file'), 0o644)
    symlinkSync(join(folder, 'real/below'), join(folder, 'link'))
    symlinkSync('link/file', join(folder, 'relative'))
    const through = ['link/file', 'relative'].map((path) => join(folder, path))
    for (const name of through) expect(await found({ name, mode: '0644' })).toEqual([])
    chownSync(join(folder, 'real'), NOBODY, 0)
    for (const name of through) {
      expect(await found({ name, mode: '0644' })).toEqual([['access', `${folder}/real is owned by nobody`]])
    }
    const planted = mkdtempSync('/tmp/driftgate-test-')
    rmSync(planted, { recursive: true })
    mkdirSync(join(folder, 'good'))
    put(join(folder, 'good/file'), 0o644)
    spawnSync('ln', ['-s', join(folder, 'good'), planted], { uid: NOBODY })
    try {
      expect(await found({ name: `${planted}/file`, mode: '0644' })).toEqual([
        ['access', `${planted} is owned by nobody`],
      ])
    } finally {
      rmSync(planted)
    }
  })

  test("an ACL of a link's target counts, and a fix refuses to go through the link", async () => {
    const folder = temporaryDirectory()
    put(join(folder, 'file'), 0o640)
    run('setfacl', '-m', 'u:nobody:r', join(folder, 'file'))
    const name = join(folder, 'link')
    symlinkSync('file', name)
    expect(await found({ name, mode: '0640' })).toEqual([['access', 'user nobody may read (ACL)']])
    expect((await audit({ name, ...ROOT, mode: '0640' })).plan).toMatchObject({
      obstacles: [{ reason: `${name} is a symlink; refusing to set attributes through it` }],
    })
  })

  test('a file that is written anew loses the same', async () => {
    const name = put(join(temporaryDirectory(), 'file'), 0o640)
    run('setfacl', '-m', 'u:nobody:r', name)
    expect((await fix({ name, ...ROOT, mode: '0640', content: 'other' })).after.drift).toEqual([])
    expect(run('getfacl', '-cp', name)).not.toContain('nobody')
  })

  test('an absent path and a file without desired attributes have no drift', async () => {
    const folder = join(temporaryDirectory(), 'way')
    mkdirSync(folder)
    chmodSync(folder, 0o777)
    const name = put(join(folder, 'file'), 0o644)
    expect(await found({ name, owner: undefined, group: undefined, mode: undefined, content: 'secret' })).toEqual([])
    expect(await found({ name: join(folder, 'gone'), ensure: 'absent' })).toEqual([])
    expect(existsSync(name)).toBe(true)
    renameSync(name, `${name}2`)
  })
})

describe('unreadable ACLs and capabilities', () => {
  const NONE = unknown('not-observable', 'there is no program')

  async function examine(values: Values): Promise<Examination> {
    const target = { ...createLocalTarget(), access: openAccessReader(() => NONE) }
    const settled = { ensure: 'present', if_absent: 'create', force: false, ...values }
    const context = { workingDirectory: '/', signal: new AbortController().signal, showDiff: true }
    return file.prepare(settled, 'posix', context).examine(target, FIRST_LOOK)
  }

  test('are an error with property access, and otherwise a warning', async () => {
    const name = put(join(temporaryDirectory(), 'file'), 0o640)
    expect(await examine({ name, mode: '0640' })).toMatchObject({
      decision: { drift: [], unknown: [], warnings: ['access beyond the mode is unknown: there is no program'] },
    })
    expect(await examine({ name, mode: '0640', access: 'mode' })).toMatchObject({
      decision: { drift: [], unknown: [{ property: 'access', detail: 'there is no program' }] },
    })
    const silent = await examine({ name, mode: '0640', access: 'any' })
    expect(silent).toMatchObject({ decision: { drift: [], unknown: [] } })
    expect(silent.kind === 'decided' && silent.decision.warnings).toBeUndefined()
  })

  test('do not matter for a mode without further restrictions', async () => {
    const name = put(join(temporaryDirectory(), 'file'), 0o644)
    const examined = await examine({ name, mode: '0644', access: 'mode' })
    expect(examined).toMatchObject({ decision: { drift: [], unknown: [] } })
  })
})
