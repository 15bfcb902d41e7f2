import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Run } from '../../src/model/run.ts'
import { driftgate } from '../support/command-line.ts'
import { ownFile, temporaryDirectory, writePolicy } from '../support/driftgate.ts'

const DAY_MS = 86_400_000

/** The day in UTC so many days from now. */
function day(fromNow: number): string {
  return new Date(Date.now() + fromNow * DAY_MS).toISOString().slice(0, 10)
}

interface Entry {
  readonly id: string
  readonly expires: string
  readonly [key: string]: string
}

function fileOf(...entries: readonly Entry[]): string {
  const whole = entries.map((entry) => ({ resource: 'file#*', reason: 'known', approver: 'Ada', ...entry }))
  return JSON.stringify({ waivers: whole }, null, 1)
}

function scene(uid?: number): string {
  const cwd = temporaryDirectory(uid)
  writeFileSync(join(cwd, 'a'), '')
  chmodSync(join(cwd, 'a'), 0o600)
  writePolicy(join(cwd, 'p.yaml'), [ownFile({ name: join(cwd, 'a'), content: '', mode: '0644' })])
  return cwd
}

describe('check', () => {
  test('says of valid files how many waivers they hold, and warns of what has ended or soon will', async () => {
    const cwd = scene()
    writeFileSync(join(cwd, 'a.json'), fileOf({ id: 'a', expires: day(-2) }, { id: 'b', expires: day(10) }))
    writeFileSync(join(cwd, 'b.yaml'), fileOf({ id: 'c', expires: day(100) }))
    const { code, stdout, stderr } = await driftgate(['waivers', 'check', 'a.json', 'b.yaml'], { cwd })
    expect(code).toBe(0)
    expect(stdout).toBe('a.json: valid, 2 waivers (1 expired)\nb.yaml: valid, 1 waiver\n')
    expect(stderr).toBe(
      `a.json:3:3 warning: waiver a expired at the end of ${day(-2)} UTC, 2 days ago\n` +
        `a.json:10:3 warning: waiver b expires at the end of ${day(10)} UTC, 10 days left\n`,
    )
    const earlier = await driftgate(['waivers', 'check', 'b.yaml', '--warn-days', '200'], { cwd })
    expect(earlier.stderr).toContain('waiver c expires')
  })

  test('warns from two weeks before the end on unless told otherwise', async () => {
    const cwd = scene()
    writeFileSync(join(cwd, 'w.yaml'), fileOf({ id: 'soon', expires: day(14) }, { id: 'later', expires: day(15) }))
    const { stderr } = await driftgate(['waivers', 'check', 'w.yaml'], { cwd })
    expect(stderr).toMatch(/^w\.yaml:3:3 warning: waiver soon expires at the end of .*, 14 days left\n$/)
  })

  test('says everything that is wrong, of all files', async () => {
    const cwd = scene()
    writeFileSync(join(cwd, 'a.yaml'), fileOf({ id: 'a', expires: '2026-02-30' }, { id: 'b', expires: day(91) }))
    writeFileSync(join(cwd, 'b.yaml'), 'waivers: 1\n')
    const args = ['waivers', 'check', 'a.yaml', 'b.yaml', 'c.yaml', '--max-waiver-days', '90']
    const { code, stdout, stderr } = await driftgate(args, { cwd })
    expect(code).toBe(1)
    expect(stdout).toBe('')
    expect(stderr).toContain('a.yaml:8:15 expires cannot be "2026-02-30": February 2026 has 28 days\n')
    expect(stderr).toContain(`a.yaml:15:15 waiver "b" is for 91 days from ${day(0)} on, the limit is 90`)
    expect(stderr).toContain('b.yaml:1:10 waivers must be a list, found 1\n')
    expect(stderr).toContain('cannot read the waiver file c.yaml: no such file or directory\n')
  })
})

