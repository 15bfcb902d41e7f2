import { describe, expect, test } from 'vitest'
import type { Waiver } from '../../../src/model/waiver.ts'
import { readWaivers, type WaiverRules } from '../../../src/policy/waivers/read.ts'

const TODAY = '2026-11-20'

function fileOf(text: string, file = 'waivers.yaml'): { file: string; bytes: Uint8Array } {
  return { file, bytes: new TextEncoder().encode(text) }
}

/** The problems of a text as `line:column message`. */
function problemsIn(text: string, rules: Partial<WaiverRules> = {}): readonly string[] {
  const read = readWaivers([fileOf(text)], { today: TODAY, ...rules })
  if (read.ok) return []
  return read.problems.map(({ position, message, severity }) => {
    expect(severity).toBe('error')
    return `${position?.line}:${position?.column} ${message}`
  })
}

function waiversIn(text: string, rules: Partial<WaiverRules> = {}): readonly Waiver[] {
  const read = readWaivers([fileOf(text)], { today: TODAY, ...rules })
  if (!read.ok) throw new Error(read.problems.map(({ message }) => message).join('\n'))
  return read.value
}

/** A file with one waiver of these lines beside those that must be there. */
function withLines(...lines: readonly string[]): string {
  return [
    'waivers:',
    '  - id: w1',
    '    reason: known',
    '    approver: Ada',
    ...lines.map((line) => `    ${line}`),
    '',
  ].join('\n')
}

const EXPIRES = 'expires: 2026-12-31'
const RESOURCE = 'resource: file#/etc/motd'

test('every field is read as it is written', () => {
  const text = `
x-owners: [ops]
waivers:
  - id: 9.10
    resource: file#/etc/motd
    property: mode
    host: web*
    value: 0664
    reason: |
      The vendor rewrites it
      at each start.
    approver: Ada Lovelace
    ticket: OPS-1203
    created: 2026-11-20
    expires: 2026-12-31
    x-review: quarterly
  - { id: 10, control: 9.10, reason: known, approver: Ada, expires: '2026-11-19' }
`
  expect(waiversIn(text)).toEqual([
    {
      id: '9.10',
      resource: 'file#/etc/motd',
      property: 'mode',
      host: 'web*',
      value: '0664',
      reason: 'The vendor rewrites it at each start.',
      approver: 'Ada Lovelace',
      ticket: 'OPS-1203',
      created: '2026-11-20',
      expires: '2026-12-31',
      source: { file: 'waivers.yaml', line: 4, column: 5 },
    },
    {
      id: '10',
      control: '9.10',
      reason: 'known',
      approver: 'Ada',
      expires: '2026-11-19',
      source: { file: 'waivers.yaml', line: 17, column: 5 },
    },
  ])
})

test('JSON is read, too', () => {
  const entry = { id: 'w1', control: 'ssh-*', reason: 'known', approver: 'Ada', expires: '2026-12-31' }
  expect(waiversIn(JSON.stringify({ waivers: [entry] }))).toMatchObject([entry])
})

test('a list without waivers accepts nothing', () => {
  expect(waiversIn('waivers: []')).toEqual([])
})

describe('a problem of a file has its place', () => {
  test.each([
    ['', '1:1 the waiver file is empty'],
    ['# nothing yet\n', '1:1 the waiver file is empty'],
    ['[]', '1:1 a waiver file must be a map with the key "waivers", found a list'],
    ['{}', '1:1 missing "waivers": list them there, or write "waivers: []"'],
    ['waiver: []', '1:1 unknown key "waiver", did you mean "waivers"?; waivers are listed under "waivers"'],
    ['waivers:\n', '1:9 waivers must be a list, found nothing'],
    ['waivers: { a: 1 }', '1:10 waivers must be a list, found a map'],
    ['waivers: [x]', '1:11 waivers[0] must be a map, found "x"'],
    ['waivers: []\nwaivers: []', '2:1 key "waivers" is already set on line 1'],
    ['waivers: []\n---\nwaivers: []', '2:1 a waiver file must be one document, but a second one starts here'],
    ['waivers: [', '1:11 flow sequence in block collection must be sufficiently indented and end with a ]'],
  ])('%j', (text, problem) => {
    expect(problemsIn(text)).toContain(problem)
  })

  test('bytes that are no UTF-8', () => {
    const read = readWaivers([{ file: 'w.yaml', bytes: Buffer.from('waivers: [\xff]', 'latin1') }], { today: TODAY })
    expect(read).toMatchObject({ ok: false, problems: [{ position: { file: 'w.yaml', line: 1, column: 11 } }] })
  })
})

