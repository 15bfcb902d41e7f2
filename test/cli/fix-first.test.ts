import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { driftgate } from '../support/command-line.ts'
import { makeDirectory } from '../support/scenes/fix-first.ts'

/** A directory with a policy, whose name a shell must be told of, that wants one line of data in each of two files. */
test('values that may be secret are in no report, so no command is named', async () => {
  const cwd = makeDirectory()
  writeFileSync(join(cwd, 'x'), '')
  const scanned = await driftgate(
    ['scan', "it's.json", '--set', 'word=sesame', '--no-diff', '--env-file=x', '--url-values', '--report', 'json'],
    { cwd },
  )
  expect(scanned.stdout).not.toContain('sesame')
  expect(JSON.parse(scanned.stdout)).toMatchObject({
    policies: [{ inputs: ['--env-file=x', '--set=', '--url-values'] }],
  })
  const text = await driftgate(['report', 'text', '-'], { cwd, stdin: { text: scanned.stdout } })
  expect(text.stdout).toContain('Fix these first')
  expect(text.stdout).not.toContain('driftgate scan')
})
