import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { driftgate } from '../support/command-line.ts'
import { temporaryDirectory } from '../support/driftgate.ts'

/** A policy of commands that each leave a trace, beside one that needs none to be decided. */
function makePolicy(): string {
  const directory = temporaryDirectory()
  const touch = `touch ${join(directory, 'ran')}`
  const resources = [
    { exec: { name: 'guarded', command: 'true', unless: touch } },
    { exec: { name: touch } },
    { exec: { name: 'created', command: touch, creates: directory } },
    { command: { name: 'looks', command: touch } },
  ]
  writeFileSync(join(directory, 'policy.json'), JSON.stringify({ ccm: { resources } }))
  return directory
}

test.each([
  { args: [], code: 2, verdicts: ['compliant', 'drifted', 'compliant', 'compliant'], ran: true },
  { args: ['--no-commands'], code: 2, verdicts: ['error', 'drifted', 'compliant', 'error'], ran: false },
  { args: ['--no-commands', '--fix'], code: 4, verdicts: ['error', 'fix-failed', 'compliant', 'error'], ran: false },
])('scan $args', async ({ args, code, verdicts, ran }) => {
  const cwd = makePolicy()
  const outcome = await driftgate(['scan', 'policy.json', '--report', 'json', ...args], { cwd })
  const [{ resources }] = JSON.parse(outcome.stdout).policies
  expect(resources.map(({ verdict }: { verdict: string }) => verdict)).toEqual(verdicts)
  expect(outcome.code).toBe(code)
  expect(existsSync(join(cwd, 'ran'))).toBe(ran)
})
