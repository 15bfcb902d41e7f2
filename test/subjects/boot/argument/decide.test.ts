import { expect, test } from 'vitest'
import type { Plan } from '../../../../src/model/decision.ts'
import { unknown } from '../../../../src/model/observation.ts'
import { decodeProperties } from '../../../../src/resource-type/decode.ts'
import { decideBootArgument } from '../../../../src/subjects/boot/argument/decide.ts'
import { bootArgument } from '../../../../src/subjects/boot/argument/index.ts'
import type { BootArgumentDesired } from '../../../../src/subjects/boot/argument/judge.ts'
import { observeBootArgument } from '../../../../src/subjects/boot/argument/observe.ts'
import type { BootAction } from '../../../../src/subjects/boot/argument/plan.ts'
import { debianWith, grubMenu } from '../../../support/grub-machine.ts'
import { machineOf } from '../../../support/setting-machine.ts'

type Files = Readonly<Record<string, string>>
type Machine = ReturnType<typeof machineOf>

const AUDIT: BootArgumentDesired = { name: 'audit', ensure: 'present', value: '1', if_absent: 'create', recovery: true }
const NO_SELINUX_OFF: BootArgumentDesired = {
  name: 'selinux',
  ensure: 'present',
  value: { not: '0' },
  if_absent: 'compliant',
  recovery: true,
}

function decide(wanted: BootArgumentDesired, machine: Machine) {
  const observed = observeBootArgument(machine)
  if (observed.kind !== 'present') throw new Error('nothing was seen')
  return decideBootArgument(wanted, observed.state)
}

/** What differs, where, and its note. */
function drifts(wanted: BootArgumentDesired, files: Files): readonly unknown[] {
  return decide(wanted, machineOf(files)).drift.map(({ property, observed, path, note }) =>
    [property, observed, path, note].filter((each) => each !== undefined),
  )
}

function planned(plan: Plan<BootAction>): unknown {
  if (plan.kind === 'none') return 'nothing'
  if (plan.kind === 'refuse') return plan.obstacles.map(({ reason }) => reason)
  const { writes, generate } = plan.action
  return {
    writes: Object.fromEntries(writes.map(({ file, text }) => [file, text])),
    generate: generate.map(({ file, program, entryCount }) => `${program} ${file} ${entryCount}`),
    leaves: plan.leaves?.map(({ reason }) => reason) ?? [],
  }
}

const fix = (wanted: BootArgumentDesired, files: Files): unknown => planned(decide(wanted, machineOf(files)).plan)

const GENERATE = '/usr/sbin/grub-mkconfig /boot/grub/grub.cfg 3'
const PENDING = 'pending reboot: the running kernel was started with another command line'
const OWN = '/etc/default/grub.d/zzz-driftgate-arguments.cfg'
const HEAD = '# Written by driftgate.\n'

test.each<[string, Partial<BootArgumentDesired>, Files]>([
  ['everywhere', {}, debianWith('audit=1')],
  ['as a number', { value: { at_least: '1' } }, debianWith('audit=0x1')],
  ['with any value', { value: undefined }, debianWith('audit')],
  ['nowhere, and it must not be', { value: undefined, ensure: 'absent' }, debianWith('')],
  ['nowhere, and it need not be', { if_absent: 'compliant' }, debianWith('')],
  ['in entries for recovery alone not', { recovery: false }, { ...debianWith(''), ...inDefault() }],
])('compliant: %s', (_, wanted, files) => {
  const { drift, unknown: unread, plan } = decide({ ...AUDIT, ...wanted }, machineOf(files))
  expect({ drift, unread, plan }).toEqual({ drift: [], unread: [], plan: { kind: 'none' } })
})

function inDefault(): Files {
  return {
    '/proc/cmdline': 'ro audit=1\n',
    '/boot/grub/grub.cfg': grubMenu('', 'audit=1'),
    '/etc/default/grub': 'GRUB_CMDLINE_LINUX_DEFAULT="audit=1"\n',
  }
}

