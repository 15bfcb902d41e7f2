import { chmodSync, existsSync, mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { driftgate } from '../support/command-line.ts'
import { type Outcome, temporaryDirectory, writePolicy } from '../support/driftgate.ts'
import { listed, storedIn } from '../support/scenes/history.ts'

/** A directory with a policy `p.json` that wants these files to be absent. */
function machine(): { readonly cwd: string; readonly run: (...args: string[]) => Promise<Outcome> } {
  const cwd = temporaryDirectory()
  writePolicy(join(cwd, 'p.json'), [
    { name: join(cwd, 'a'), ensure: 'absent' },
    { name: join(cwd, 'b'), ensure: 'absent' },
  ])
  return { cwd, run: (...args) => driftgate(args, { cwd }) }
}

test('scans are stored with any outcome, and can be listed, shown and compared', async () => {
  const { cwd, run } = machine()
  const first = await run('scan', 'p.json', '--history', 'h', '--report', 'json')
  expect(first.code).toBe(0)
  writeFileSync(join(cwd, 'a'), '')
  expect((await run('scan', 'p.json', '--history', 'h', '--quiet')).code).toBe(2)
  expect((await run('scan', 'missing.json', '--history', 'h', '--quiet')).code).toBe(1)
  expect((await run('scan', 'p.json', '--history', 'h', '--report', 'jsno')).code).toBe(1)
  expect((await run('scan', 'p.json', '--history', 'h', '--only', 'file#/nowhere')).code).toBe(1)

  const runs = await listed({ run })
  expect(runs.map(({ exitCode }) => exitCode)).toEqual([1, 1, 1, 2, 0])
  const [, misspelt, , drifted, compliant] = runs
  const shown = await run('history', 'show', compliant?.run.slice(0, 10) ?? '', '--history', 'h', '--report', 'json')
  expect(shown).toEqual({ ...shown, code: 0, stdout: first.stdout, stderr: '' })
  const why = await run('history', 'show', misspelt?.run ?? '', '--history', 'h')
  expect(why).toMatchObject({ code: 0, stdout: expect.stringContaining('unknown report format "jsno"') })
  const diff = await run('history', 'diff', 'latest~4', drifted?.run ?? '', '--history', 'h')
  expect(diff).toMatchObject({ code: 2, stdout: expect.stringMatching(/^new .*file#.*\/a/m) })
  const comment = await run('history', 'diff', 'latest~4', 'latest~3', '--history', 'h', '--format', 'markdown')
  expect(comment).toMatchObject({ code: 2, stdout: expect.stringMatching(/^#+ /) })
  expect((await run('history', 'diff', 'latest~4', 'latest~4', '--history', 'h')).code).toBe(0)
  const text = await run('history', '--history', 'h')
  expect(text.stdout).toMatch(/^ {2}_#xxx {2}0 to 1, worse, then not performed {2}\S+: p$/m)
})

test('a run that was interrupted is stored', async () => {
  const { cwd, run } = machine()
  const resources = [
    { exec: { name: 'true', unless: 'sleep 600' } },
    { file: { name: join(cwd, 'a'), ensure: 'absent' } },
  ]
  writeFileSync(join(cwd, 'slow.json'), JSON.stringify({ ccm: { pre_message: 'started', resources } }))
  const interrupt = { by: 'SIGINT', after: 'started' } as const
  expect((await driftgate(['scan', 'slow.json', '--history', 'h'], { cwd, interrupt })).code).toBe(130)
  expect(await listed({ run })).toMatchObject([{ exitCode: 130, interrupted: true }])
})

test.each([
  ['a file', 'over'],
  ['below a file', 'over/history'],
])('a history that cannot be stored because it is %s costs no report, and the exit code', async (_what, history) => {
  const { cwd, run } = machine()
  writeFileSync(join(cwd, 'over'), '')
  const { code, stdout, stderr } = await run(
    'scan',
    'p.json',
    '--history',
    history,
    '--report',
    'junit=j.xml',
    '--quiet',
  )
  expect({ code, stdout }).toEqual({ code: 1, stdout: expect.stringContaining('exit 1') })
  expect(stderr).toMatch(/^driftgate: cannot store the run in over.*: a part of the path is not a directory\n$/)
  expect(existsSync(join(cwd, 'j.xml'))).toBe(true)
})

test('without a directory it is that of the service, or of the user', async () => {
  const { cwd } = machine()
  const state = { STATE_DIRECTORY: `${cwd}/service:/other` }
  await driftgate(['scan', 'p.json', '--history', '--quiet'], { cwd, env: state })
  expect(storedIn(join(cwd, 'service/history'))).toHaveLength(1)
  const { stdout } = await driftgate(['history'], { cwd, env: state })
  expect(stdout).toMatch(/^run .*\n.* audit +0 /)
})

test('a config says it, too, from its own directory', async () => {
  const { cwd } = machine()
  mkdirSync(join(cwd, 'elsewhere'))
  writeFileSync(join(cwd, 'driftgate.config.yaml'), 'history: runs\nkeep: 2\n')
  const scan = (): Promise<Outcome> => driftgate(['scan', '../p.json', '--quiet'], { cwd: join(cwd, 'elsewhere') })
  for (let times = 0; times < 3; times++) expect((await scan()).code).toBe(0)
  expect(storedIn(join(cwd, 'runs'))).toHaveLength(2)
  writeFileSync(join(cwd, 'driftgate.config.yaml'), 'history: true\nkeep: some\n')
  expect(await scan()).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/driftgate.config.yaml:2:7.*keep must be/),
  })
})

test.each([
  [['scan', 'p.json', '--keep', '3'], /--keep requires --history/],
  [['scan', 'p.json', '--history', '--keep', '0'], /--keep must be a number of runs/],
  [['history', 'shwo'], /unknown action "shwo", did you mean "show"\?/],
  [['history', 'show'], /history show needs a run/],
  [['history', 'diff', 'latest'], /history diff needs two runs/],
  [['history', 'list', 'latest'], /unexpected argument "latest"/],
  [['history', '--limit', '0'], /--limit must be a whole number/],
  [['history', '--since', 'monday'], /--since must be a duration/],
  [['history', '--report', 'json'], /--report is for history show/],
  [['history', 'show', 'latest', '--format', 'json'], /--format is for history list and diff/],
  [['history', '--format', 'markdown'], /--format markdown is for history diff/],
  [['history', '--history', 'none'], /cannot read the history none: no such file or directory/],
  [['history', 'show', 'latest', '--history', '.'], /no run latest: \. has no run/],
])('%j is one message and exit 1', async (args, message) => {
  const { code, stdout, stderr } = await machine().run(...args)
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(message)
})

test('scans at the same time are all stored, and pruning agrees', async () => {
  const { cwd, run } = machine()
  const scans = Array.from({ length: 6 }, () => run('scan', 'p.json', '--history', 'h', '--quiet'))
  expect((await Promise.all(scans)).map(({ code, stderr }) => ({ code, stderr }))).toEqual(
    scans.map(() => ({ code: 0, stderr: '' })),
  )
  expect(await listed({ run })).toHaveLength(6)
  const pruning = Array.from({ length: 4 }, () => run('scan', 'p.json', '--history', 'h', '--keep', '3', '--quiet'))
  expect((await Promise.all(pruning)).map(({ stderr }) => stderr)).toEqual(pruning.map(() => ''))
  expect((await run('scan', 'p.json', '--history', 'h', '--keep', '3', '--quiet')).code).toBe(0)
  expect(await listed({ run })).toHaveLength(3)
  expect(storedIn(join(cwd, 'h'))).toHaveLength(3)
})

test('damaged files are named on standard error and nothing else is lost', async () => {
  const { cwd, run } = machine()
  for (let times = 0; times < 3; times++) await run('scan', 'p.json', '--history', 'h', '--quiet')
  const [first = '', second = ''] = storedIn(join(cwd, 'h')).toSorted()
  truncateSync(join(cwd, 'h', first), 50)
  writeFileSync(join(cwd, 'h/index.ndjson'), '\u0000garbage')
  const { code, stdout, stderr } = await run('history', '--history', 'h')
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: `driftgate: skipping h/${first}: its compressed data is damaged\n`,
  })
  expect(stdout.match(/ audit /g)).toHaveLength(2)
  const shown = await run('history', 'show', first.slice(-16, -8), '--history', 'h')
  expect(shown).toMatchObject({ code: 1, stderr: expect.stringContaining(`cannot use h/${first}: its compressed`) })
  rmSync(join(cwd, 'h', second))
  expect(await listed({ run })).toHaveLength(1)
})

test('formats get the runs before as a trend', async () => {
  const { cwd, run } = machine()
  writeFileSync(
    join(cwd, 'trend.mjs'),
    `export const plugin = { apiVersion: 2, reportFormats: [{ name: 'trend', summary: 'Earlier exit codes',
       render: (_run, { trend }) => JSON.stringify(trend?.map(({ exitCode }) => exitCode) ?? 'none') + '\\n' }] }\n`,
  )
  chmodSync(join(cwd, 'trend.mjs'), 0o644)
  const plugin = ['--plugin', './trend.mjs', '--report', 'trend']
  const seen = [await run('scan', 'p.json', ...plugin), await run('scan', 'p.json', '--history', 'h', ...plugin)]
  writeFileSync(join(cwd, 'a'), '')
  seen.push(await run('scan', 'p.json', '--history', 'h', ...plugin))
  seen.push(await run('scan', 'p.json', '--history', 'h', ...plugin))
  seen.push(await run('history', 'show', 'latest~1', '--history', 'h', ...plugin))
  expect(seen.map(({ stdout }) => stdout)).toEqual(['"none"\n', '[]\n', '[0]\n', '[0,2]\n', '[0]\n'])
})
