import { join } from 'node:path'
import { expect, test } from 'vitest'
import { driftgate } from '../support/command-line.ts'
import { writePolicy } from '../support/driftgate.ts'
import { temporaryDirectory } from '../support/temporary.ts'

/** A directory with a valid policy. */
function withPolicy(): string {
  const cwd = temporaryDirectory()
  writePolicy(join(cwd, 'policy.json'), [{ name: '/nowhere', ensure: 'absent' }])
  return cwd
}

const DAILY = ['--on-calendar', 'daily']

test.each([
  [[], 'missing policies'],
  [['policy.json'], 'missing --on-calendar'],
  [['policy.json', ...DAILY, '--fix'], '--sandbox off'],
  [['policy.json', '--on-calendar', 'daily\nExecStart=/bin/sh'], 'cannot be'],
  [['policy.json', ...DAILY, '--name', '../x'], '--name must be'],
  [['policy.json', ...DAILY, '--name', 'a.b'], '--name must be'],
  [['policy.json', ...DAILY, '--name', 'agent'], 'units of a fleet'],
  [['policy.json', ...DAILY, '--randomized-delay', 'long'], 'must be a duration'],
  [['policy.json', ...DAILY, '--report', 'jsn'], 'did you mean "json"?'],
  [['-', ...DAILY], 'standard input'],
])('wrong usage %j is exit 1', async (args, message) => {
  const { code, stdout, stderr } = await driftgate(['schedule', 'show', ...args], { cwd: withPolicy() })
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toContain(message)
})

test.each([
  [['schedule'], 'missing install|show|remove'],
  [['schedule', 'instal'], 'did you mean "install"?'],
  [['schedule', 'remove', 'policy.json'], 'remove takes only --name'],
  [['schedule', 'remove', '--name', 'no-such-schedule'], 'no schedule "no-such-schedule"'],
])('%j is exit 1', async (args, message) => {
  const { code, stderr } = await driftgate(args, { cwd: withPolicy() })
  expect(code).toBe(1)
  expect(stderr).toContain(message)
})

test('a report in the root directory would open all of the system', async () => {
  const { code, stderr } = await driftgate(
    ['schedule', 'show', 'policy.json', ...DAILY, '--report', 'json=/drift.json'],
    {
      cwd: withPolicy(),
    },
  )
  expect(code).toBe(1)
  expect(stderr).toContain('to its own directory')
})
