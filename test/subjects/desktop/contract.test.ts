import { spawnSync } from 'node:child_process'
import { rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { decideDconf } from '../../../src/subjects/desktop/decide.ts'
import { dconfDatabases } from '../../../src/subjects/desktop/index.ts'
import { type ContractScene, contractTests } from '../../../src/testing/index.ts'
import { put } from '../../support/contract.ts'
import { needsPrograms } from '../../support/programs.ts'

const KEYFILES = {
  'db/local.d/00-idle': '[org/gnome/desktop/session]\nidle-delay=uint32 900\n',
  'db/local.d/locks/00-idle': '',
}

/** Databases as dconf has made them, and what was changed since. */
function scene(
  title: string,
  state: ContractScene['state'],
  {
    name = 'db',
    wanted = {},
    change = () => undefined,
  }: {
    readonly name?: string
    readonly wanted?: object
    readonly change?: (directory: string) => void
  } = {},
): ContractScene {
  return {
    title,
    state,
    arrange(directory) {
      put(directory, KEYFILES)
      spawnSync('dconf', ['update', join(directory, 'db')])
      afterTick(directory)
      change(directory)
      return { name: join(directory, name), ...wanted }
    },
  }
}

/** Waits until the clock of the file system has moved, so that what is changed next is newer than what is there. */
function afterTick(directory: string): void {
  const probe = join(directory, 'probe')
  const changed = (): number => {
    writeFileSync(probe, '')
    return statSync(probe).mtimeMs
  }
  const start = changed()
  while (changed() === start);
  rmSync(probe)
}

const scenes: readonly ContractScene[] = [
  scene('made of its keyfiles', 'compliant'),
  scene('none, where that is fine', 'compliant', { name: 'nothing', wanted: { if_absent: 'compliant' } }),
  scene('none', 'unfixable', { name: 'nothing' }),
  scene('another keyfile', 'fixable', {
    change: (directory) => put(directory, { 'db/local.d/01-more': '[org/a]\nx=1\n' }),
  }),
  scene('another lock', 'fixable', {
    change: (directory) => put(directory, { 'db/local.d/locks/00-idle': '/org/a/x\n' }),
  }),
  scene('a keyfile that pretends to be old', 'fixable', {
    change(directory) {
      put(directory, { 'db/local.d/00-idle': '[org/gnome/desktop/session]\nidle-delay=uint32 0\n' })
      utimesSync(join(directory, 'db/local.d/00-idle'), 0, 0)
    },
  }),
  scene('never made', 'fixable', { change: (directory) => put(directory, { 'db/site.d/00': '[org/a]\nx=1\n' }) }),
]

describe.skipIf(needsPrograms('dconf'))('as dconf makes them', () => {
  for (const { name, run } of contractTests(dconfDatabases, { scenes })) test(name, run)
})

test.each([
  [null, 5, 'missing'],
  [4, 5, 'older'],
  [5, 5, undefined],
])('compiled at %s from a file changed at %s', (compiledMs, changedMs, observed) => {
  const state = [{ path: '/db/local', compiledMs, newest: { path: '/db/local.d/00', changedMs } }]
  const { drift } = decideDconf({ name: '/db', if_absent: 'drift' }, { kind: 'present', state, context: undefined })
  expect(drift.map((each) => each.observed)).toEqual(observed === undefined ? [] : [observed])
})

test('a database that nothing makes is an obstacle, which a requirement may take away', () => {
  const { plan } = decideDconf({ name: '/db', if_absent: 'drift' }, { kind: 'absent', context: undefined })
  expect(plan).toMatchObject({
    kind: 'refuse',
    obstacles: [{ reason: '/db does not exist', mayComeWithRequirement: true }],
  })
})
