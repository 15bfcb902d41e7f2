import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { driftgate } from '../support/command-line.ts'
import { ownFile, temporaryDirectory, writePolicy } from '../support/driftgate.ts'

/** A directory with a policy of files that do not exist. */
function makeDrift(count = 1): string {
  const directory = temporaryDirectory()
  const names = Array.from({ length: count }, (_, index) => join(directory, `missing-${index}`))
  writePolicy(
    join(directory, 'policy.json'),
    names.map((name) => ({ name, ...ownFile({ content: 'x' }) })),
  )
  return directory
}

test('text goes to standard output and nothing else goes there', async () => {
  const cwd = makeDrift()
  const { stdout, stderr } = await driftgate(['scan', 'policy.json'], { cwd })
  expect(stdout).toContain('missing-0')
  expect(stderr).toBe('')
})

test.each([
  ['json', (text: string) => JSON.parse(text).schema, 'driftgate.report/v1'],
  ['junit', (text: string) => text.slice(0, 5), '<?xml'],
])('a %s report on standard output is the only thing there', async (format, identify, expected) => {
  const { stdout, stderr } = await driftgate(['scan', 'policy.json', '--report', format], { cwd: makeDrift() })
  expect(identify(stdout)).toBe(expected)
  expect(stderr).toBe('')
})

test('--out writes its files into new folders, text stays on standard output', async () => {
  const cwd = makeDrift()
  const { code, stdout, stderr } = await driftgate(['scan', 'policy.json', '--out', 'new/deep'], { cwd })
  expect(code).toBe(2)
  expect(stdout).toContain('drifted')
  expect(readdirSync(join(cwd, 'new/deep')).toSorted()).toEqual(['drift.json', 'junit.xml'])
  expect(stderr).toBe('driftgate: wrote new/deep/drift.json\ndriftgate: wrote new/deep/junit.xml\n')
})

test('an unwritable report of a fix gives exit code 1, and standard error names the fixed resources', async () => {
  const cwd = makeDrift()
  const args = ['scan', 'policy.json', '--fix', '--report', 'text', '--report', 'json=/dev/full']
  const { code, stdout, stderr } = await driftgate(args, { cwd })
  expect(code).toBe(1)
  expect(stdout).toContain('1 resource: 1 fixed, exit 1')
  expect(stderr).toBe(
    `driftgate: cannot write the report /dev/full: no space left on the device\ndriftgate: fixed: file#${join(cwd, 'missing-0')}\n`,
  )
})

test('an unwritable report of an audit names no fixes, and another report keeps the exit code of the run', async () => {
  const cwd = makeDrift()
  const args = ['scan', 'policy.json', '--report', 'junit=/dev/full', '--report', 'json=drift.json']
  const { code, stderr } = await driftgate(args, { cwd })
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: 'driftgate: cannot write the report /dev/full: no space left on the device\ndriftgate: wrote drift.json\n',
  })
  expect(JSON.parse(readFileSync(join(cwd, 'drift.json'), 'utf8'))).toMatchObject({ exit: { code: 2 } })
})

test('an existing report is replaced, not appended to', async () => {
  const cwd = makeDrift()
  writeFileSync(join(cwd, 'drift.json'), 'x'.repeat(1_000_000))
  await driftgate(['scan', 'policy.json', '--report=json=drift.json', '--report=text=-'], { cwd })
  expect(JSON.parse(readFileSync(join(cwd, 'drift.json'), 'utf8')).summary.total).toBe(1)
})

test.each([
  ['below a file', 'policy.json/report.json'],
  ['at a directory', 'directory'],
  ['in a file system that takes no directories', '/proc/none/report.json'],
])('a report %s is refused before anything is evaluated', async (_where, path) => {
  const cwd = makeDrift()
  mkdirSync(join(cwd, 'directory'))
  const args = ['scan', 'policy.json', '--fix', '--report', 'junit=kept.xml', '--report', `json=${path}`]
  const { code, stdout, stderr } = await driftgate(args, { cwd })
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toContain(`cannot write the report ${path}`)
  expect(existsSync(join(cwd, 'missing-0'))).toBe(false)
  expect(readdirSync(cwd).toSorted()).toEqual(['directory', 'policy.json'])
})

test('--quiet prints the summary alone', async () => {
  const cwd = makeDrift()
  const { code, stdout, stderr } = await driftgate(['scan', 'policy.json', '--quiet', '--out'], { cwd })
  expect({ code, stderr }).toEqual({ code: 2, stderr: '' })
  expect(stdout).toContain('1 drifted')
  expect(stdout).not.toContain('missing-0')
})

test('--verbose lists what is compliant', async () => {
  const cwd = temporaryDirectory()
  writePolicy(join(cwd, 'policy.json'), [{ name: join(cwd, 'gone'), ensure: 'absent' }])
  expect((await driftgate(['scan', 'policy.json'], { cwd })).stdout).not.toContain('file#')
  expect((await driftgate(['scan', 'policy.json', '--verbose'], { cwd })).stdout).toContain(`file#${join(cwd, 'gone')}`)
})

test('--no-diff hides the difference of contents', async () => {
  const cwd = temporaryDirectory()
  writeFileSync(join(cwd, 'file'), 'observed line\n', { mode: 0o644 })
  writePolicy(join(cwd, 'policy.json'), [{ name: join(cwd, 'file'), ...ownFile({ content: 'desired line\n' }) }])
  expect((await driftgate(['scan', 'policy.json'], { cwd })).stdout).toContain('observed line')
  expect((await driftgate(['scan', 'policy.json', '--no-diff'], { cwd })).stdout).not.toContain('observed line')
})

test.each([
  [{}, false],
  [{ FORCE_COLOR: '1' }, true],
  [{ FORCE_COLOR: '0' }, false],
  [{ NO_COLOR: '1' }, false],
  [{ NO_COLOR: '1', FORCE_COLOR: '1' }, true],
  [{ CI: 'true', GITHUB_ACTIONS: 'true' }, false],
])('in a pipe with %j colour is %s', async (env, inColor) => {
  const { stdout } = await driftgate(['scan', 'policy.json'], { cwd: makeDrift(), env })
  expect(stdout.includes('\u001b[')).toBe(inColor)
})

test('files are written without colour', async () => {
  const cwd = makeDrift()
  await driftgate(['scan', 'policy.json', '--report', 'text=report.txt'], { cwd, env: { FORCE_COLOR: '1' } })
  expect(readFileSync(join(cwd, 'report.txt'), 'utf8')).not.toContain('\u001b')
})

test('a policy comes from standard input', async () => {
  const cwd = temporaryDirectory()
  const text = `ccm: {resources: [{file: {name: ${join(cwd, 'gone')}, ensure: absent}}]}`
  expect(await driftgate(['scan', '-'], { cwd, stdin: { text } })).toMatchObject({ code: 0, stderr: '' })
})