const TITLES = [
  'Debian GNU/Linux',
  'Advanced options for Debian GNU/Linux > Debian GNU/Linux, with Linux 6.1.0-1-amd64',
  'Advanced options for Debian GNU/Linux > Debian GNU/Linux, with Linux 6.1.0-1-amd64 (recovery mode)',
]

test('missing everywhere', () => {
  expect(drifts(AUDIT, debianWith(''))).toEqual([
    ['value', 'absent'],
    ['entries', 'absent', TITLES[0], '/boot/grub/grub.cfg:20'],
    ['entries', 'absent', TITLES[1], '/boot/grub/grub.cfg:25'],
    ['entries', 'absent', TITLES[2], '/boot/grub/grub.cfg:28'],
    ['source', 'absent', '/etc/default/grub', 'according to /etc/default/grub:3'],
  ])
  expect(fix(AUDIT, debianWith(''))).toEqual({
    writes: { [OWN]: `${HEAD}GRUB_CMDLINE_LINUX="$GRUB_CMDLINE_LINUX audit=1"\n` },
    generate: [GENERATE],
    leaves: [PENDING],
  })
})

test('[run] the running kernel lacks an argument of the next one', () => {
  const files = { ...debianWith('audit=1'), '/proc/cmdline': 'ro quiet\n' }
  const note = 'pending reboot: the boot entries are compliant'
  expect(drifts(AUDIT, files)).toEqual([['value', 'absent', note]])
  expect(fix(AUDIT, files)).toEqual([PENDING])
})

test('[run] a file of grub.d overwrites the variable', () => {
  const files = { ...debianWith('audit=1'), '/etc/default/grub.d/50.cfg': 'GRUB_CMDLINE_LINUX="console=ttyS0"\n' }
  const note = 'lost at next update: shadowed by /etc/default/grub.d/50.cfg:1'
  expect(drifts(AUDIT, files)).toEqual([['source', 'absent', '/etc/default/grub', note]])
  const other = { ...files, '/etc/default/grub': debianWith('audit=0')['/etc/default/grub'] ?? '' }
  const overwritten = 'lost at next update: according to /etc/default/grub.d/50.cfg:1'
  expect(drifts(AUDIT, other)).toEqual([['source', 'absent', '/etc/default/grub', overwritten]])
  expect(fix(AUDIT, files)).toMatchObject({ writes: { [OWN]: expect.any(String) }, generate: [], leaves: [] })
})

test('a menu older than its sources', () => {
  const files = { ...debianWith('audit=1'), '/boot/grub/grub.cfg': grubMenu('') }
  expect(drifts(AUDIT, files).map((each) => (each as string[])[0])).toEqual(['entries', 'entries', 'entries'])
  expect(fix(AUDIT, files)).toEqual({ writes: {}, generate: [GENERATE], leaves: [] })
})

test('an argument given twice is compliant if both are', () => {
  const files = debianWith('audit=0 audit=1')
  const [first, second] = drifts(AUDIT, files)
  const why = 'audit=0 precedes audit=1, and the last occurrence does not override it for every argument'
  expect(first).toEqual(['value', '0', why])
  expect(second).toEqual(['entries', '0', TITLES[0], `/boot/grub/grub.cfg:20: ${why}`])
  expect(fix(AUDIT, files)).toMatchObject({
    writes: {
      '/etc/default/grub': 'GRUB_DEFAULT=0\nGRUB_CMDLINE_LINUX_DEFAULT="quiet"\nGRUB_CMDLINE_LINUX=" audit=1"\n',
    },
  })
})

test('entries for recovery do not get GRUB_CMDLINE_LINUX_DEFAULT', () => {
  const files = { ...debianWith(''), ...inDefault() }
  expect(drifts(AUDIT, files)).toEqual([
    ['entries', 'absent', TITLES[2], '/boot/grub/grub.cfg:28'],
    ['source', 'absent', '/etc/default/grub', 'recovery entries use GRUB_CMDLINE_LINUX only'],
  ])
  expect(fix(AUDIT, files)).toEqual({
    writes: { [OWN]: `${HEAD}GRUB_CMDLINE_LINUX="audit=1"\n` },
    generate: [GENERATE],
    leaves: [],
  })
})