describe('a problem of a waiver has its place', () => {
  test.each<[readonly string[], string]>([
    [[RESOURCE], '2:5 waiver "w1" has no expires: The last day it is in force, to its end in UTC.'],
    [[EXPIRES], '2:5 waiver "w1" has neither resource nor control: set one of them'],
    [[RESOURCE, 'control: a', EXPIRES], '6:5 waiver "w1" has both resource and control: write one waiver for each'],
    [[RESOURCE, 'value: 1', EXPIRES], '6:5 value requires property'],
    [[RESOURCE, 'expire: 2026-12-31', EXPIRES], '6:5 unknown key "expire", did you mean "expires"?'],
    [[RESOURCE, 'run: false', EXPIRES], '6:5 unknown key "run": waived resources are always evaluated'],
    [[RESOURCE, 'justification: x', EXPIRES], '6:5 unknown key "justification": the justification is its "reason"'],
    [[RESOURCE, 'expiration_date: x', EXPIRES], '6:5 unknown key "expiration_date": its last day is "expires"'],
    [[RESOURCE, 'zzz: x', EXPIRES], '6:5 unknown key "zzz"'],
    [[RESOURCE, EXPIRES, 'id: w2'], '7:5 key "id" is already set on line 2'],
    [[RESOURCE, EXPIRES, 'ticket:'], '7:12 ticket must be text, found nothing'],
    [[RESOURCE, EXPIRES, 'ticket: []'], '7:13 ticket must be text, found a list'],
    [[RESOURCE, EXPIRES, "ticket: ' '"], '7:13 ticket must not be empty'],
    [[RESOURCE, EXPIRES, "host: ''"], '7:11 host must not be empty'],
    [[RESOURCE, EXPIRES, "host: 'web1 '"], '7:11 host must not start or end with a space'],
    [[RESOURCE, EXPIRES, String.raw`host: "web\e[2J"`], '7:11 host must not contain control characters'],
    [[RESOURCE, EXPIRES, String.raw`ticket: "a\a"`], '7:13 ticket must not contain control characters'],
    [['resource: /etc/motd', EXPIRES], '5:15 resource must be type#name, such as file#/etc/motd, found "/etc/motd"'],
    [['resource: file#', EXPIRES], '5:15 resource must be type#name, such as file#/etc/motd, found "file#"'],
    [["resource: '*'", EXPIRES], '5:15 resource must be type#name, such as file#/etc/motd, found "*"'],
    [
      ['control: file#/etc/motd', EXPIRES],
      '5:14 control must be the id of a control, found "file#/etc/motd": a resource is given with "resource"',
    ],
    [[RESOURCE, 'expires: 2026-02-30'], '6:14 expires cannot be "2026-02-30": February 2026 has 28 days'],
    [[RESOURCE, 'expires: 31.12.2026'], '6:14 expires cannot be "31.12.2026": a date is written as 2026-12-31'],
    [[RESOURCE, 'expires: never'], '6:14 expires cannot be "never": a date is written as 2026-12-31'],
    [[RESOURCE, 'expires: 2026'], '6:14 expires cannot be "2026": a date is written as 2026-12-31'],
    [[RESOURCE, EXPIRES, 'created: 2026-11-22'], '7:14 created is in the future: 2026-11-22, and today is 2026-11-20'],
    [
      [RESOURCE, 'expires: 2026-11-18', 'created: 2026-11-19'],
      '7:14 created is after expires: 2026-11-19, and it expires on 2026-11-18',
    ],
  ])('%j', (lines, problem) => {
    expect(problemsIn(withLines(...lines))).toEqual([problem])
  })

  test('the required keys', () => {
    expect(problemsIn('waivers: [{}]')).toEqual([
      '1:11 waivers[0] has no id: The id of the waiver in reports. Unique among the waivers of a run.',
      '1:11 waivers[0] has no reason: Why the drift is accepted.',
      '1:11 waivers[0] has no approver: The approver.',
      '1:11 waivers[0] has no expires: The last day it is in force, to its end in UTC.',
      '1:11 waivers[0] has neither resource nor control: set one of them',
    ])
  })
})