describe('list', () => {
  test('prints what is accepted, what ends first on top', async () => {
    const cwd = scene()
    const late = { id: 'late', expires: day(40), property: 'mode', value: '0600', ticket: 'OPS-1', host: 'web*' }
    writeFileSync(join(cwd, 'w.yaml'), fileOf(late, { id: 'over', expires: day(-1) }, { id: 'today', expires: day(0) }))
    const { code, stdout } = await driftgate(['waivers', 'list', 'w.yaml'], { cwd })
    expect(code).toBe(0)
    expect(stdout.split('\n').map((line) => line.replaceAll(/ {2,}/g, ' | '))).toEqual([
      'ID | ACCEPTS | HOST | EXPIRES | LEFT | APPROVER | TICKET | REASON',
      `over | file#* | * | ${day(-1)} | 1 day ago | Ada | - | known`,
      `today | file#* | * | ${day(0)} | last day | Ada | - | known`,
      `late | file#* mode = "0600" | web* | ${day(40)} | 40 days left | Ada | OPS-1 | known`,
      '',
    ])
  })

  test('prints JSON for programs', async () => {
    const cwd = scene()
    writeFileSync(join(cwd, 'w.yaml'), fileOf({ id: 'b', expires: day(3) }, { id: 'a', expires: day(-1) }))
    const { stdout } = await driftgate(['waivers', 'list', 'w.yaml', '--json', '--warn-days', '2'], { cwd })
    const source = { file: 'w.yaml', line: 3, column: 3 }
    expect(JSON.parse(stdout).waivers).toMatchObject([
      { id: 'b', expires: day(3), state: 'in-force', daysLeft: 3, expiresSoon: false, source },
      { id: 'a', expires: day(-1), state: 'expired', daysLeft: -1 },
    ])
  })

  test('names that would disturb a terminal do not', async () => {
    const cwd = scene()
    writeFileSync(join(cwd, 'w.yaml'), fileOf({ id: 'a', expires: day(3), reason: '\u202Eevil ::error::' }))
    const { stdout } = await driftgate(['waivers', 'list', 'w.yaml'], { cwd })
    expect(stdout).toContain(String.raw`\u202eevil`)
  })

  test('of no waivers', async () => {
    const cwd = scene()
    writeFileSync(join(cwd, 'w.yaml'), 'waivers: []\n')
    expect(await driftgate(['waivers', 'list', 'w.yaml'], { cwd })).toMatchObject({ code: 0, stdout: 'no waivers\n' })
  })
})

test.each([
  [['waivers'], 'missing check|list: an action, then waiver files (YAML or JSON)'],
  [['waivers', 'list'], 'missing FILE: an action, then waiver files (YAML or JSON)'],
  [['waivers', 'chekc', 'w.yaml'], 'unknown action "chekc", did you mean "check"? (check, list)'],
  [['waivers', 'list', ''], 'empty FILE'],
  [['waivers', 'list', 'w', '--warn-days', 'x'], 'option --warn-days must be a whole number of days, but is "x"'],
  [['scan', 'p.yaml', '--warn-days=-1'], 'option --warn-days must be a whole number of days, but is "-1"'],
  [['scan', 'p.yaml', '--max-waiver-days', '1.5'], 'option --max-waiver-days must be a whole number of days'],
  [['scan', 'p.yaml', '--max-waiver-days', '9999999'], 'option --max-waiver-days must be a whole number of days'],
  [['scan', 'p.yaml', '--waivers'], 'option --waivers needs a value'],
])('%j: %s', async (args, message) => {
  const { code, stderr } = await driftgate(args, { cwd: scene() })
  expect(code).toBe(1)
  expect(stderr).toContain(message)
})

