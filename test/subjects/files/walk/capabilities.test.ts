import { spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { FIRST_LOOK } from '../../../../src/model/decision.ts'
import { files } from '../../../../src/subjects/files/walk/index.ts'
import { NO_JOURNAL } from '../../../../src/host/live/journal.ts'
import { createLocalRemediator } from '../../../../src/host/live/local-remediator.ts'
import { createLocalTarget } from '../../../../src/host/live/local-target.ts'
import type { Target } from '../../../../src/host/target.ts'
import type { Examination } from '../../../../src/resource-type/define.ts'
import { hasProgram, run } from '../../../support/programs.ts'
import { needsRoot, temporaryDirectory } from '../../../support/temporary.ts'

const NOBODY = 65_534
const skipped = needsRoot ?? (['setcap', 'getcap'].every(hasProgram) ? undefined : 'needs the tools of libcap')

async function examine(name: string, target: Target): Promise<Extract<Examination, { kind: 'decided' }>> {
  const context = { workingDirectory: '/', signal: new AbortController().signal, showDiff: false }
  const values = { name, file_systems: 'own', if_absent: 'drift', timeout: 60_000, capabilities: false }
  const seen = await files.prepare(values, 'default', context).examine(target, FIRST_LOOK)
  if (seen.kind !== 'decided') throw new Error(seen.detail)
  return seen
}

test.skipIf(skipped)('a copy of cat that reads everything is found and made ordinary (needs root)', async () => {
  const base = temporaryDirectory()
  const cat = join(base, 'cat')
  copyFileSync('/bin/cat', cat)
  copyFileSync('/bin/cat', join(base, 'ordinary'))
  writeFileSync(join(base, 'secret'), 'secret', { mode: 0o600 })
  chmodSync(cat, 0o755)
  run('setcap', 'cap_dac_read_search=ep', cat)
  const read = (): string =>
    spawnSync(cat, [join(base, 'secret')], { uid: NOBODY, gid: NOBODY, encoding: 'utf8' }).stdout
  expect(read()).toBe('secret')
  const found = await examine(base, createLocalTarget())
  expect(found.decision.drift).toEqual([
    { property: 'capabilities', desired: false, observed: 'cap_dac_read_search=ep', path: 'cat' },
  ])
  expect(await found.apply(createLocalRemediator(NO_JOURNAL))).toEqual({ kind: 'done' })
  expect(read()).toBe('')
  expect(run('getcap', '-r', base)).toBe('')
  expect((await examine(base, createLocalTarget())).decision.drift).toEqual([])
})

test.skipIf(needsRoot)(
  'a file removed during the scan has no capabilities, and an unreadable one is unknown (needs root)',
  async () => {
    const base = temporaryDirectory()
    writeFileSync(join(base, 'gone'), '', { mode: 0o755 })
    writeFileSync(join(base, 'there'), '', { mode: 0o755 })
    const target = createLocalTarget()
    const withoutPrograms: Target = {
      ...target,
      access: {
        ...target.access,
        async beyondMode(paths) {
          rmSync(join(base, 'gone'))
          return paths.map(() => ({ kind: 'unknown', reason: 'not-observable', detail: 'no program' }))
        },
      },
    }
    const { decision } = await examine(base, withoutPrograms)
    expect(decision).toMatchObject({
      drift: [],
      unknown: [{ property: 'capabilities', reason: 'not-observable', detail: 'no program' }],
    })
  },
)
