import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { FIRST_LOOK } from '../../../../src/model/decision.ts'
import { createLocalRemediator } from '../../../../src/host/live/local-remediator.ts'
import { createLocalTarget } from '../../../../src/host/live/local-target.ts'
import { NO_JOURNAL } from '../../../../src/host/live/journal.ts'
import type { Target } from '../../../../src/host/target.ts'
import type { Examination } from '../../../../src/resource-type/define.ts'
import { files } from '../../../../src/subjects/files/walk/index.ts'
import { hasProgram } from '../../../support/programs.ts'
import { needsRoot, temporaryDirectory } from '../../../support/temporary.ts'

const NOBODY = 65_534
const ADM = '4'
const skipped = needsRoot ?? (['setfacl', 'getfacl'].every(hasProgram) ? undefined : 'needs the tools of acl')

type Decided = Extract<Examination, { kind: 'decided' }>

async function examine(values: object, target: Target = createLocalTarget()): Promise<Decided> {
  const context = { workingDirectory: '/', signal: new AbortController().signal, showDiff: false }
  const given = { file_systems: 'own', if_absent: 'drift', timeout: 60_000, ...values }
  const seen = await files.prepare(given, 'default', context).examine(target, FIRST_LOOK)
  if (seen.kind !== 'decided') throw new Error(seen.detail)
  return seen
}

function canNobodyRead(path: string): boolean {
  return spawnSync('cat', [path], { uid: NOBODY, gid: NOBODY }).status === 0
}

/** A directory of logs, in which one has a list. */
function logs(...entries: readonly string[]): { readonly name: string; readonly log: string } {
  const name = temporaryDirectory()
  chmodSync(name, 0o755)
  const log = join(name, 'auth.log')
  for (const path of [log, join(name, 'plain.log')]) writeFileSync(path, 'x', { mode: 0o640 })
  for (const entry of entries) execFileSync('setfacl', ['-m', entry, log])
  chmodSync(log, 0o640)
  return { name, log }
}

test.skipIf(skipped)(
  'an ACL lets the account nobody read a log of mode 0640, until a fix removes the entry (needs root)',
  async () => {
    const { name, log } = logs('u:nobody:r', 'g:4:r', 'u:0:rw')
    expect(canNobodyRead(log)).toBe(true)
    const wanted = { name, kinds: ['file'], mode: { at_most: '0640' }, group: { one_of: ['0', ADM] } }
    const { decision, apply } = await examine(wanted)
    expect(decision.drift).toEqual([
      {
        property: 'access',
        desired: 'no access beyond owner, group and mode',
        observed: 'user nobody may read (ACL)',
        path: 'auth.log',
      },
    ])
    expect(await apply(createLocalRemediator(NO_JOURNAL))).toEqual({ kind: 'done' })
    expect((await examine(wanted)).decision.drift).toEqual([])
    expect(canNobodyRead(log)).toBe(false)
    // Whom the policy accepts, and root, keep theirs.
    expect(execFileSync('getfacl', ['-cpnE', log], { encoding: 'utf8' })).toBe(
      'user::rw-\nuser:0:rw-\ngroup::r--\ngroup:4:r--\nmask::r--\nother::---\n\n',
    )
  },
)

test.skipIf(skipped)('a mode that a fix narrows, and a list without its last name (needs root)', async () => {
  const { name, log } = logs('u:nobody:rw', 'g::-')
  chmodSync(log, 0o664)
  const { apply } = await examine({ name, kinds: ['file'], mode: { at_most: '0640' } })
  expect(await apply(createLocalRemediator(NO_JOURNAL))).toEqual({ kind: 'done' })
  expect(statSync(log).mode & 0o7777).toBe(0o600)
  expect(execFileSync('getfacl', ['-cp', log], { encoding: 'utf8' })).toBe('user::rw-\ngroup::---\nother::---\n\n')
})

test.skipIf(skipped).each<[string, string, object]>([
  ['all users may read anyway', 'u:nobody:r', { mode: { at_most: '0644' } }],
  ['the policy accepts any ACL', 'u:nobody:r', { mode: { at_most: '0640' }, access: 'any' }],
  [
    'the entry is for the group that the policy names',
    'g:4:r',
    { mode: { at_most: '0640' }, group: { one_of: ['0', ADM] } },
  ],
  ['the mask leaves nothing', 'u:nobody:-', { mode: { at_most: '0640' } }],
  ['no mode is wanted', 'u:nobody:r', { owner: '0' }],
])('nothing is too much where %s (needs root)', async (_, entry, wanted) => {
  const { name } = logs(entry)
  expect((await examine({ name, kinds: ['file'], ...wanted })).decision.drift).toEqual([])
})

test.skipIf(skipped)('a group that is only not refused is not named (needs root)', async () => {
  const { name } = logs('g:4:r')
  const { decision } = await examine({ name, kinds: ['file'], mode: { at_most: '0640' }, group: { not: '65534' } })
  expect(decision.drift).toMatchObject([{ property: 'access', path: 'auth.log' }])
})

test.skipIf(skipped)('a directory that an ACL lets a user enter (needs root)', async () => {
  const name = temporaryDirectory()
  const inner = join(name, 'inner')
  mkdirSync(inner)
  chmodSync(inner, 0o750)
  chownSync(inner, 0, 0)
  execFileSync('setfacl', ['-m', 'u:nobody:rx', inner])
  const { decision } = await examine({ name, include: ['inner'], mode: { at_most: '0750' } })
  expect(decision.drift).toMatchObject([{ property: 'access', observed: 'user nobody may read, enter (ACL)' }])
})

test.skipIf(skipped)('unreadable ACLs are reported, and are an error with property access (needs root)', async () => {
  const { name } = logs()
  const target = createLocalTarget()
  const beyondMode: Target['access']['beyondMode'] = (paths) =>
    Promise.resolve(paths.map(() => ({ kind: 'unknown', reason: 'not-observable', detail: 'no program' })))
  const withoutPrograms = { ...target, access: { ...target.access, beyondMode } }
  const wanted = { name, kinds: ['file'], mode: { at_most: '0640' } }
  expect((await examine(wanted, withoutPrograms)).decision).toMatchObject({
    drift: [],
    unknown: [],
    warnings: ['access beyond the mode is unknown: no program'],
  })
  expect((await examine({ ...wanted, access: 'mode' }, withoutPrograms)).decision.unknown).toEqual([
    { property: 'access', reason: 'not-observable', detail: 'no program' },
  ])
})

test.skipIf(needsRoot)('a fix that takes access from others sets the first accepted group', async () => {
  const name = temporaryDirectory()
  const [read, adm] = [join(name, 'read.log'), join(name, 'adm.log')]
  writeFileSync(read, 'x')
  writeFileSync(adm, 'x')
  for (const [path, gid] of [
    [read, 0],
    [adm, 4],
  ] as const) {
    chownSync(path, 0, gid)
    chmodSync(path, 0o644)
  }
  const wanted = { name, kinds: ['file'], mode: { at_most: '0640' }, group: { one_of: ['1', '0', ADM] } }
  const { decision, apply } = await examine(wanted)
  expect(decision.drift.map(({ path, note }) => [path, note !== undefined])).toEqual([
    ['adm.log', false],
    ['read.log', true],
  ])
  expect(await apply(createLocalRemediator(NO_JOURNAL))).toEqual({ kind: 'done' })
  expect([statSync(read).gid, statSync(adm).gid]).toEqual([1, 4])
  expect((await examine(wanted)).decision.drift).toEqual([])
})
