import { spawnSync } from 'node:child_process'
import process from 'node:process'
import { expect, test } from 'vitest'

test('a subject is its folder and its line in the registry', { timeout: 300_000 }, () => {
  const { stderr, status } = spawnSync(process.execPath, ['scripts/prove-subjects.mjs'], { encoding: 'utf8' })
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 })
})
