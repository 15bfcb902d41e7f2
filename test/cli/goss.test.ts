import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Run } from '../../src/model/run.ts'
import { put } from '../support/contract.ts'
import { quickClock } from '../support/clock.ts'
import { driftgate } from '../support/command-line.ts'
import { temporaryDirectory } from '../support/driftgate.ts'

function files(): string {
  const directory = temporaryDirectory()
  put(directory, {
    'goss.yaml': `gossfile: {more/*.yaml: {}}
file:
  {{ .Vars.path }}:
    title: what we made
    exists: true
    contents: [right, '!/^wrong/']
  /nowhere/at/all: {exists: true, mode: "0644", skip: {{ .Vars.skip }}}
`,
    'more/a.yaml': 'command: {echo hello: {exit-status: 0, stdout: [hello], stderr: ""}}\n',
    managed: 'right\nwrong\n',
  })
  writeFileSync(join(directory, 'vars.yaml'), `path: ${join(directory, 'managed')}\nskip: true\n`)
  return directory
}

test('a file of Goss is scanned, with reports as for every policy', async () => {
  const cwd = files()
  const { code, stdout } = await driftgate(['scan', 'goss.yaml', '--vars', 'vars.yaml', '--report', 'json'], { cwd })
  const run: Run = JSON.parse(stdout)
  expect(code).toBe(2)
  const path = join(cwd, 'managed')
  expect(run.policies[0]).toMatchObject({
    id: 'goss',
    resources: [
      {
        id: `goss#file:${path}`,
        alias: 'what we made',
        verdict: 'drifted',
        change: 'cannot',
        drift: [{ property: 'contents', observed: 'text of 2 lines', note: 'does not meet the pattern "!/^wrong/"' }],
        source: { file: 'goss.yaml (rendered)', line: 3 },
      },
      { id: 'goss#file:/nowhere/at/all', verdict: 'not-applicable', message: 'skip is true' },
      { id: 'goss#command:echo hello', verdict: 'compliant', source: { file: 'more/a.yaml', line: 1 } },
    ],
  })
})

test('a selection and inline variables', async () => {
  const cwd = files()
  const args = ['goss.yaml', '--vars', 'vars.yaml', '--vars-inline', 'skip: false', '--only', 'goss#file:/nowhere/*']
  const { code, stdout } = await driftgate(['scan', ...args], { cwd })
  expect(code).toBe(2)
  expect(stdout).toMatch(/exists: want true {2}found false/)
  expect(stdout).toMatch(/1 resource:/)
})

test('a variable that is not there is a mistake with its place', async () => {
  const { code, stderr } = await driftgate(['validate', 'goss.yaml'], { cwd: files() })
  expect(code).toBe(1)
  expect(stderr).toMatch(/^goss\.yaml:3:\d+ .*map has no entry for key "path"/m)
})

test('policies of others run no command of Goss', async () => {
  const cwd = temporaryDirectory()
  put(cwd, { 'goss.yaml': `command: {"touch ${cwd}/made": {exit-status: 0}}\n` })
  const { code, stdout } = await driftgate(['scan', 'goss.yaml', '--untrusted'], { cwd })
  expect(code).toBe(3)
  expect(stdout).toContain('policy commands are not run')
  expect(existsSync(join(cwd, 'made'))).toBe(false)
})

test('--wait audits until nothing is wrong, and reports that once', async () => {
  const cwd = temporaryDirectory()
  const counter = join(cwd, 'count')
  const line = `echo x >> ${counter}; wc -l < ${counter}`
  put(cwd, { 'goss.yaml': JSON.stringify({ command: { counting: { exec: line, 'exit-status': 0, stdout: ['2'] } } }) })
  const args = ['scan', 'goss.yaml', '--wait', '1m', '--report', 'json']
  const { code, stdout, stderr } = await driftgate(args, { cwd, clock: quickClock() })
  expect(code).toBe(0)
  const run: Run = JSON.parse(stdout)
  expect(run.summary).toMatchObject({ total: 1, compliant: 1 })
  expect(stderr).toBe('driftgate: audit 1: 1 resource drifted at or above severity info; audited again in 1 s\n')
  expect(readFileSync(counter, 'utf8')).toBe('x\nx\n')
})

test('--wait and --fix do not go together', async () => {
  const cwd = files()
  const { code, stderr } = await driftgate(['scan', 'goss.yaml', '--wait', '1s', '--fix'], { cwd })
  expect(code).toBe(1)
  expect(stderr).toContain('--wait conflicts with --fix')
})
