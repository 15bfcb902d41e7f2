import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { openRoot } from '../../../src/host/live/place.ts'
import { settleInterrupted } from '../../../src/engine/undo/interrupted.ts'
import { ownStatesOf } from '../../../src/engine/undo/own-states.ts'
import { pendingChanges } from '../../../src/engine/undo/pending.ts'
import { readJournal, type WrittenJournal } from '../../../src/engine/undo/read-journal.ts'
import { temporaryDirectory } from '../../support/temporary.ts'
import { openFix, openUndo } from '../../support/undo.ts'

const environment = { PATH: '/usr/bin:/bin' }
const { signal } = new AbortController()

function journalIn(path: string): WrittenJournal {
  const journal = readJournal(path)
  if (typeof journal === 'string') throw new Error(journal)
  return journal
}

async function fixed(state: string): Promise<{ readonly tree: string; readonly journal: WrittenJournal }> {
  const tree = join(temporaryDirectory(), 'tree')
  const fix = openFix(state)
  await fix.remediatorFor('a').run({
    argv: ['sh', '-c', `mkdir ${tree} && cd ${tree} && touch a b c`],
    workingDirectory: '/',
    environment,
    signal,
    undo: { kind: 'files', paths: [tree] },
  })
  fix.close()
  return { tree, journal: journalIn(fix.path) }
}

it('an undo that was killed in the middle of a step goes on, and is no conflict with itself', async () => {
  const state = temporaryDirectory()
  const { tree, journal } = await fixed(state)
  const killed = openUndo(state, journal, {
    alter: (inner) => ({
      ...inner,
      remove: () => {
        rmSync(join(tree, 'a'))
        return new Promise(() => undefined)
      },
    }),
  })
  void killed.takeBack()
  await vi.waitFor(() => expect(readdirSync(tree)).toEqual(['b', 'c']))

  settleInterrupted(state, openRoot)
  const [stranger] = await openUndo(state, journal, {}).takeBack()
  expect(stranger?.things).toMatchObject([{ name: tree, outcome: 'conflict', message: 'changed since the fix' }])
  const own = ownStatesOf([journalIn(killed.path)])
  const [taken] = await openUndo(state, journal, { own }).takeBack()
  expect(taken?.things).toMatchObject([{ name: tree, outcome: 'restored' }])
  expect(existsSync(tree)).toBe(false)
})

it('a fix that waits to be confirmed keeps others from what it has changed, by its name', async () => {
  const state = temporaryDirectory()
  const { tree, journal } = await fixed(join(state, 'undo'))
  const { run } = journal.head
  const pending = pendingChanges(state, [run])
  for (const name of [tree, join(tree, 'a')]) {
    expect(pending.conflict({ kind: 'path', name })).toBe(
      `${tree} was changed by the fix ${run}, which is pending confirmation: run "driftgate confirm ${run}" or "driftgate undo ${run}" first`,
    )
  }
  expect(pending.conflict({ kind: 'attributes', name: tree })).toBeDefined()
  expect(pending.conflict({ kind: 'path', name: `${tree}-other` })).toBeUndefined()
  expect(pending.conflict({ kind: 'service', name: tree })).toBeUndefined()
  expect(pendingChanges(state, [run], run).conflict({ kind: 'path', name: tree })).toBeUndefined()
})

it.each(['service', 'running', 'parameter', 'module', 'mount'] as const)(
  'a %s that such a fix has changed is kept from others, too',
  async (kind) => {
    const state = temporaryDirectory()
    const { tree: name, journal } = await fixed(join(state, 'undo'))
    const path = join(journal.directory, 'journal')
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll('"kind":"path"', `"kind":"${kind}"`))
    const pending = pendingChanges(state, [journal.head.run])
    expect(pending.conflict({ kind, name })).toContain(`${name} was changed by the fix ${journal.head.run}`)
    expect(pending.conflict({ kind: 'path', name })).toBeUndefined()
    expect(pending.conflict({ kind, name: `${name}/a` })).toBeUndefined()
  },
)
