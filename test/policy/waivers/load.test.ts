import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadWaivers } from '../../../src/policy/waivers/load.ts'
import { temporaryDirectory } from '../../support/temporary.ts'

const ENTRY = { id: 'w', resource: 'file#/a', reason: 'known', approver: 'Ada', expires: '2026-12-31' }

function fileWith(name: string, entry: object): string {
  const path = join(temporaryDirectory(), name)
  writeFileSync(path, JSON.stringify({ waivers: [entry] }))
  return path
}

async function problemsOf(
  paths: readonly string[],
  options: Parameters<typeof loadWaivers>[1] = {},
): Promise<string[]> {
  const loaded = await loadWaivers(paths, { today: '2026-12-01', ...options })
  return loaded.ok ? [] : loaded.problems.map(({ message }) => message)
}

test('a file that is named twice is read once, and every file is read', async () => {
  const path = fileWith('a.json', ENTRY)
  const loaded = await loadWaivers([path, path, fileWith('b.json', { ...ENTRY, id: 'x' })], { today: '2026-12-01' })
  expect(loaded.ok && loaded.value.map(({ id }) => id)).toEqual(['w', 'x'])
  const [one] = [await loadWaivers(path)]
  expect(one.ok).toBe(true)
})

test('how long a waiver may be in force is up to the operator', async () => {
  const path = fileWith('a.json', ENTRY)
  expect(await problemsOf([path], { maxDays: 31 })).toEqual([])
  expect(await problemsOf([path], { maxDays: 29 })).toEqual([expect.stringContaining('the limit is 29')])
})

test('an unreadable file is reported together with the problems of the others', async () => {
  const missing = join(temporaryDirectory(), 'none.yaml')
  const unread = `cannot read the waiver file ${missing}: no such file or directory`
  expect(await problemsOf([missing, fileWith('a.json', ENTRY)])).toEqual([unread])
  expect(await problemsOf([missing, fileWith('a.json', { ...ENTRY, expires: '2026-02-30' })])).toEqual([
    unread,
    expect.stringContaining('February 2026 has 28 days'),
  ])
})

test.each(['id', 'reason', 'approver', 'expires'])('a waiver without its %s is invalid', async (key) => {
  const rest = Object.fromEntries(Object.entries(ENTRY).filter(([name]) => name !== key))
  expect(await problemsOf([fileWith('a.json', rest)])).toEqual([expect.stringContaining(` has no ${key}: `)])
})
