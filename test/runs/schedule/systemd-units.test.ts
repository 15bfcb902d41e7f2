import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { describe, expect, test } from 'vitest'
import type { SchedulePlan } from '../../../src/runs/schedule/plan.ts'
import { pathsOf } from '../../../src/runs/schedule/places.ts'
import { quoteArgument, quotePath } from '../../../src/runs/schedule/systemd-quote.ts'
import { systemdUnits } from '../../../src/runs/schedule/systemd-units.ts'
import { needsPrograms } from '../../support/programs.ts'
import { temporaryDirectory } from '../../support/temporary.ts'

const PLAN: SchedulePlan = {
  name: 'nightly',
  scope: { kind: 'system' },
  calendars: ['Mon..Fri 03:00', 'Sat 05:00'],
  randomizedDelayMs: 300_000,
  runTimeoutMs: 3_600_000,
  command: [process.execPath, '/opt/driftgate.js', 'scan', '/etc/my policies', '--set=price=100% "$5"'],
  sandbox: { kind: 'read-only', writable: ['/srv/my reports', '/srv/100%'], usesState: true },
  usesNetwork: false,
}

function units(plan: SchedulePlan): readonly [service: readonly string[], timer: readonly string[]] {
  const [service, timer] = systemdUnits(plan, '/etc/systemd/system')
  return [service?.text.split('\n') ?? [], timer?.text.split('\n') ?? []]
}

test('the service runs the scan, the timer says when', () => {
  const [service, timer] = units(PLAN)
  expect(systemdUnits(PLAN, '/etc/systemd/system').map(({ path }) => path)).toEqual([
    '/etc/systemd/system/driftgate-nightly.service',
    '/etc/systemd/system/driftgate-nightly.timer',
  ])
  expect(service).toContain(
    `ExecStart=${process.execPath} /opt/driftgate.js scan "/etc/my policies" "--set=price=100%% \\"$$5\\""`,
  )
  expect(service).toEqual(expect.arrayContaining(['Type=oneshot', 'TimeoutStartSec=3600s', 'NoNewPrivileges=yes']))
  expect(service).toEqual(
    expect.arrayContaining([
      'ProtectSystem=strict',
      'ReadWritePaths="/srv/my reports"',
      'ReadWritePaths=/srv/100%%',
      'StateDirectory=driftgate',
    ]),
  )
  expect(timer).toEqual(
    expect.arrayContaining([
      'OnCalendar=Mon..Fri 03:00',
      'OnCalendar=Sat 05:00',
      'Persistent=yes',
      'RandomizedDelaySec=300s',
      'FixedRandomDelay=yes',
      'WantedBy=timers.target',
    ]),
  )
})

// systemd.unit(5), "Unit File Load Path": a user's units lie in the directory for configuration of the XDG specification.
test.each<[SchedulePlan['scope'], Record<string, string>, string, readonly string[]]>([
  [{ kind: 'system' }, {}, '/etc/systemd/system', ['/etc/cron.d/driftgate-nightly']],
  [{ kind: 'user', home: '/home/ann' }, {}, '/home/ann/.config/systemd/user', []],
  [{ kind: 'user', home: '/home/ann' }, { XDG_CONFIG_HOME: '/srv/conf' }, '/srv/conf/systemd/user', []],
  [{ kind: 'user', home: '/home/ann' }, { XDG_CONFIG_HOME: 'conf' }, '/home/ann/.config/systemd/user', []],
])('the files of a schedule for %j with %j lie in %s', (scope, env, directory, cron) => {
  const systemd = ['timer', 'service'].map((type) => `${directory}/driftgate-nightly.${type}`)
  expect(pathsOf('nightly', scope, env)).toEqual({ systemd, cron })
})

test('a missed run is made up for once everything has started that starts with the machine or the user', () => {
  const afterOf = (scope: SchedulePlan['scope']) =>
    units({ ...PLAN, scope })[0].filter((line) => line.startsWith('After='))
  expect(afterOf({ kind: 'system' })).toEqual(['After=multi-user.target'])
  expect(afterOf({ kind: 'user', home: '/home/ann' })).toEqual(['After=default.target'])
})

