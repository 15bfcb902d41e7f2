import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { FIRST_LOOK } from '../../../../src/model/decision.ts'
import { unknown } from '../../../../src/model/observation.ts'
import { file } from '../../../../src/subjects/files/file/index.ts'
import { encodeCapabilities, parseCapabilities } from '../../../../src/host/capabilities.ts'
import { openAccessReader } from '../../../../src/host/live/access/reader.ts'
import { createLocalTarget } from '../../../../src/host/live/local-target.ts'
import { fileResources, MINE, problemsOf } from '../../../compatibility/support.ts'
import { hasProgram, run } from '../../../support/programs.ts'
import { cases } from '../../../support/soak.ts'
import { needsRoot, temporaryDirectory } from '../../../support/temporary.ts'
import { audit, fix, type Values } from './scene.ts'

const TOOLS = ['setfacl', 'getfacl', 'setcap', 'getcap', 'getfattr']
const skipped = needsRoot ?? (TOOLS.every(hasProgram) ? undefined : `needs ${TOOLS.join(', ')}`)
const ROOT = { owner: 'root', group: 'root' }

function put(mode: number, list?: string): string {
  const path = join(temporaryDirectory(), 'file')
  writeFileSync(path, 'text')
  chmodSync(path, mode)
  if (list !== undefined) run('setfacl', '-m', list, path)
  return path
}

/** The entries for users and groups as getfacl prints them. */
function entries(path: string): string {
  return run('getfacl', '-cpE', path)
    .split('\n')
    .filter((line) => /^(default:)?(user|group):[^:]/.test(line))
    .join(', ')
}

