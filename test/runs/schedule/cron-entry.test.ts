import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cronFile, crontabLines } from '../../../src/runs/schedule/places.ts'
import type { SchedulePlan } from '../../../src/runs/schedule/plan.ts'
import { cases } from '../../support/soak.ts'

const PLAN: SchedulePlan = {
  name: 'nightly',
  scope: { kind: 'system' },
  calendars: ['Mon..Fri 03:00', '12:30'],
  randomizedDelayMs: 0,
  runTimeoutMs: 90_000,
  command: ['/usr/bin/node', '/opt/driftgate', 'scan', '/etc/policies'],
  sandbox: { kind: 'read-only', writable: [], usesState: false },
  usesNetwork: false,
}

const RUN = 'flock -n /run/driftgate-nightly.lock timeout -k 60 90 /usr/bin/node /opt/driftgate scan /etc/policies'
const PATH = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

test('the file has an entry for each time, as root, without a run beside another or one that never ends', () => {
  const { path, text } = cronFile(PLAN, '/etc/cron.d', 'web01')
  expect(path).toBe('/etc/cron.d/driftgate-nightly')
  expect(text.split('\n').slice(1)).toEqual([`0 3 * * 1-5 root ${PATH} ${RUN}`, `30 12 * * * root ${PATH} ${RUN}`, ''])
})

test('the lines for a user have no field for one, and a lock of their own', () => {
  const [line = ''] = crontabLines({ ...PLAN, scope: { kind: 'user', home: '/home/me' } }, 'web01')
  expect(line).toMatch(/^0 3 \* \* 1-5 PATH=\S+ flock -n \/home\/me\/\.driftgate-nightly\.lock timeout/)
})

test('machines wait differently, each one always as long, and none longer than the delay', () => {
  const waitOf = (machine: string): number => {
    const { text } = cronFile({ ...PLAN, randomizedDelayMs: 300_000 }, '/etc/cron.d', machine)
    return Number(/ sleep (\d+); /.exec(text)?.[1] ?? 0)
  }
  const waits = Array.from({ length: 50 }, (_, index) => waitOf(`web${index}`))
  expect(waitOf('web1')).toBe(waits[1])
  expect(new Set(waits).size).toBeGreaterThan(30)
  expect(Math.max(...waits)).toBeLessThanOrEqual(300)
})

test.each([
  ['*:*:0/10', {}, 'cron cannot run at "*:*:0/10": cron does not support seconds'],
  ['daily', { command: ['/n', '/d', 'scan', 'C:\\x'] as const }, 'backslashes'],
  ['daily', { command: ['/n', '/d', 'scan', 'a\nb'] as const }, 'control characters'],
  ['daily', { command: ['/n', '/d', 'scan', 'x'.repeat(990)] as const }, 'characters long'],
])('%s with %j is refused', (calendar, changes, message) => {
  expect(() => cronFile({ ...PLAN, ...changes, calendars: [calendar] }, '/etc/cron.d', 'web01')).toThrow(message)
})

/** What cron hands to the shell: crontab(5) ends the command at the first % that has no backslash before it. */
function asCronReads(line: string): string {
  const command = line.split(' ').slice(5).join(' ')
  expect(command).not.toMatch(/(?<!\\)%/)
  return command.replaceAll('\\%', '%')
}

test('every word arrives as it is', () => {
  const word = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).filter((text) => !/[\p{C}\\]/u.test(text))
  fc.assert(
    fc.property(fc.array(word, { maxLength: 5 }), (words) => {
      const [line = ''] = crontabLines({ ...PLAN, calendars: ['daily'], command: ['n', 'd', ...words] }, 'web01')
      const shown = asCronReads(line).replace(/^.* timeout -k 60 90 n d/, String.raw`printf '%s\n' start`)
      const { stdout } = spawnSync('sh', ['-c', shown], { encoding: 'utf8' })
      expect(stdout.split('\n').slice(1, -1)).toEqual(words)
    }),
    { numRuns: cases({ usual: 15, soak: 600 }) },
  )
})