// systemd.exec(5): each of these shows a service something else than there is.
test.each([
  'PrivateTmp',
  'PrivateDevices',
  'PrivateUsers',
  'PrivateNetwork',
  'PrivateMounts',
  'ProtectHome',
  'ProtectProc',
  'ProcSubset',
  'ProtectKernelModules',
  'ProtectKernelTunables',
  'ProtectKernelLogs',
  'ProtectClock',
  'InaccessiblePaths',
  'TemporaryFileSystem',
  'RootDirectory',
  'DynamicUser',
])('no unit has %s=', (option) => {
  const all = [PLAN, { ...PLAN, scope: { kind: 'user', home: '/home/me' } as const }].flatMap(units).flat()
  expect(all.filter((line) => line.startsWith(`${option}=`))).toEqual([])
})

test('a user unit gets no namespace, which would map files of other users to the account nobody', () => {
  const [service] = units({ ...PLAN, scope: { kind: 'user', home: '/home/me' } })
  expect(service).toContain('NoNewPrivileges=yes')
  expect(
    service.filter((line) => /^(ProtectSystem|ReadOnlyPaths|ReadWritePaths|StateDirectory|User)=/.test(line)),
  ).toEqual([])
})

test('without a sandbox nothing is protected', () => {
  const [service] = units({ ...PLAN, sandbox: { kind: 'off' } })
  expect(service.filter((line) => /^(Protect|NoNew|ReadOnly|Restrict|Capability)/.test(line))).toEqual([])
})

test('only a scan that asks servers waits for the network', () => {
  expect(units(PLAN)[0]).not.toContain('After=network-online.target')
  expect(units({ ...PLAN, usesNetwork: true })[0]).toContain('After=network-online.target')
})

describe.skipIf(needsPrograms('systemd-analyze'))('systemd (needs systemd-analyze)', () => {
  test.each<[string, Partial<SchedulePlan>]>([
    ['for the machine', {}],
    ['for a user', { scope: { kind: 'user', home: '/home/me' } }],
    ['without a sandbox', { sandbox: { kind: 'off' } }],
    ['over the network', { usesNetwork: true }],
    ['in fractions of a second', { randomizedDelayMs: 1.5, runTimeoutMs: 1500 }],
  ])('finds nothing wrong with the units %s', (_what, changes) => {
    const directory = temporaryDirectory()
    const program = join(directory, 'driftgate.js')
    writeFileSync(program, '')
    const files = systemdUnits(
      { ...PLAN, command: [process.execPath, program, 'scan', '/etc/p'], ...changes },
      directory,
    )
    for (const { path, text } of files) writeFileSync(path, text)
    const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', ...files.map(({ path }) => path)], {
      encoding: 'utf8',
    })
    // What it says of other units of this machine is no business of ours.
    const complaints = `${stdout}${stderr}`.split('\n').filter((line) => line.includes('driftgate'))
    expect({ status, complaints }).toEqual({ status: 0, complaints: [] })
  })
})

// The escapes of systemd.syntax(7), section "Quoting", and the doubled signs of systemd.service(5) and systemd.unit(5).
test.each([
  ['/usr/bin/x', '/usr/bin/x'],
  ['', '""'],
  ['a b', '"a b"'],
  ['a\\b', String.raw`"a\\b"`],
  ['a"b', String.raw`"a\"b"`],
  ["a'b", `"a'b"`],
  ['a\nb\tc\rd', String.raw`"a\nb\tc\rd"`],
  ['a\u0001\u007f', String.raw`"a\x01\x7f"`],
  ['100%', '100%%'],
  ['$HOME', '"$$HOME"'],
  ['a;b', '"a;b"'],
])('the word %j is written %s', (word, written) => {
  expect(quoteArgument(word)).toBe(written)
  expect(quotePath(word)).toBe(written.replaceAll('$$', '$'))
})
