import { join } from 'node:path'
import { expect, test } from 'vitest'
import { driftgate } from '../support/command-line.ts'
import { writePolicy } from '../support/driftgate.ts'
import { temporaryDirectory } from '../support/temporary.ts'

test.each([
  [[], 'missing --every DURATION or --cron EXPR'],
  [['--every', '1h', '--cron', '0 * * * *'], 'mutually exclusive'],
  [['--every', 'often'], 'must be a duration'],
  [['--every', '0'], 'must be at least'],
  [['--cron', 'soon'], '--cron "soon"'],
  [['--cron', '0 0 31 2 *'], 'no future time'],
  [['--every', '1h', '--report', 'jsn'], 'did you mean "json"?'],
  [['--every', '1h', '--only', 'a,,b'], 'empty selector'],
])('wrong usage %j is exit 1 before anything is scanned', async (args, message) => {
  const cwd = temporaryDirectory()
  const { code, stdout, stderr } = await driftgate(['watch', 'policy.json', ...args], { cwd })
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toContain(message)
})

test('standard input cannot be read afresh', async () => {
  const { code, stderr } = await driftgate(['watch', '-', '--every', '1h'], { cwd: temporaryDirectory() })
  expect(code).toBe(1)
  expect(stderr).toContain('can be read only once')
})

test('metrics that cannot be written end a watch that has just begun', async () => {
  const cwd = temporaryDirectory()
  writePolicy(join(cwd, 'policy.json'), [{ name: join(cwd, 'planted'), ensure: 'absent' }])
  const args = ['watch', 'policy.json', '--every', '1h', '--metrics', '/proc/nowhere/m.prom']
  const { code, stderr } = await driftgate(args, { cwd })
  expect(code).toBe(1)
  expect(stderr).toContain('cannot write the metrics /proc/nowhere/m.prom')
})