test('tomorrow is fine for a day of creation: somewhere it is tomorrow already', () => {
  expect(problemsIn(withLines(RESOURCE, EXPIRES, 'created: 2026-11-21'))).toEqual([])
})

test('a value may be anything that the machine may have', () => {
  const [found] = waiversIn(withLines(RESOURCE, EXPIRES, 'property: x', String.raw`value: " a\tb\n"`))
  expect(found?.value).toBe(' a\tb\n')
  expect(waiversIn(withLines(RESOURCE, EXPIRES, 'property: x', "value: ''"))[0]?.value).toBe('')
})

describe('ids are unique', () => {
  const one = withLines(RESOURCE, EXPIRES)

  test('in a file', () => {
    const twice = one + one.replace('waivers:\n', '')
    expect(problemsIn(twice)).toEqual(['7:9 id "w1" is already used at waivers.yaml:2'])
  })

  test('among all files', () => {
    const read = readWaivers([fileOf(one, 'a.yaml'), fileOf(one, 'b.yaml')], { today: TODAY })
    expect(read).toMatchObject({
      ok: false,
      problems: [{ message: 'id "w1" is already used at a.yaml:2', position: { file: 'b.yaml', line: 2, column: 9 } }],
    })
  })
})

describe('no waiver may be longer than the rules allow', () => {
  test.each<[readonly string[], number, readonly string[]]>([
    [[RESOURCE, 'expires: 2026-11-30'], 10, []],
    [
      [RESOURCE, 'expires: 2026-12-01'],
      10,
      ['6:14 waiver "w1" is for 11 days from 2026-11-20 on, the limit is 10, until 2026-11-30'],
    ],
    [[RESOURCE, 'expires: 2026-11-30', 'created: 2026-11-20'], 10, []],
    [
      [RESOURCE, 'expires: 2026-11-30', 'created: 2026-11-19'],
      10,
      ['6:14 waiver "w1" is for 11 days from 2026-11-19 on, the limit is 10, until 2026-11-29'],
    ],
    [[RESOURCE, 'expires: 2026-11-20'], 0, []],
    [[RESOURCE, 'expires: 9999-12-31'], 366, [expect.stringContaining('the limit is 366')]],
  ])('%j for %i days', (lines, maxDays, problems) => {
    expect(problemsIn(withLines(...lines), { maxDays })).toEqual(problems)
  })
})

test('everything that is wrong is said at once', () => {
  const bad = withLines('resource: motd', 'expires: 2026-13-01', 'zzz: 1')
  const read = readWaivers([fileOf('waivers: 1', 'a.yaml'), fileOf(bad, 'b.yaml'), fileOf('', 'c.yaml')], {
    today: TODAY,
  })
  const places = read.ok ? [] : read.problems.map(({ position }) => `${position?.file}:${position?.line}`)
  expect(places).toEqual(['a.yaml:1', 'b.yaml:5', 'b.yaml:6', 'b.yaml:7', 'c.yaml:1'])
})
