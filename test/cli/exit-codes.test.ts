import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { driftgate } from '../support/command-line.ts'
import { type Outcome, ownFile, temporaryDirectory, writePolicy } from '../support/driftgate.ts'

// Every kind of outcome a file can have, for root and for other users.
const KINDS = {
  compliant: ownFile({ content: 'right\n' }),
  drifted: ownFile({ content: 'wanted\n' }),
  // Its source is missing, so what is wanted is not known.
  undecidable: ownFile({ source: 'missing' }),
  // A link that leads to itself cannot be followed.
  loop: ownFile({}),
  // A directory is never replaced by a file.
  unfixable: ownFile({ content: 'x' }),
} as const

type Kind = keyof typeof KINDS

function makeMachine(kinds: readonly Kind[], controls: readonly object[] = []): string {
  const directory = temporaryDirectory()
  for (const [kind, text] of [
    ['compliant', 'right\n'],
    ['drifted', 'found\n'],
    ['undecidable', ''],
  ] as const) {
    writeFileSync(join(directory, kind), text)
    chmodSync(join(directory, kind), 0o644)
  }
  mkdirSync(join(directory, 'unfixable'))
  symlinkSync('loop', join(directory, 'loop'))
  const files = kinds.map((kind) => ({ name: join(directory, kind), ...KINDS[kind] }))
  writePolicy(join(directory, 'policy.json'), files, { controls })
  return directory
}

function scan(directory: string, ...args: readonly string[]): Promise<Outcome> {
  return driftgate(['scan', 'policy.json', '--report', 'json', ...args], { cwd: directory })
}

test.each<{ kinds: readonly Kind[]; args: readonly string[]; code: number; why: string }>([
  { kinds: ['compliant'], args: [], code: 0, why: 'everything is compliant' },
  { kinds: ['drifted'], args: [], code: 2, why: 'a resource drifted' },
  { kinds: ['drifted'], args: ['--fix'], code: 0, why: 'the drift was fixed' },
  { kinds: ['drifted'], args: ['--fail-on', 'medium'], code: 2, why: 'without a control the severity is medium' },
  { kinds: ['drifted'], args: ['--fail-on', 'high'], code: 0, why: 'the drift is below the gate' },
  { kinds: ['undecidable'], args: [], code: 3, why: 'the desired value is not known' },
  { kinds: ['loop'], args: [], code: 3, why: 'the file cannot be observed' },
  { kinds: ['unfixable'], args: ['--fix'], code: 4, why: 'a fix was refused' },
  { kinds: ['compliant'], args: ['--skip', 'file#*'], code: 5, why: 'the selection leaves nothing' },
  { kinds: ['drifted', 'undecidable'], args: [], code: 2, why: 'drift goes before undecided' },
  { kinds: ['drifted', 'undecidable'], args: ['--fail-on', 'high'], code: 3, why: 'drift below the gate does not' },
  {
    kinds: ['undecidable', 'unfixable', 'compliant'],
    args: ['--fix'],
    code: 4,
    why: 'a failed fix goes before undecided',
  },
])('exits $code because $why ($kinds $args)', async ({ kinds, args, code }) => {
  const outcome = await scan(makeMachine(kinds), ...args)
  const report = JSON.parse(outcome.stdout)
  expect({ code: outcome.code, reported: report.exit.code }).toEqual({ code, reported: code })
})

test('every kind of trouble is a reason, whichever decides the code', async () => {
  const { stdout } = await scan(makeMachine(['drifted', 'undecidable', 'compliant']))
  expect(JSON.parse(stdout).exit.reasons).toHaveLength(2)
})

test('the severity of a drift is that of its gravest control', async () => {
  const controls = [
    { id: 'mild', severity: 'low', resources: ['file#drifted'] },
    { id: 'grave', severity: 'critical', resources: ['file#drifted'] },
  ]
  const directory = makeMachine(['drifted'])
  const files = [{ name: join(directory, 'drifted'), alias: 'drifted', ...KINDS.drifted }]
  writePolicy(join(directory, 'policy.json'), files, { controls })
  expect((await scan(directory, '--fail-on', 'critical')).code).toBe(2)
})

test('an audit leaves everything as it is, a fix does not', async () => {
  const directory = makeMachine(['drifted'])
  await scan(directory)
  expect(readFileSync(join(directory, 'drifted'), 'utf8')).toBe('found\n')
  await scan(directory, '--fix')
  expect(readFileSync(join(directory, 'drifted'), 'utf8')).toBe('wanted\n')
  expect((await scan(directory)).code).toBe(0)
})

test('an invalid policy among valid ones evaluates nothing and still gives every report', async () => {
  const directory = makeMachine(['drifted'])
  writeFileSync(join(directory, 'broken.yaml'), 'ccm:\n  resorces: []\n')
  const { code, stdout, stderr } = await scan(directory, 'broken.yaml', '--out')
  expect(code).toBe(1)
  expect(stderr).toMatch(/^broken\.yaml:2:3 .*did you mean "resources"\?/m)
  const report = JSON.parse(stdout)
  expect(report.policies).toEqual([])
  expect(report.problems[0].position).toMatchObject({ file: 'broken.yaml', line: 2, column: 3 })
  expect(JSON.parse(readFileSync(join(directory, 'reports/drift.json'), 'utf8')).exit.code).toBe(1)
  expect(readFileSync(join(directory, 'reports/junit.xml'), 'utf8')).toContain('broken.yaml')
})

test('a missing policy is exit 1 and no stack trace', async () => {
  const { code, stdout, stderr } = await driftgate(['scan', 'missing.yaml'], { cwd: temporaryDirectory() })
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toContain('missing.yaml')
  expect(stderr).not.toMatch(/^\s+at /m)
})
