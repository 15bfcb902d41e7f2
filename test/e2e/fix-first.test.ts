import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { expect, test } from 'vitest'
import { driftgate, ownFile, PROGRAM_SCRIPT, temporaryDirectory } from '../support/driftgate.ts'

/** A directory with a policy, whose name a shell must be told of, that wants one line of data in each of two files. */
function makeDirectory(): string {
  const cwd = temporaryDirectory()
  for (const name of ['one', 'two']) writeFileSync(join(cwd, name), 'wrong\n')
  writeFileSync(join(cwd, 'site data.yaml'), 'word: right\n')
  const resource = (name: string): unknown => ({
    file: { name: join(cwd, name), ...ownFile({ content: '{{ Data.word }}\n' }) },
  })
  const control = (name: string, severity: string): unknown => ({
    id: `c-${name}`,
    title: `What ${name} says`,
    severity,
    resources: [`file#${join(cwd, name)}`],
  })
  writeFileSync(
    join(cwd, "it's.json"),
    JSON.stringify({
      policy: { id: 'site', controls: [control('one', 'low'), control('two', 'high')] },
      data: { word: 'default' },
      ccm: { resources: [resource('one'), resource('two')] },
    }),
  )
  return cwd
}

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