test('a scan takes several files, and what is wrong with any of them keeps it from being made', async () => {
  const cwd = scene()
  writeFileSync(join(cwd, 'one.yaml'), fileOf({ id: 'one', expires: day(3), property: 'owner' }))
  writeFileSync(join(cwd, 'two.json'), fileOf({ id: 'two', expires: day(3), property: 'mode' }))
  const args = ['scan', 'p.yaml', '--waivers', 'one.yaml', '--waivers', 'two.json', '--report', 'json=drift.json']
  expect((await driftgate(args, { cwd })).code).toBe(0)
  expect((await driftgate([...args, '--waivers', 'two.json'], { cwd })).code).toBe(0)
  writeFileSync(join(cwd, 'copy.json'), readFileSync(join(cwd, 'two.json')))
  mkdirSync(join(cwd, 'folder'))
  const { code, stdout, stderr } = await driftgate([...args, '--waivers', 'copy.json', '--waivers', 'folder'], { cwd })
  expect(code).toBe(1)
  expect(stdout).toBe('')
  expect(stderr).toContain('copy.json:7:10 id "two" is already used at two.json:7\n')
  expect(stderr).toContain('cannot read the waiver file folder: it is a directory\n')
  const run: Run = JSON.parse(readFileSync(join(cwd, 'drift.json'), 'utf8'))
  expect(run).toMatchObject({ policies: [], exit: { code: 1, reasons: ['the scan was not performed: 2 problems'] } })
})

test('problems of the policies and of the waivers are said together', async () => {
  const cwd = scene()
  writeFileSync(join(cwd, 'p.yaml'), 'ccm: { resource: [] }\n')
  writeFileSync(join(cwd, 'w.yaml'), '[]')
  const { stderr } = await driftgate(['scan', 'p.yaml', '--waivers', 'w.yaml'], { cwd })
  expect(stderr).toContain('p.yaml:1:8 ')
  expect(stderr).toContain('w.yaml:1:1 ')
})

test('a config says where the waivers are and how long they may be', async () => {
  const cwd = scene()
  mkdirSync(join(cwd, 'sub'))
  writeFileSync(join(cwd, 'sub/w.yaml'), fileOf({ id: 'w', expires: day(10) }))
  const config = join(cwd, 'driftgate.config.yaml')
  writeFileSync(config, 'waivers: sub/w.yaml\nwarn-days: 20\n')
  const { code, stdout } = await driftgate(['scan', join(cwd, 'p.yaml')], { cwd: join(cwd, 'sub') })
  expect(code).toBe(0)
  expect(stdout).toContain('expires soon')
  writeFileSync(config, 'waivers: [sub/w.yaml]\nmax-waiver-days: 9\n')
  const long = await driftgate(['scan', join(cwd, 'p.yaml')], { cwd })
  expect(long.code).toBe(1)
  expect(long.stderr).toContain('is for 10 days')
  const checked = await driftgate(['waivers', 'check', 'sub/w.yaml', '--config', config], { cwd })
  expect(checked.stderr).toContain('is for 10 days')
  writeFileSync(config, 'max-waiver-days: soon\n')
  const wrong = await driftgate(['scan', 'p.yaml'], { cwd })
  expect(wrong.stderr).toContain('max-waiver-days must be a whole number of days')
})

test('a waiver in the way of a fix is said to be so where only a part is accepted', async () => {
  const cwd = scene()
  writeFileSync(join(cwd, 'a'), 'wrong')
  writeFileSync(join(cwd, 'w.yaml'), fileOf({ id: 'w', expires: day(10), property: 'mode' }))
  const { code, stdout } = await driftgate(['scan', 'p.yaml', '--fix', '--waivers', 'w.yaml'], { cwd })
  expect(code).toBe(2)
  expect(stdout).toContain('change:  cannot, waiver w accepts mode, which a fix would overwrite')
  expect(readFileSync(join(cwd, 'a'), 'utf8')).toBe('wrong')
})

test('shells complete what can stand where', async () => {
  const { stdout } = await driftgate(['completion', 'zsh'], { cwd: scene() })
  expect(stdout).toContain("'1:action:(check list)'")
  expect(stdout).toContain("'*:FILE:_files'")
})
