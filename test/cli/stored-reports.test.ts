import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { driftgate } from '../support/command-line.ts'
import { type Outcome, ownFile, temporaryDirectory, writePolicy } from '../support/driftgate.ts'

const OPTIONS = ['--quiet', '--no-config']

/** A machine with a right file and a wrong one, and the report of its scan. */
async function makeScanned(): Promise<string> {
  const cwd = temporaryDirectory()
  for (const name of ['right', 'wrong']) writeFileSync(join(cwd, name), `${name}\n`)
  for (const name of ['right', 'wrong']) chmodSync(join(cwd, name), 0o644)
  writePolicy(
    join(cwd, 'policy.json'),
    ['right', 'wrong'].map((name) => ({ name: join(cwd, name), ...ownFile({ content: 'right\n' }) })),
  )
  await scan(cwd, '--report', 'json=before.json')
  return cwd
}

function scan(cwd: string, ...args: readonly string[]): Promise<Outcome> {
  return driftgate(['scan', 'policy.json', ...OPTIONS, ...args], { cwd })
}

test('the gate passes what the baseline knows and fails for what is new', async () => {
  const cwd = await makeScanned()
  const known = await scan(cwd, '--baseline', 'before.json')
  expect(known).toMatchObject({ code: 0, stderr: '' })
  expect(known.stdout).toContain('1 resource drifted as in the baseline')
  writeFileSync(join(cwd, 'right'), 'tampered\n')
  expect((await scan(cwd, '--baseline', 'before.json')).code).toBe(2)
})

test('the same finding with another value fails the gate', async () => {
  const cwd = await makeScanned()
  writeFileSync(join(cwd, 'wrong'), 'even worse\n')
  const { code, stdout } = await driftgate(['scan', 'policy.json', '--baseline', 'before.json'], { cwd })
  expect(code).toBe(2)
  expect(stdout).toMatch(/baseline: changed/)
  expect(stdout).toMatch(/^baseline before\.json .*: 1 changed$/m)
})

test.each([
  ['is missing', undefined, 'no such file'],
  ['is empty', '', 'it is empty'],
  ['is not JSON', '{"schema": ', 'it is not JSON'],
  ['is something else', '{"version": "2.1.0"}', 'it has no schema, but only driftgate.report/v1 of'],
  ['is of another version', '{"schema": "driftgate.report/v2"}', 'it says "schema": "driftgate.report/v2"'],
  ['is damaged gzip', gzipSync('{}').subarray(0, 15), 'its compressed data is damaged'],
])('a baseline that %s is refused before anything is evaluated', async (_what, content, message) => {
  const cwd = await makeScanned()
  if (content !== undefined) writeFileSync(join(cwd, 'bad.json'), content)
  const { code, stdout, stderr } = await scan(cwd, '--baseline', 'bad.json')
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toContain(`cannot use the report bad.json: ${message}`)
})

test('the place that breaks the schema is named', async () => {
  const cwd = await makeScanned()
  const text = readFileSync(join(cwd, 'before.json'), 'utf8').replace('"verdict": "drifted"', '"verdict": "odd"')
  writeFileSync(join(cwd, 'odd.json'), text)
  const { code, stderr } = await driftgate(['report', 'text', 'odd.json'], { cwd })
  expect(code).toBe(1)
  expect(stderr).toContain('policies/0/resources/1/verdict must be equal to one of the allowed values')
})

test('a directory, and what may not be read, is no report', async () => {
  const cwd = await makeScanned()
  mkdirSync(join(cwd, 'folder'))
  const { code, stderr } = await driftgate(['report', 'text', 'folder'], { cwd })
  expect(code).toBe(1)
  expect(stderr).toContain('cannot use the report folder: it is a directory')
})

test.each([['not performed', ['missing.json'], 'its scan did not run']])(
  'a report of a scan that was %s is no baseline',
  async (_what, policies, message) => {
    const cwd = await makeScanned()
    await driftgate(['scan', ...policies, ...OPTIONS, '--report', 'json=none.json'], { cwd })
    const { code, stderr } = await scan(cwd, '--baseline', 'none.json')
    expect(code).toBe(1)
    expect(stderr).toContain(message)
  },
)

