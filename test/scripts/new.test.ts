import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import process from 'node:process'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

/** What the script works with, and what the checks of its result need. */
const COPIED = [
  'docs/reference',
  'policies',
  'schemas',
  'scripts',
  'src',
  'test',
  '.dependency-cruiser.cjs',
  '.oxlintrc.json',
  '.prettierignore',
  '.prettierrc.json',
  'knip.json',
  'package.json',
  'tsconfig.json',
  'vitest.config.ts',
]

const copies: string[] = []
afterAll(() => copies.forEach((copy) => rmSync(copy, { recursive: true })))

/** A copy of the project that may be changed. */
function copyOfProject(paths: readonly string[] = COPIED): string {
  const root = mkdtempSync(join(realpathSync(tmpdir()), 'driftgate-new-'))
  copies.push(root)
  for (const path of paths) cpSync(path, join(root, path), { recursive: true })
  symlinkSync(resolve('node_modules'), join(root, 'node_modules'))
  return root
}

interface Ended {
  readonly status: number | null
  readonly output: string
}

function run(root: string, program: string, ...args: readonly string[]): Ended {
  const path = `${resolve('node_modules/.bin')}:${process.env['PATH'] ?? ''}`
  // The tests of the copy count no coverage, and their results are not those of the run that this test is part of.
  const env = { ...process.env, PATH: path, COVERAGE: undefined, TEST_RESULTS: undefined }
  const ended = spawnSync(program, args, { cwd: root, encoding: 'utf8', env })
  return { status: ended.status, output: `${ended.stdout}${ended.stderr}` }
}

function make(root: string, ...args: readonly string[]): Ended {
  return run(root, process.execPath, 'scripts/new.mjs', ...args)
}

describe('invalid arguments of npm run new', () => {
  let root: string
  beforeAll(() => {
    root = copyOfProject(['scripts', 'src/report', 'src/subjects'])
  })

  test.each([
    [[], /npm run new -- subject NAME/],
    [['subject'], /npm run new -- subject NAME/],
    [['subjcet', 'gadget'], /npm run new -- subject NAME/],
    [['subject', 'gadget', 'more'], /npm run new -- subject NAME/],
    [['subject', 'KernelModule'], /words of small letters.*did you mean "kernel_module"\?/],
    [['subject', '../etc'], /words of small letters.*such as kernel_module/],
    [['subject', '2fa'], /words of small letters/],
    [['subject', 'shared'], /src\/subjects\/shared is not a type's/],
    [['subject', 'files'], /src\/subjects\/files is there already/],
    [['report', 'CSVTable'], /words of small letters.*did you mean "csvtable"\?/],
    [['report', '../etc'], /words of small letters.*such as sarif-github/],
    [['report', 'json'], /src\/report\/formats\/json is there already/],
    [['command', 'help'], /driftgate help explains the others/],
    [['command', 'Check'], /a short word of small letters/],
  ])('%j', (args, message) => {
    const { status, output } = make(root, ...args)
    expect(output).toMatch(message)
    expect(status).toBe(1)
    expect(existsSync(join(root, 'src/subjects/gadget'))).toBe(false)
  })
})

/** One of each kind: what it is called, what is written, and which other tests say that it is at home. */
const MADE = [
  // A word that no constant can be called, so that the name of the constant differs from that of the type.
  { kind: 'subject', name: 'export', sources: ['src/subjects'], tests: ['test/subjects/export', 'test/contract'] },
  {
    kind: 'report',
    name: 'for-each',
    sources: ['src/report'],
    tests: ['test/report/formats/for-each.test.ts', 'test/report/golden.test.ts', 'test/report/index.test.ts'],
  },
  { kind: 'command', name: 'switch', sources: ['src/cli/commands'], tests: ['test/cli/commands'] },
] as const

describe('each kind of skeleton', () => {
  let root: string
  let made: readonly Ended[]
  const sources = MADE.flatMap((each) => each.sources)
  const tests = MADE.flatMap((each) => each.tests)
  beforeAll(() => {
    root = copyOfProject()
    made = MADE.map(({ kind, name }) => make(root, kind, name))
  })

  test('is written', () => {
    for (const { status, output } of made) expect(status, output).toBe(0)
  })

  test('is not written over', () => {
    for (const { kind, name } of MADE) expect(make(root, kind, name).output).toContain('is there already')
  })

  test('a subject is registered and documented', () => {
    const registry = readFileSync(join(root, 'src/subjects/index.ts'), 'utf8')
    expect(registry).toContain(`(await import('./export/index.ts')).exportType`)
    expect(readFileSync(join(root, 'schemas/policy.schema.json'), 'utf8')).toContain('"export"')
    expect(existsSync(join(root, 'docs/reference/export.md'))).toBe(true)
  })

  test('a report format is registered, and configuration knows it', () => {
    const registry = readFileSync(join(root, 'src/report/index.ts'), 'utf8')
    expect(registry).toContain(`import { forEachFormat } from './formats/for-each/index.ts'`)
    expect(readFileSync(join(root, 'schemas/config.schema.json'), 'utf8')).toContain('for-each')
  })

  test('a command is registered where the alphabet and the help have it', () => {
    const registry = readFileSync(join(root, 'src/cli/commands/index.ts'), 'utf8')
    expect(registry).toContain(`/status/index.ts'\nimport { switchCommand } from './switch/index.ts'\nimport { types }`)
    expect(registry).toContain('  version,\n  switchCommand,\n]')
  })

  test.each([
    ['formatting', ['prettier', '--check', ...sources, ...tests]],
    ['types', ['tsc', '--noEmit', '-p', 'tsconfig.new.json']],
    ['lint', ['oxlint', '--deny-warnings', ...sources, ...tests]],
    ['import rules', ['node', 'scripts/check-imports.mjs']],
    ['dead code', ['knip']],
    ['its tests', ['vitest', 'run', ...tests]],
  ])('passes the gate: %s', (_step, [program = '', ...args]) => {
    const narrowed = { extends: './tsconfig.json', include: [...sources, ...tests] }
    writeFileSync(join(root, 'tsconfig.new.json'), JSON.stringify(narrowed))
    const { status, output } = run(root, program, ...args)
    expect(status, output).toBe(0)
  })
})
