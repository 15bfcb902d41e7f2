import fc from 'fast-check'
import { expect, test } from 'vitest'
import { known } from '../../src/model/observation.ts'
import { recordFiles } from '../../src/settings/files.ts'
import { secondsOf } from '../../src/settings/systemd-values.ts'
import { journald } from '../../src/settings/journald.ts'
import { timesyncd } from '../../src/settings/timesyncd.ts'
import { systemdFiles, systemdIni } from '../../src/settings/systemd.ts'
import { readUnit } from '../../src/settings/service-unit.ts'
import { machineOf } from '../support/setting-machine.ts'
import { cannotAsk, type Files, machines, named, truths, valueOn } from '../support/surface-oracle.ts'
import { expectAgreement } from '../support/proof.ts'
import { PATIENCE } from '../support/soak.ts'

const directory = fc.constantFrom('/etc', '/run', '/usr/local/lib', '/usr/lib')
const name = fc.constantFrom(
  '10-a.conf',
  '9.conf',
  'B.conf',
  'a.conf',
  'b.conf.bak',
  'b.confx',
  'é.conf',
  'z z.conf',
  '.x.conf',
)
const path = fc.oneof(
  fc.tuple(directory, name).map(([root, file]) => `${root}/systemd/journald.conf.d/${file}`),
  // The version that is compared with reads no other main file itself, though it shows them.
  fc.constant('/etc/systemd/journald.conf'),
)
const files: fc.Arbitrary<Files> = fc.dictionary(path, fc.constant('[Journal]\n'), { minKeys: 1, maxKeys: 7 })

const needs = cannotAsk(['systemd-analyze'])

test.skipIf(needs)(
  named('files are read in the order in which systemd-analyze shows them', needs),
  { timeout: PATIENCE },
  () => {
    const name = 'systemd/journald.conf'
    const all = machines(files)
    const shown = truths(all, {
      each: 'systemd-analyze cat-config --root="$PWD/$count" systemd/journald.conf 2>/dev/null > $count/truth',
    })
    const wrong = all.flatMap((each, index): unknown[] => {
      const ours = systemdFiles(recordFiles(machineOf(each)).files, [name], [[name]])
      const named = (shown[index] ?? '').matchAll(new RegExp(`^# /\\S*/driftgate-test-[^/]*/${index}(/.*)$`, 'gm'))
      const truth = known([...named].map(([, file]) => file))
      return JSON.stringify(ours) === JSON.stringify(truth) ? [] : [{ files: Object.keys(each), ours, truth }]
    })
    expectAgreement({ reader: 'files of systemd', program: 'systemd-analyze', texts: all.length }, wrong)
  },
)

const UNIT = 'a-b@x.service'
const ABOVE = [
  'a-b@x.service',
  'a-b@.service',
  'a-.service',
  'a-@x.service',
  'a-@.service',
  'service',
  'a.service',
  '-.service',
]
const unitDirectory = fc.constantFrom('/etc/systemd/system', '/usr/lib/systemd/system')
const dropIn = fc
  .tuple(unitDirectory, fc.constantFrom(...ABOVE), fc.constantFrom('1.conf', '2.conf', '3.conf'))
  .map(([root, unit, file]) => `${root}/${unit}.d/${file}`)
const unitFile = fc
  .tuple(unitDirectory, fc.constantFrom('a-b@x.service', 'a-b@.service'))
  .map(([root, file]) => `${root}/${file}`)
// systemd-analyze names each file by the key in it that it does not know.
const unitTrees: fc.Arbitrary<Files> = fc
  .tuple(fc.uniqueArray(unitFile, { minLength: 1 }), fc.uniqueArray(dropIn, { minLength: 1, maxLength: 7 }))
  .map((parts) => Object.fromEntries(parts.flat().map((path) => [path, '[Service]\nBogus=1\n'])))

test.skipIf(needs)(
  named('a unit has the drop-ins that systemd-analyze reads for it', needs),
  { timeout: PATIENCE },
  () => {
    const all = machines(unitTrees)
    const shown = truths(all, {
      each: `SYSTEMD_UNIT_PATH="$PWD/$count/etc/systemd/system:$PWD/$count/usr/lib/systemd/system" systemd-analyze verify --man=no ${UNIT} 2> $count/truth >&2 || :`,
    })
    const wrong = all.flatMap((each, index): unknown[] => {
      const read = readUnit(recordFiles(machineOf(each)).files, UNIT, { section: 'Service' })
      const ours = read.kind === 'known' ? read.value?.map(({ file }) => file) : read
      const lines = (shown[index] ?? '').matchAll(
        new RegExp(`^/\\S*/driftgate-test-[^/]*/${index}(/.*):\\d+: .*'Bogus'`, 'gm'),
      )
      const truth = [...lines].map(([, file]) => file)
      return JSON.stringify(ours) === JSON.stringify(truth) ? [] : [{ files: Object.keys(each), ours, truth }]
    })
    expectAgreement({ reader: 'drop-ins of units', program: 'systemd-analyze', texts: all.length }, wrong)
  },
)