test('a stored report renders as the scan itself did, compressed and from standard input, too', async () => {
  const cwd = await makeScanned()
  const direct = await driftgate(['scan', 'policy.json', '--report', 'json=drift.json'], { cwd })
  const text = readFileSync(join(cwd, 'drift.json'), 'utf8')
  writeFileSync(join(cwd, 'drift.json.gz'), gzipSync(text))
  const plain = await driftgate(['report', 'text', 'drift.json'], { cwd })
  const packed = await driftgate(['report', 'text', 'drift.json.gz'], { cwd })
  const piped = await driftgate(['report', 'text', '-'], { cwd, stdin: { text } })
  expect(plain).toMatchObject({ code: 0, stdout: direct.stdout, stderr: '' })
  expect(packed.stdout).toBe(direct.stdout)
  expect(piped.stdout).toBe(direct.stdout)
  expect((await driftgate(['report', 'json', 'drift.json'], { cwd })).stdout).toBe(text)
})

test('several reports become one file', async () => {
  const cwd = await makeScanned()
  const merged = await driftgate(['report', 'junit=all.xml', 'before.json', 'before.json'], { cwd })
  expect(merged).toMatchObject({ code: 0, stdout: '', stderr: 'driftgate: wrote all.xml\n' })
  expect(readFileSync(join(cwd, 'all.xml'), 'utf8')).toContain('tests="4" failures="2"')
})

test('a report that cannot be read is named and left out, and the others are rendered', async () => {
  const cwd = await makeScanned()
  writeFileSync(join(cwd, 'empty.json'), '')
  const paths = ['before.json', 'none.json', 'empty.json']
  const { code, stdout, stderr } = await driftgate(['report', 'text', ...paths], { cwd })
  expect(code).toBe(3)
  for (const channel of [stdout, stderr]) {
    expect(channel).toContain('cannot use the report none.json: no such file')
    expect(channel).toContain('cannot use the report empty.json: it is empty')
  }
  expect(stdout).toContain('1 drifted')
  const nothing = await driftgate(['report', 'junit=none.xml', 'none.json', 'empty.json'], { cwd })
  expect(nothing).toMatchObject({ code: 1, stdout: '' })
  expect(nothing.stderr).toContain('cannot use the report empty.json: it is empty')
})

test('wrong words are told with where to find help', async () => {
  const cwd = await makeScanned()
  const unknown = await driftgate(['report', 'jnit', 'before.json'], { cwd })
  expect(unknown.stderr).toContain('unknown report format "jnit", did you mean "junit"?')
  expect(unknown.stderr).toContain('driftgate report --help')
  expect((await driftgate(['report', 'junit'], { cwd })).stderr).toContain('missing drift.json')
})

test('two reports are compared, and the exit code says whether something is new', async () => {
  const cwd = await makeScanned()
  writeFileSync(join(cwd, 'right'), 'tampered\n')
  writeFileSync(join(cwd, 'wrong'), 'right\n')
  await scan(cwd, '--report', 'json=after.json')
  const { code, stdout } = await driftgate(['compare', 'before.json', 'after.json'], { cwd })
  expect(code).toBe(2)
  expect(stdout).toMatch(/^new .*right/m)
  expect(stdout).toMatch(/^resolved .*wrong/m)
  expect(stdout).toContain('the host changed')
  expect(stdout).toMatch(/^1 new, 1 resolved/m)
  expect((await driftgate(['compare', 'before.json', 'before.json'], { cwd })).code).toBe(0)
  const json = await driftgate(['compare', 'before.json', 'after.json', '--format', 'json'], { cwd })
  expect(JSON.parse(json.stdout)).toMatchObject({ schema: 'driftgate.comparison/v1', counts: { new: 1, resolved: 1 } })
})

test('a resource that is no longer observed is incomparable, which has an exit code of its own', async () => {
  const cwd = await makeScanned()
  await scan(cwd, '--skip', 'file#*wrong', '--report', 'json=after.json')
  const { code, stdout } = await driftgate(['compare', 'before.json', 'after.json'], { cwd })
  expect(code).toBe(3)
  expect(stdout).toContain('the resource was not selected')
})