test('without entries for recovery their source does not count', () => {
  const disabled = 'GRUB_CMDLINE_LINUX_DEFAULT="audit=1"\nGRUB_DISABLE_RECOVERY=true\n'
  const found = drifts(AUDIT, { ...debianWith(''), ...inDefault(), '/etc/default/grub': disabled })
  expect(found).toEqual([['entries', 'absent', TITLES[2], '/boot/grub/grub.cfg:28']])
})

test('a forbidden argument is removed from its source', () => {
  const files = {
    ...debianWith('a selinux=0 b'),
    [OWN]: `${HEAD}GRUB_CMDLINE_LINUX="$GRUB_CMDLINE_LINUX selinux=0"\n`,
  }
  expect(fix(NO_SELINUX_OFF, files)).toEqual({
    writes: {
      '/etc/default/grub': 'GRUB_DEFAULT=0\nGRUB_CMDLINE_LINUX_DEFAULT="quiet"\nGRUB_CMDLINE_LINUX="a b"\n',
      [OWN]: HEAD,
    },
    generate: [GENERATE],
    leaves: [PENDING],
  })
  expect(drifts({ ...NO_SELINUX_OFF, value: undefined, ensure: 'absent', if_absent: 'create' }, files)[0]).toEqual([
    'value',
    'present',
  ])
})

test('an argument without the value that it has to have', () => {
  expect(drifts(NO_SELINUX_OFF, { ...debianWith(''), '/proc/cmdline': 'selinux\n' })).toEqual([
    ['value', 'without a value', 'pending reboot: the boot entries are compliant'],
  ])
})

test('without drop-ins the main file gets it', () => {
  const suse = {
    ...without('/usr/sbin/update-grub', '/usr/sbin/grub-mkconfig', '/boot/grub/grub.cfg'),
    '/usr/sbin/grub2-mkconfig': '',
    '/boot/grub2/grub.cfg': grubMenu(''),
  }
  expect(fix(AUDIT, suse)).toMatchObject({
    writes: { '/etc/default/grub': expect.stringMatching(/""\nGRUB_CMDLINE_LINUX="\$GRUB_CMDLINE_LINUX audit=1"\n$/) },
    generate: ['/usr/sbin/grub2-mkconfig /boot/grub2/grub.cfg 3'],
  })
})

const MINE = "menuentry 'Mine' {\n linux /vmlinuz root=/dev/sda1\n}\n"

test("an administrator's own entry is not ours to change", () => {
  const files = { ...debianWith('audit=1'), '/boot/grub/custom.cfg': MINE }
  expect(drifts(AUDIT, files)).toEqual([['entries', 'absent', 'Mine', '/boot/grub/custom.cfg:2']])
  expect(fix(AUDIT, files)).toEqual([
    `/boot/grub/custom.cfg:2: "Mine" was added by an administrator: change it in /boot/grub/custom.cfg`,
  ])
})

test.each<[string, BootArgumentDesired, Files, string]>([
  [
    'no value is near',
    { ...AUDIT, value: { matches: '[2-9]' } },
    debianWith(''),
    'cannot derive a value from its condition',
  ],
  [
    'a value has a meaning',
    { ...AUDIT, value: 'a;b' },
    debianWith(''),
    'a fix does not write arguments that need quotes: add audit=a;b',
  ],
  ['nothing generates a menu', AUDIT, without('/usr/sbin/grub-mkconfig'), 'neither grub-mkconfig nor grub2-mkconfig'],
  [
    'it comes from another variable',
    { ...AUDIT, value: '2' },
    { ...debianWith('audit=2'), '/etc/default/grub': 'X="audit=1"\nGRUB_CMDLINE_LINUX="$X"\n' },
    'a fix does not change /etc/default/grub, whose purpose is unknown',
  ],
])('a fix is refused where %s', (_, wanted, files, reason) => {
  expect(JSON.stringify(fix(wanted, files))).toContain(reason)
})