describe.skipIf(skipped)(`lists and capabilities that a policy names (${skipped ?? 'as root'})`, () => {
  test.each<[unknown, string | undefined, string | undefined, string]>([
    [['user:daemon:r--'], undefined, 'no entries', 'user:daemon:r--'],
    [['user:daemon:r--', 'group:3:r--'], 'u:daemon:r,g:sys:r', undefined, 'user:daemon:r--, group:sys:r--'],
    [['user:daemon:r--'], 'u:daemon:rw,u:bin:r', 'user:daemon:rw-, user:bin:r--', 'user:daemon:r--'],
    [[], 'u:daemon:r', 'user:daemon:r--', ''],
    [{ includes: ['user:bin:r--'] }, 'u:daemon:r', 'user:daemon:r--', 'user:daemon:r--, user:bin:r--'],
    [{ excludes: ['user:bin:r--'] }, 'u:daemon:r,u:bin:r', 'user:daemon:r--, user:bin:r--', 'user:daemon:r--'],
    [{ excludes: ['user:bin:r--'] }, 'u:daemon:r', undefined, 'user:daemon:r--'],
  ])('the entries %j where %s stand', async (acl, list, observed, after) => {
    const name = put(0o660, list)
    const values = { name, ...ROOT, mode: { at_most: '0660' }, acl, access: 'any' }
    const desired = Array.isArray(acl) ? (acl as string[]).join(', ') || 'no entries' : acl
    const { drift } = await audit(values)
    expect(drift).toEqual(observed === undefined ? [] : [{ property: 'acl', desired, observed }])
    expect((await fix(values)).after.drift).toEqual([])
    expect(entries(name)).toBe(after)
  })

  test('an entry that the policy names is no drift of access, another one is', async () => {
    const name = put(0o640, 'u:daemon:r,u:bin:r')
    chmodSync(name, 0o640)
    const values = { name, ...ROOT, mode: '0640' }
    expect((await audit({ ...values, acl: { includes: ['user:daemon:r--'] } })).drift).toMatchObject([
      { property: 'access', observed: 'user bin may read (ACL)' },
    ])
    expect((await audit({ ...values, acl: ['user:daemon:r--', 'user:bin:r--'] })).drift).toEqual([])
    expect((await fix({ ...values, acl: { includes: ['user:sys:r--', 'user:daemon:r--'] } })).after.drift).toEqual([])
    expect(entries(name)).toBe('user:daemon:r--, user:sys:r--')
  })

  test('the mode wins: its group bits are the mask, and without a mode the entries decide', async () => {
    const name = put(0o600)
    await fix({ name, ...ROOT, mode: '0640', acl: ['user:daemon:rw-'] })
    expect(run('getfacl', '-cpE', name)).toBe('user::rw-\nuser:daemon:rw-\ngroup::---\nmask::r--\nother::---\n\n')
    const bare = put(0o600)
    await fix({
      name: bare,
      if_absent: 'drift',
      owner: undefined,
      group: undefined,
      mode: undefined,
      acl: ['user:daemon:rw-'],
    })
    expect(run('getfacl', '-cpE', bare)).toBe('user::rw-\nuser:daemon:rw-\ngroup::---\nmask::rw-\nother::---\n\n')
  })

  test('a directory has default entries for new files', async () => {
    const name = join(temporaryDirectory(), 'directory')
    mkdirSync(name, 0o750)
    const acl = ['user:daemon:r-x', 'default:user:daemon:r-x', 'default:group:sys:rwx']
    const values = { name, ensure: 'directory', ...ROOT, mode: '0750', acl }
    expect((await audit(values)).drift).toMatchObject([{ property: 'acl', observed: 'no entries' }])
    expect((await fix(values)).after.drift).toEqual([])
    expect(entries(name)).toBe('user:daemon:r-x, default:user:daemon:r-x, default:group:sys:rwx')
    writeFileSync(join(name, 'made'), '')
    expect(entries(join(name, 'made'))).toBe('user:daemon:r-x, group:sys:rwx')
    await fix({ ...values, acl: [] })
    expect(entries(name)).toBe('')
  })

  test('a new file gets the entries, and a rewritten one keeps them', async () => {
    const folder = temporaryDirectory()
    const acl = ['group:sys:r--']
    const values = { name: join(folder, 'new'), ...ROOT, mode: '0640', acl, content: 'a' }
    expect((await fix(values)).after.drift).toEqual([])
    expect(entries(values.name)).toBe('group:sys:r--')
    expect((await fix({ ...values, content: 'b' })).after.drift).toEqual([])
    expect(entries(values.name)).toBe('group:sys:r--')
    const made = {
      name: join(folder, 'directory'),
      ensure: 'directory',
      ...ROOT,
      mode: '0750',
      acl: ['user:daemon:r-x'],
    }
    expect((await fix(made)).after.drift).toEqual([])
    expect(entries(made.name)).toBe('user:daemon:r-x')
  })

  test('an unknown name and a list without a nearest one are reported; the rest is fixed', async () => {
    const name = put(0o644)
    const of = (acl: unknown): Values => ({ name, ...ROOT, mode: '0644', acl })
    expect((await audit(of(['user:nosuchuser:r--']))).plan).toEqual({
      kind: 'refuse',
      obstacles: [
        { reason: 'user "nosuchuser" does not exist', missing: 'user nosuchuser', mayComeWithRequirement: true },
      ],
    })
    expect((await audit(of({ not: [] }))).plan).toEqual({
      kind: 'refuse',
      obstacles: [{ reason: 'cannot derive a value for acl from its condition: set "fix" to the value to write' }],
    })
    chmodSync(name, 0o600)
    expect((await fix(of(['user:nosuchuser:r--']))).after.drift.map(({ property }) => property)).toEqual(['acl'])
  })

  test('capabilities are set, taken away, and given again with a new owner or content', async () => {
    const name = join(temporaryDirectory(), 'program')
    copyFileSync('/bin/cat', name)
    chmodSync(name, 0o755)
    const values = { name, ...ROOT, mode: '0755', capabilities: 'cap_net_raw+ep' }
    expect((await audit(values)).drift).toEqual([
      { property: 'capabilities', desired: 'cap_net_raw=ep', observed: 'none' },
    ])
    expect((await fix(values)).after.drift).toEqual([])
    expect(run('getcap', name)).toBe(`${name} cap_net_raw=ep\n`)
    expect((await fix({ ...values, owner: 'daemon', group: 'daemon' })).after.drift).toEqual([])
    expect((await fix({ ...values, content: '#!/bin/sh\n' })).after.drift).toEqual([])
    expect(run('getcap', name)).toBe(`${name} cap_net_raw=ep\n`)
    expect((await audit({ ...values, capabilities: 'none' })).drift).toEqual([
      { property: 'capabilities', desired: 'none', observed: 'cap_net_raw=ep' },
    ])
    expect((await fix({ ...values, capabilities: 'none' })).after.drift).toEqual([])
    expect(run('getcap', name)).toBe('')
    const made = { ...values, name: `${name}2`, content: 'x' }
    expect((await fix(made)).after.drift).toEqual([])
    expect(run('getcap', made.name)).toBe(`${made.name} cap_net_raw=ep\n`)
  })

  test('a text of capabilities has the meaning of setcap, and is refused if setcap refuses it', () => {
    const folder = temporaryDirectory()
    const names = ['cap_chown', 'cap_chown,cap_kill', 'all', '', 'CAP_SYSLOG', 'cap_checkpoint_restore']
    const changes = ['=ep', '+ep', '=p', '=i', '=eip', '+i', '=ep-e', '=p+e', '-p', '=', '+p', '=eip-i']
    let state = 7
    const next = (below: number): number => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff
      return (state >> 8) % below
    }
    const texts = Array.from({ length: cases({ usual: 150, soak: 1500 }) }, () =>
      Array.from({ length: 1 + next(2) }, () => `${names[next(6)]}${changes[next(12)]}`).join(' '),
    )
    const script = texts.map((text, at) => {
      const path = join(folder, String(at))
      return `: > ${path}; setcap '${text}' ${path} 2>/dev/null && getfattr --absolute-names --only-values -n security.capability ${path} | od -An -v -tx1 | tr -d ' \\n'; echo`
    })
    const told = run('sh', '-c', script.join('\n')).split('\n')
    const meant = texts.map((text) => {
      const capabilities = parseCapabilities(text)
      return capabilities === undefined ? '' : Buffer.from(encodeCapabilities(capabilities)).toString('hex')
    })
    const pairs = texts.map((text, at) => [text, told[at]])
    expect(texts.map((text, at) => [text, meant[at]])).toEqual(pairs)
    expect(new Set(meant).size).toBeGreaterThan(10)
  })

  test('desired ACLs and capabilities that cannot be read are unknown', async () => {
    const name = put(0o755)
    const target = { ...createLocalTarget(), access: openAccessReader(() => unknown('not-observable', 'no program')) }
    const context = { workingDirectory: '/', signal: new AbortController().signal, showDiff: true }
    const values = { name, ensure: 'present', if_absent: 'drift', force: false, acl: [], capabilities: 'none' }
    expect(await file.prepare(values, 'posix', context).examine(target, FIRST_LOOK)).toMatchObject({
      decision: { drift: [], unknown: [{ property: 'acl' }, { property: 'capabilities' }] },
    })
  })
})

test.each([
  ['acl: ["user::r--"]', 'an entry for a user or group'],
  ['acl: ["user:daemon:r"]', 'an entry for a user or group'],
  ['acl: ["user:a:r--", "user:a:rw-"]', "'acl' has two entries for user:a"],
  ['acl: { includes: ["user:a:r--", "user:a:rw-"] }', "'acl' has two entries for user:a"],
  ['capabilities: cap_nothing=ep', "'capabilities: cap_nothing=ep' is not valid for a file"],
  ['capabilities: cap_chown=p cap_kill=e', 'is not valid for a file'],
  ['ensure: directory, capabilities: none', "'capabilities' is only valid with 'ensure: present'"],
  ['ensure: absent, acl: []', "'acl' contradicts 'ensure: absent'"],
])('%s is a problem of the policy', async (text, problem) => {
  const ensure = text.includes('ensure') ? '' : 'ensure: present, '
  const policy = fileResources(`- /x: { ${ensure}${text}, mode: "0644", ${MINE} }`)
  expect((await problemsOf(temporaryDirectory(), policy)).join('\n')).toContain(problem)
})