// systemd.time(7) and systemd.syntax(7).
test.each<[string, number | undefined]>([
  ['5', 5],
  ['2h', 7200],
  ['2 h', 7200],
  ['1min 30s', 90],
  ['1y 12month', 31_557_600 + 12 * 2_629_800],
  ['300ms20s 5day', 0.3 + 20 + 5 * 86_400],
  ['infinity', Number.POSITIVE_INFINITY],
  ['', undefined],
  ['soon', undefined],
  ['5 fortnights', undefined],
])('%j are %s seconds', (written, seconds) => {
  const found = secondsOf(written)
  if (seconds === undefined || found === undefined) expect(found).toBe(seconds)
  else expect(found).toBeCloseTo(seconds)
})

test('a backslash continues a line, and a comment within it is passed over', () => {
  const text =
    '[Section A]\nKeyOne=value 1\n\nKeyThree=value 3\\\n# a comment\n; another\n       value 3 continued\nKeyFour = x\\\\\nNone\n'
  expect(systemdIni.parse(text, '/f')).toMatchObject({
    kind: 'known',
    value: [
      { section: 'Section A', key: 'KeyOne', value: 'value 1', line: 2 },
      { key: 'KeyThree', value: 'value 3        value 3 continued', line: 4 },
      { key: 'KeyFour', value: 'x\\\\', line: 8 },
    ],
  })
})

test.each([
  ['[A]\nB=c\rD=e\n', '/f:2: a carriage return ends the line for systemd'],
  ['[A]\r\nB=c \\\r\nd\r\n', '/f:2: a carriage return ends the line for systemd'],
])('a carriage return within a line, or behind a continuation, is unknown: %j', (text, detail) => {
  expect(systemdIni.parse(text, '/f')).toMatchObject({ kind: 'unknown', detail })
})

// systemd.network(5), UseNTP=
test.each([
  ['NTP=x.example\n', ['a.site', 'x.example']],
  ['DNS=192.0.2.1\nNTP=\n', ['a.site']],
])('what systemd-networkd noted of DHCP, %j, adds servers to those of systemd-timesyncd', (state, servers) => {
  const machine = machineOf({
    '/etc/systemd/timesyncd.conf': '[Time]\nNTP=a.site\n',
    '/etc/systemd/network/a.network': '[Network]\nDHCP=yes\n',
    '/etc/systemd/system/multi-user.target.wants/systemd-networkd.service': '',
    '/run/systemd/netif/state': state,
  })
  const read = timesyncd.read(recordFiles(machine).files)
  expect(read.kind === 'known' && read.value.map(({ value }) => value)).toEqual(servers)
})

test.each([
  ['SystemMaxUse=1G\nSystemMaxUse=\n', '1G'],
  ['SystemMaxUse=1G # of 8\n', undefined],
])('a size that journald does not take is passed over: %j', (text, expected) => {
  expect(valueOn(journald, { '/etc/systemd/journald.conf': `[Journal]\n${text}` }, 'SystemMaxUse')).toBe(expected)
})

// systemd-journald.service(8), and a journal of systemd 252 started with each.
test.each([
  ['no', { '/proc/cmdline': 'ro systemd.journald.forward_to_syslog=1 quiet\n' }, '1'],
  ['no', { '/proc/cmdline': 'systemd.journald.forward-to-syslog\n' }, 'yes'],
  ['yes', { '/proc/cmdline': 'systemd.journald.forward_to_syslog=1 systemd.journald.forward_to_syslog=off\n' }, 'off'],
  ['yes', { '/proc/cmdline': 'systemd.journald.forward_to_syslog=maybe\n' }, 'yes'],
  [
    'yes',
    { '/proc/cmdline': 'rd.systemd.journald.forward_to_syslog=0 xsystemd.journald.forward_to_syslog=0\n' },
    'yes',
  ],
  [
    'yes',
    {
      '/run/systemd/container': 'lxc',
      '/proc/cmdline': 'systemd.journald.forward_to_syslog=0\n',
      '/proc/1/cmdline': '/sbin/init\0systemd.journald.forward_to_syslog=on\0',
    },
    'on',
  ],
])('the file says ForwardToSyslog=%s, and what it was started with, %j, counts', (said, started, expected) => {
  const files = { '/etc/systemd/journald.conf': `[Journal]\nForwardToSyslog=${said}\n`, ...started }
  expect(valueOn(journald, files, 'ForwardToSyslog')).toBe(expected)
})

test('a level on the command line of the start counts where it has a value', () => {
  const files = { '/proc/cmdline': 'systemd.journald.max_level_store=info systemd.journald.max_level_store\n' }
  expect(valueOn(journald, files, 'MaxLevelStore')).toBe('info')
})
