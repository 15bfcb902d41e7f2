import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { expect, test } from 'vitest'
import { driftgate, PROGRAM_SCRIPT } from '../support/driftgate.ts'
import { makeDirectory } from '../support/scenes/fix-first.ts'

/** A directory with a policy, whose name a shell must be told of, that wants one line of data in each of two files. */
test('the command that a report names fixes what it stands at, with the data of the scan, and nothing else', async () => {
  const cwd = makeDirectory()
  const { stdout } = await driftgate(['scan', "it's.json", '--data', 'site data.yaml', '--no-config'], { cwd })
  const [, command = ''] = /^ {2}1 {2}high {2}c-two {2}What two says\n {5}(driftgate .*)$/m.exec(stdout) ?? []
  expect(command).toBe(String.raw`driftgate scan 'it'\''s.json' '--data=site data.yaml' --no-config --fix --only c-two`)
  const bin = join(cwd, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'driftgate'), PROGRAM_SCRIPT, { mode: 0o755 })
  const path = [bin, process.env['PATH']].join(delimiter)
  execFileSync('/bin/sh', ['-c', command], { cwd, env: { ...process.env, PATH: path } })
  expect(['one', 'two'].map((name) => readFileSync(join(cwd, name), 'utf8'))).toEqual(['wrong\n', 'right\n'])
})