function without(...paths: readonly string[]): Files {
  return Object.fromEntries(Object.entries(debianWith('')).filter(([each]) => !paths.includes(each)))
}

const ENVIRONMENT = '# GRUB Environment Block\nkernelopts=root=/dev/sda1 ro audit=0 x\n'.padEnd(1024, '#')

test('Red Hat: entries with kernelopts are changed in the environment, whose length stays', () => {
  const files = {
    '/proc/cmdline': 'root=/dev/sda1 ro audit=1\n',
    '/boot/grub2/grub.cfg': 'load_env\nblscfg\n',
    '/boot/grub2/grubenv': ENVIRONMENT,
    '/boot/loader/entries/6.1.conf': 'title RHEL\nlinux /v\noptions $kernelopts\n',
    '/etc/default/grub': 'GRUB_CMDLINE_LINUX="audit=1"\n',
    '/usr/sbin/grub2-mkconfig': '',
    '/etc/kernel/cmdline': 'ro audit=1\n',
  }
  expect(drifts(AUDIT, files)).toEqual([['entries', '0', 'RHEL', '/boot/loader/entries/6.1.conf:3']])
  expect(fix(AUDIT, files)).toEqual({
    writes: {
      '/boot/grub2/grubenv': '# GRUB Environment Block\nkernelopts=root=/dev/sda1 ro x audit=1\n'.padEnd(1024, '#'),
    },
    generate: [],
    leaves: [],
  })
  const full = ENVIRONMENT.replace(/#+$/, '')
  expect(fix({ ...AUDIT, name: 'audit_backlog_limit' }, { ...files, '/boot/grub2/grubenv': full })).toContainEqual(
    'no space left in /boot/grub2/grubenv: use grub2-editenv',
  )
})

const SYSTEMD_BOOT = {
  '/proc/cmdline': 'root=/dev/sda1 audit=1\n',
  '/efi/loader/entries/a.conf': 'title A\nlinux /v\noptions root=/dev/sda1\noptions audit=0 y\n',
  '/efi/loader/entries/b.conf': 'title B\nlinux /v\n',
  '/etc/kernel/cmdline': 'root=/dev/sda1 quiet\n',
}

test('systemd-boot: entries and kernel/cmdline are changed', () => {
  expect(drifts(AUDIT, SYSTEMD_BOOT)).toEqual([
    ['entries', '0', 'A', '/efi/loader/entries/a.conf:3'],
    ['entries', 'absent', 'B', '/efi/loader/entries/b.conf:1'],
    ['source', 'absent', '/etc/kernel/cmdline', 'according to /etc/kernel/cmdline'],
  ])
  expect(fix(AUDIT, SYSTEMD_BOOT)).toEqual({
    writes: {
      '/etc/kernel/cmdline': 'root=/dev/sda1 quiet audit=1\n',
      '/efi/loader/entries/a.conf': 'title A\nlinux /v\noptions root=/dev/sda1\noptions y audit=1\n',
      '/efi/loader/entries/b.conf': 'title B\nlinux /v\noptions audit=1\n',
    },
    generate: [],
    leaves: [],
  })
})

test("a distribution's kernel/cmdline is overridden, and without any a new kernel gets that of the running one", () => {
  const { '/etc/kernel/cmdline': _, ...files } = SYSTEMD_BOOT
  expect(fix(AUDIT, { ...files, '/usr/lib/kernel/cmdline': 'quiet' })).toMatchObject({
    writes: { '/etc/kernel/cmdline': 'quiet audit=1' },
  })
  expect(fix(AUDIT, { ...files, '/proc/cmdline': 'quiet' })).toMatchObject({
    leaves: [expect.stringContaining('/etc/kernel/cmdline does not exist'), PENDING],
  })
})

test('zipl is left to the administrator', () => {
  const files = { ...SYSTEMD_BOOT, '/etc/zipl.conf': '[linux]\nparameters="root=/dev/dasda1"\nparameters=audit=1\n' }
  expect(drifts(AUDIT, files)).toContainEqual(['source', 'absent', '/etc/zipl.conf', 'according to /etc/zipl.conf:2'])
  expect(JSON.stringify(fix(AUDIT, files))).toMatch(/zipl\.conf and run zipl/)
})

test('a container has no boot loader: nothing of the next start is known', () => {
  const { drift, unknown: unread, plan } = decide(AUDIT, machineOf({ '/proc/cmdline': 'audit=1\n' }))
  expect({ drift, unread: unread.map(({ property, reason }) => [property, reason]), plan }).toEqual({
    drift: [],
    unread: [
      ['entries', 'not-observable'],
      ['source', 'not-observable'],
    ],
    plan: { kind: 'none' },
  })
  expect(fix(AUDIT, { '/proc/cmdline': 'quiet\n' })).toEqual([
    'cannot be met here: no boot loader configuration found to change',
  ])
})

test('each layer that cannot be read is unknown', () => {
  const denied = (path: string, files = debianWith('audit=1')): Machine => {
    const machine = machineOf(files)
    const readText: Machine['probe']['readText'] = (each) =>
      each === path ? unknown('permission-denied', path) : machine.probe.readText(each)
    return { ...machine, probe: { ...machine.probe, readText } }
  }
  const unread = (path: string): readonly unknown[] => {
    const { unknown: notRead, comparesStored } = decide(AUDIT, denied(path))
    return [comparesStored, ...notRead.map(({ property, reason }) => `${property} ${reason}`)]
  }
  expect(unread('/proc/cmdline')).toEqual([true, 'value permission-denied'])
  expect(unread('/boot/grub/grub.cfg')).toEqual([false, 'entries permission-denied', 'source permission-denied'])
  expect(unread('/etc/default/grub')).toEqual([false, 'source permission-denied'])
  // Unreadable entries do not promise that the next start has it.
  const behind = { ...debianWith('audit=1'), '/proc/cmdline': 'ro quiet\n' }
  expect(decide(AUDIT, denied('/boot/grub/grub.cfg', behind)).drift).toEqual([
    { property: 'value', desired: '1', observed: 'absent' },
  ])
  const { '/proc/cmdline': _, ...hidden } = debianWith('audit=1')
  expect(decide(AUDIT, machineOf(hidden)).unknown).toMatchObject([{ property: 'value', reason: 'not-observable' }])
})

test('an entry whose variables may be anything is unknown, unless it is one for recovery that does not count', () => {
  const sets = ['x', 'y', 'z'].flatMap((name) => [1, 2, 3, 4, 5].map((value) => `set ${name}=${value}\n`)).join('')
  const files = {
    ...debianWith('audit=1'),
    '/boot/grub/grub.cfg': `${sets}menuentry 'A (recovery mode)' {\n linux /v $x$y$z\n}\n`,
  }
  expect(decide(AUDIT, machineOf(files)).unknown).toMatchObject([{ property: 'entries', reason: 'not-observable' }])
  expect(decide({ ...AUDIT, recovery: false }, machineOf(files)).unknown).toEqual([])
})

test.each([
  [{ name: 'audit', ensure: 'absent', value: '1' }, 'ensure: absent cannot be combined with value'],
  [{ name: 'audit', ensure: 'absent', if_absent: 'compliant' }, 'ensure: absent cannot be combined with value'],
  [{ name: 'root' }, 'set by the menu generator'],
  [{ name: 'audit', value: '1 2' }, 'spaces or quotes'],
])('a policy that says %j is refused', (wanted, message) => {
  const problems = bootArgument.rules.flatMap((rule) => rule.check(wanted) ?? [])
  expect(problems).toEqual([expect.stringContaining(message)])
})

test.each(['audit=1', '', '-x', 'a b', '"a"'])('%j is no name of an argument', (name) => {
  expect(decodeProperties(bootArgument, { name }).ok).toBe(false)
})
