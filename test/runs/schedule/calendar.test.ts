import { spawnSync } from 'node:child_process'
import { Cron } from 'croner'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cronFields, translateCalendar } from '../../../src/runs/schedule/calendar.ts'
import { needsPrograms } from '../../support/programs.ts'
import { cases } from '../../support/soak.ts'

/** What is read as times, as a crontab says it; otherwise why it cannot. */
function inCron(expression: string): string {
  const translation = translateCalendar(expression)
  return translation.kind === 'times' ? cronFields(translation.times) : translation.reason
}

// The left side is systemd.time(7), the right side crontab(5).
test.each([
  ['minutely', '* * * * *'],
  ['hourly', '0 * * * *'],
  ['Daily', '0 0 * * *'],
  ['weekly', '0 0 * * 1'],
  ['monthly', '0 0 1 * *'],
  ['quarterly', '0 0 1 */3 *'],
  ['semiannually', '0 0 1 1,7 *'],
  ['yearly', '0 0 1 1 *'],
  ['03:30', '30 3 * * *'],
  ['*-*-* 03:30:00', '30 3 * * *'],
  ['Mon..Fri 06:00', '0 6 * * 1-5'],
  ['sat,sunday 22:15', '15 22 * * 0,6'],
  ['Sun', '0 0 * * 0'],
  ['*:0/15', '*/15 * * * *'],
  ['*:5/20', '5,25,45 * * * *'],
  ['8..18:00', '0 8-18 * * *'],
  ['8..18/5:00', '0 8,13,18 * * *'],
  ['*-*-01,15 04:00', '0 4 1,15 * *'],
  ['12-24 18:00', '0 18 24 12 *'],
])('%s is %s for cron', (expression, fields) => {
  expect(inCron(expression)).toBe(fields)
})

test.each([
  ['*:*:0/10', 'seconds'],
  ['03:00:30', 'seconds'],
  ['2027-*-* 03:00', 'years'],
  ['03:00 Europe/Berlin', 'time zone'],
  ['daily UTC', 'time zone'],
  ['*-*~1 03:00', 'end of the month'],
  ['Mon *-*-01..07 03:00', 'cron cannot require a weekday and a day'],
  ['25:00', 'between 0 and 23'],
  ['Fri..Mon 03:00', 'backwards'],
  ['Fre 03:00', 'is not a weekday'],
  ['tomorrow', 'is not a weekday'],
  ['', 'is not a date'],
  ['*:0/0', 'between'],
])('%s cannot be said to cron: %s', (expression, reason) => {
  expect(translateCalendar(expression)).toMatchObject({ kind: 'impossible' })
  expect(inCron(expression)).toContain(reason)
})

const component = (from: number, to: number): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constant('*'),
    fc.integer({ min: from, max: to }).map(String),
    fc.tuple(fc.integer({ min: from, max: to }), fc.integer({ min: 2, max: 20 })).map((pair) => pair.join('/')),
    fc
      .tuple(fc.integer({ min: from, max: to }), fc.integer({ min: from, max: to }))
      .map((pair) => pair.toSorted((a, b) => a - b).join('..')),
    fc.uniqueArray(fc.integer({ min: from, max: to }), { minLength: 2, maxLength: 4 }).map((list) => list.join(',')),
  )

const expressions = fc.oneof(
  fc
    .tuple(component(1, 12), component(1, 28), component(0, 23), component(0, 59))
    .map(([m, d, h, min]) => `*-${m}-${d} ${h}:${min}`),
  fc
    .tuple(fc.constantFrom('Mon', 'Tue..Thu', 'Sat,Sun', 'Mon..Sun'), component(0, 23), component(0, 59))
    .map(([w, h, m]) => `${w} ${h}:${m}`),
)

describe.skipIf(needsPrograms('systemd-analyze'))('cron (needs systemd-analyze)', () => {
  test('runs at the times that systemd says', () => {
    fc.assert(
      fc.property(expressions, (expression) => {
        const times = systemdTimes(expression)
        expect(translateCalendar(expression).kind).toBe(times.length === 0 ? 'impossible' : 'times')
        if (times.length === 0) return
        const cron = new Cron(inCron(expression), { timezone: 'UTC' })
        const same = cron.nextRuns(times.length, new Date(BASE)).map((time) => time.toISOString().slice(0, 19))
        expect(same, expression).toEqual(times)
      }),
      { numRuns: cases({ usual: 10, soak: 400 }) },
    )
  })
})

const BASE = '2026-02-26T10:17:00Z'

/** The next four times after the base, as systemd's own tool says them; none where it refuses a step that leads nowhere. */
function systemdTimes(expression: string): readonly string[] {
  const { stdout, stderr } = spawnSync(
    'systemd-analyze',
    ['calendar', '--iterations=4', '--base-time=2026-02-26 10:17:00 UTC', '--', `${expression} UTC`],
    { encoding: 'utf8', env: { PATH: process.env['PATH'], TZ: 'UTC', LC_ALL: 'C' } },
  )
  const times = [...stdout.matchAll(/(?:Next elapse|Iter\. #\d+): \w+ (\S+) (\S+) UTC/g)]
  if (times.length === 0 && !expression.includes('/')) throw new Error(`${expression}: ${stdout}${stderr}`)
  return times.map(([, date, time]) => `${date}T${time}`)
}
