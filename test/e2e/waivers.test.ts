import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { driftgate, ownFile, temporaryDirectory, UNPRIVILEGED, writePolicy } from '../support/driftgate.ts'
import { needsRoot } from '../support/temporary.ts'

function scene(uid?: number): string {
  const cwd = temporaryDirectory(uid)
  writeFileSync(join(cwd, 'a'), '')
  chmodSync(join(cwd, 'a'), 0o600)
  writePolicy(join(cwd, 'p.yaml'), [ownFile({ name: join(cwd, 'a'), content: '', mode: '0644' })])
  return cwd
}

test.skipIf(needsRoot)('a waiver file that may not be read is said to be so', async () => {
  const cwd = scene(UNPRIVILEGED)
  writeFileSync(join(cwd, 'w.yaml'), 'waivers: []\n', { mode: 0o000 })
  const options = { cwd, ...(UNPRIVILEGED === undefined ? {} : { uid: UNPRIVILEGED }) }
  const { code, stderr } = await driftgate(['waivers', 'check', 'w.yaml'], options)
  expect(code).toBe(1)
  expect(stderr).toBe('cannot read the waiver file w.yaml: permission denied\n')
})
