import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import type { Run } from '../../src/model/run.ts'
import { startDriftgate } from '../support/driftgate.ts'
import { site, targets } from '../support/scenes/many-targets.ts'

test('watch hands its targets to its scans', async () => {
  const cwd = site({ a: {}, b: { 'etc/motd': 'bye\n' } })
  const report = ['--report', 'json=out.json']
  const watch = startDriftgate(['watch', 'p.yaml', '--every', '1h', ...targets('a', 'b'), ...report], {
    cwd,
  })
  await vi.waitFor(() => expect(existsSync(join(cwd, 'out.json'))).toBe(true), { timeout: 90_000 })
  watch.child.kill('SIGTERM')
  const { code } = await watch.outcome
  const run = JSON.parse(readFileSync(join(cwd, 'out.json'), 'utf8')) as Run
  expect([code, run.targets?.map(({ spec, exit }) => [spec, exit.code])]).toEqual([
    0,
    [
      [`root:${join(cwd, 'a')}`, 0],
      [`root:${join(cwd, 'b')}`, 2],
    ],
  ])
})
