import { describe, expect, test } from 'vitest'
import { known, present, unknown } from '../../../src/model/observation.ts'
import { type ApparmorState, decideApparmor } from '../../../src/subjects/mac/apparmor.ts'
import { mac } from '../../../src/subjects/mac/index.ts'
import { observeApparmor } from '../../../src/subjects/mac/observe-apparmor.ts'
import { observeSelinux } from '../../../src/subjects/mac/observe-selinux.ts'
import { decideSelinux, type SelinuxState } from '../../../src/subjects/mac/selinux.ts'
import type { MacDesired } from '../../../src/subjects/mac/wanted.ts'
import type { StoredProfile } from '../../../src/subjects/mac/apparmor-profiles/stored.ts'
import { apparmorMachine, macMachineIn, selinuxMachine } from '../../support/mac-machine.ts'
import { put } from '../../support/contract.ts'
import { temporaryDirectory } from '../../support/temporary.ts'

const DENIED = unknown('permission-denied', 'nobody may see it')
const MAN = '/etc/apparmor.d/man'
const TEXT = 'profile man /usr/bin/man flags=(complain){ }\n'

function stored(given: Partial<StoredProfile> = {}): StoredProfile {
  return { name: 'man', mode: 'enforce', file: MAN, line: 1, source: MAN, ...given }
}

const COMPLAINS = stored({ mode: 'complain', flags: { start: 24, end: 41, list: ['complain'] } })

function apparmor(wanted: Partial<MacDesired>, state: Partial<ApparmorState>, text = TEXT) {
  const { stored: given, ...others } = state
  return decideApparmor(
    { name: 'apparmor', minimum: 1, ...wanted },
    {
      enabled: 'on',
      loaded: known([{ name: 'man', mode: 'enforce' }]),
      unconfined: known([]),
      stored: given ?? known({ profiles: [stored()], disabled: [], texts: new Map([[MAN, text]]) }),
      ...others,
    },
  )
}

const files = (profiles: readonly StoredProfile[], text = TEXT): ApparmorState['stored'] =>
  known({ profiles, disabled: [], texts: new Map([[MAN, text]]) })
const loaded = (mode: string): ApparmorState['loaded'] => known([{ name: 'man', mode }])

describe('AppArmor', () => {
  test('nothing is said where all is well', () => {
    expect(apparmor({ profiles: 'enforce', confined: true }, {})).toMatchObject({
      drift: [],
      unknown: [],
      plan: { kind: 'none' },
    })
  })

  test.each([
    ['off', /^pending reboot: /],
    ['not-built', /^cannot be met here: /],
  ] as const)('a kernel in which it is %s is drift that no fix takes away', (enabled, note) => {
    const { drift, plan } = apparmor({}, { enabled, loaded: DENIED })
    expect(drift).toEqual([{ property: 'enabled', desired: true, observed: false, note: expect.stringMatching(note) }])
    expect(plan.kind).toBe('refuse')
  })

  test('unreadable state is unknown, each part by itself', () => {
    const decided = apparmor(
      { profiles: 'enforce', confined: true },
      { loaded: DENIED, stored: DENIED, unconfined: DENIED },
    )
    expect(decided.unknown.map(({ property }) => property)).toEqual(['profiles', 'stored', 'confined'])
    expect(decided.drift).toEqual([])
  })

  test('without files nothing is stored', () => {
    expect(apparmor({}, { stored: known(null) }).drift).toEqual([
      { property: 'stored', desired: { at_least: 1 }, observed: 0 },
    ])
    expect(apparmor({ minimum: 0 }, { stored: known(null), loaded: known([]) }).drift).toEqual([])
  })

  test('a flag is taken away, and the brace behind it stays a word of its own', () => {
    const { plan, drift } = apparmor(
      { profiles: 'enforce' },
      { loaded: loaded('complain'), stored: files([COMPLAINS]) },
    )
    expect(drift.map(({ property, path, note }) => [property, path, note])).toEqual([
      ['profiles', 'man', undefined],
      ['stored', 'man', `set by ${MAN}:1`],
    ])
    expect(plan).toMatchObject({
      kind: 'act',
      action: { files: [{ path: MAN, text: 'profile man /usr/bin/man { }\n' }], links: [], load: [MAN] },
    })
    expect(plan).not.toHaveProperty('leaves')
  })

  test('other flags stay, and a profile that is included twice is edited once', () => {
    const text = 'profile man /usr/bin/man flags=(complain, audit) { }\n'
    const twice = stored({ mode: 'complain', flags: { start: 24, end: 48, list: ['complain', 'audit'] } })
    const { plan } = apparmor(
      { profiles: 'enforce' },
      { stored: files([twice, { ...twice, source: '/etc/apparmor.d/b' }], text) },
    )
    expect(plan).toMatchObject({
      action: {
        files: [{ path: MAN, text: 'profile man /usr/bin/man flags=(audit) { }\n' }],
        load: [MAN, '/etc/apparmor.d/b'],
      },
    })
  })

  test('several profiles of a file are edited in their places', () => {
    const text = 'profile a flags=(complain) { }\nprofile b flags=(complain) { }\n'
    const at = (name: string, start: number): StoredProfile =>
      stored({ name, mode: 'complain', flags: { start, end: start + 17, list: ['complain'] } })
    const { plan } = apparmor({ profiles: 'enforce' }, { stored: files([at('a', 9), at('b', 40)], text) })
    expect(plan).toMatchObject({ action: { files: [{ text: 'profile a { }\nprofile b { }\n' }] } })
  })

  test('a link is taken away, with nothing to edit', () => {
    const link = '/etc/apparmor.d/force-complain/man'
    const { plan, drift } = apparmor(
      { profiles: 'enforce' },
      { stored: files([stored({ mode: 'complain', forcedBy: link })]) },
    )
    expect(drift[0]?.note).toBe(`set by the link ${link}`)
    expect(plan).toMatchObject({ action: { files: [], links: [link], load: [MAN] } })
  })

  test('a profile that complains in the kernel alone is loaded again', () => {
    const { plan } = apparmor({ profiles: { one_of: ['enforce', 'kill'] } }, { loaded: loaded('complain') })
    expect(plan).toMatchObject({ action: { files: [], links: [], load: [MAN] } })
  })

  test.each([
    ['that has to complain', { profiles: 'complain' }, { loaded: loaded('enforce') }, /sets profiles only to enforce/],
    [
      'without a nearest value',
      { profiles: { not: 'complain' } },
      { loaded: loaded('complain') },
      /sets profiles only to enforce/,
    ],
    ['of no file', { profiles: 'enforce' }, { loaded: known([{ name: 'x', mode: 'complain' }]) }, /not in a file/],
    [
      'of files that are unknown',
      { profiles: 'enforce' },
      { loaded: loaded('complain'), stored: DENIED },
      /not in a file/,
    ],
    [
      'written as unconfined',
      { profiles: 'enforce' },
      { loaded: loaded('unconfined') },
      /other than complain or enforce/,
    ],
    [
      'in a file that is not in UTF-8',
      { profiles: 'enforce' },
      { stored: files([COMPLAINS], `${TEXT}# \uFFFD`) },
      /not UTF-8 text/,
    ],
    ['too few', { minimum: 2 }, {}, /too few/],
  ] as const)('a profile %s is left', (_name, wanted, state, reason) => {
    const { plan } = apparmor(wanted, state)
    expect(plan).toMatchObject({
      kind: 'refuse',
      obstacles: [{ reason: expect.stringMatching(reason) }, ...more(plan)],
    })
  })

  test('a program without its profile is reported with its processes, and the rest is fixed', () => {
    const { drift, plan } = apparmor(
      { profiles: 'enforce', confined: true },
      {
        loaded: loaded('complain'),
        unconfined: known([
          { program: '/a', pids: [1], profile: 'man' },
          { program: '/b', pids: [2, 3], profile: 'man' },
        ]),
      },
    )
    expect(drift.slice(1).map(({ path, note }) => [path, note])).toEqual([
      ['/a', 'process 1 runs without the profile man'],
      ['/b', 'processes 2, 3 run without the profile man'],
    ])
    expect(plan).toMatchObject({ kind: 'act', leaves: [{}, {}] })
  })
})

function more(plan: { readonly kind: string }): readonly unknown[] {
  return 'obstacles' in plan && Array.isArray(plan.obstacles) ? plan.obstacles.slice(1) : []
}

const CONFIG = {
  mode: 'enforcing',
  policy: 'targeted',
  modeAt: 'set by /etc/selinux/config:1',
  policyAt: 'set by /etc/selinux/config:2',
  hasPolicy: true,
  text: 'SELINUX=enforcing\nSELINUXTYPE=targeted\n',
}

function selinux(wanted: Partial<MacDesired>, state: Partial<SelinuxState> = {}) {
  return decideSelinux(
    { name: 'selinux', minimum: 1, ...wanted },
    {
      mode: known('enforcing'),
      config: known(CONFIG),
      bootArguments: known([]),
      booleans: {},
      relabels: false,
      ...state,
    },
  )
}

const PERMISSIVE = { ...CONFIG, mode: 'permissive', text: 'SELINUX=permissive\nSELINUXTYPE=targeted\n' }
const DISABLED = { ...CONFIG, mode: 'disabled', text: 'SELINUX=disabled\nSELINUXTYPE=targeted\n' }

describe('SELinux', () => {
  test('nothing is said where all is well', () => {
    const decided = selinux({ mode: 'enforcing', policy: 'targeted' })
    expect(decided).toMatchObject({ drift: [], unknown: [], plan: { kind: 'none' } })
    expect(decided).not.toHaveProperty('messages')
  })

  test('without a word it only must not be off', () => {
    expect(selinux({}, { mode: known('permissive') }).drift).toEqual([])
    expect(selinux({}, { mode: known('disabled') }).drift.map(({ property }) => property)).toEqual(['mode'])
  })

  test('unreadable state is unknown, property by property', () => {
    const decided = selinux(
      { mode: 'enforcing', policy: 'targeted', booleans: { a: 'on' } },
      { mode: DENIED, config: DENIED, bootArguments: DENIED, booleans: { a: { now: DENIED, stored: DENIED } } },
    )
    expect(decided.unknown.map(({ property }) => property)).toEqual([
      'mode',
      'stored',
      'stored',
      'policy',
      'booleans',
      'stored_booleans',
    ])
    expect(decided.drift).toEqual([])
  })

  test('permissive now is switched, and permissive later is written', () => {
    const { drift, plan } = selinux({ mode: 'enforcing' }, { mode: known('permissive'), config: known(PERMISSIVE) })
    expect(drift.map(({ property, observed }) => [property, observed])).toEqual([
      ['mode', 'permissive'],
      ['stored', 'permissive'],
    ])
    expect(plan).toMatchObject({ kind: 'act' })
    expect(plan.kind === 'act' && plan.action).toEqual({
      kind: 'selinux',
      config: CONFIG.text,
      relabel: false,
      booleans: [],
      setenforce: '1',
    })
  })

  test('enforcing that is to be permissive is switched, too', () => {
    const { plan } = selinux({ mode: 'permissive' })
    expect(plan).toMatchObject({ action: { setenforce: '0', config: PERMISSIVE.text } })
  })

  test.each([
    [false, true],
    [true, false],
  ])('from disabled to enforcing takes a start that gives labels (asked for already: %s)', (relabels, relabel) => {
    const { plan, messages } = selinux(
      { mode: 'enforcing' },
      { mode: known('disabled'), config: known(DISABLED), relabels },
    )
    expect(plan).toMatchObject({
      kind: 'act',
      action: { config: CONFIG.text, relabel },
      leaves: [{ reason: expect.stringMatching(/^pending reboot: SELinux can only be enabled/) }],
    })
    expect(messages?.length ?? 0).toBe(relabels ? 1 : 0)
  })

  test('to disabled takes a start as well', () => {
    const { plan } = selinux({ mode: 'disabled' })
    expect(plan).toMatchObject({
      action: { config: DISABLED.text, relabel: false },
      leaves: [{ reason: expect.stringMatching(/^pending reboot: SELinux can only be disabled/) }],
    })
  })

  test('a mode that is not known is not switched', () => {
    const { plan } = selinux({ mode: 'enforcing' }, { mode: DENIED, config: known(PERMISSIVE) })
    expect(plan.kind === 'act' && plan.action).toEqual({
      kind: 'selinux',
      config: CONFIG.text,
      relabel: false,
      booleans: [],
    })
  })

  test.each([
    ['selinux=0', ['selinux=0'], { mode: 'enforcing' }],
    ['enforcing=0', ['enforcing=0'], { mode: 'enforcing' }],
    ['selinux=0', ['selinux=0', 'enforcing=0'], {}],
  ])('the boot argument %s applies to the next start, too', (wrong, bootArguments, wanted) => {
    const { drift, plan } = selinux(wanted, { bootArguments: known(bootArguments) })
    expect(drift).toMatchObject([{ property: 'stored', observed: wrong, path: 'boot arguments' }])
    expect(plan).toMatchObject({ kind: 'refuse' })
  })

  test.each([
    ['an invalid mode', { mode: 'strict' }, {}, /cannot derive/],
    ['a mode without a nearest one', { mode: { not: 'enforcing' } }, {}, /cannot derive/],
    [
      'no configuration',
      { mode: 'enforcing' },
      { config: known({ ...CONFIG, mode: null, text: null }) },
      /install SELinux/,
    ],
    ['another policy', { policy: 'mls' }, {}, /relabelling all files/],
    [
      'a policy that is not installed',
      { policy: 'targeted' },
      { config: known({ ...CONFIG, hasPolicy: false }) },
      /install/,
    ],
    [
      'no policy of which it is said which',
      { policy: 'targeted' },
      { config: known({ ...CONFIG, policy: null, hasPolicy: false }) },
      /install/,
    ],
    [
      'a boolean of no policy',
      { booleans: { a: 'on' } },
      { booleans: { a: { now: known(null), stored: known(null) } } },
      /no boolean a/,
    ],
  ] as const)('%s is left', (_name, wanted, state, reason) => {
    const { plan } = selinux(wanted, state)
    expect(plan).toMatchObject({
      kind: 'refuse',
      obstacles: [{ reason: expect.stringMatching(reason) }, ...more(plan)],
    })
  })

  test('a boolean is set once for both, and one that was not looked at is left', () => {
    const { plan, drift } = selinux(
      { booleans: { a: 'on', b: 'off' } },
      { booleans: { a: { now: known('off'), stored: known('off') } } },
    )
    expect(drift.map(({ property, path }) => [property, path])).toEqual([
      ['booleans', 'a'],
      ['stored_booleans', 'a'],
    ])
    expect(plan).toMatchObject({ action: { booleans: ['a=on'] } })
  })
})

describe('observed state of AppArmor', () => {
  function seen(files: Readonly<Record<string, string>>, wanted: Partial<MacDesired> = {}) {
    const directory = temporaryDirectory()
    apparmorMachine(directory, 'man (enforce)\na b (c) (user)\n/usr/{bin,sbin}/x (complain)\n', { man: TEXT }, [
      { pid: 1, program: '/usr/bin/man', label: 'unconfined' },
      { pid: 2, program: '/usr/bin/man', label: 'unconfined' },
      { pid: 3, program: '/usr/sbin/x', label: 'unconfined' },
      { pid: 4, program: '/usr/bin/x', label: '/usr/{bin,sbin}/x (complain)' },
    ])
    put(directory, files)
    const observed = observeApparmor(macMachineIn(directory), {
      name: 'apparmor',
      minimum: 1,
      confined: true,
      ...wanted,
    })
    return observed.kind === 'present' ? observed.state : observed
  }

  test('profiles with their modes, with any name', () => {
    expect(seen({})).toMatchObject({
      enabled: 'on',
      loaded: {
        value: [
          { name: 'man', mode: 'enforce' },
          { name: 'a b (c)', mode: 'prompt' },
          { name: '/usr/{bin,sbin}/x', mode: 'complain' },
        ],
      },
    })
  })

  test('programs by the attachments of files and names', () => {
    expect(seen({})).toMatchObject({
      unconfined: {
        value: [
          { program: '/usr/bin/man', pids: [1, 2], profile: 'man' },
          { program: '/usr/sbin/x', pids: [3], profile: '/usr/{bin,sbin}/x' },
        ],
      },
    })
  })

  test('programs by the attachments of the kernel, if it shows them', () => {
    const kernel = 'sys/kernel/security/apparmor/policy/profiles'
    expect(
      seen({
        [`${kernel}/man.1/name`]: 'man\n',
        [`${kernel}/man.1/attach`]: '/opt/man\n',
        [`${kernel}/x.2/name`]: '/usr/{bin,sbin}/x\n',
        [`${kernel}/x.2/attach`]: '<unknown>\n',
      }),
    ).toMatchObject({ unconfined: { value: [{ program: '/usr/sbin/x' }] } })
  })

  test.each([
    ['a line that is no profile', { 'sys/kernel/security/apparmor/profiles': 'man\n' }, 'loaded'],
    ['a file that is not understood', { 'etc/apparmor.d/x': 'profile x{ }\n' }, 'stored'],
    ['and then no attachment is known either', { 'etc/apparmor.d/x': 'profile x{ }\n' }, 'unconfined'],
    [
      'an attachment that is not understood',
      { 'sys/kernel/security/apparmor/profiles': '/a/{b (enforce)\n' },
      'unconfined',
    ],
  ] as const)('%s is unknown', (_name, files, part) => {
    expect(seen(files)).toMatchObject({ [part]: { kind: 'unknown', reason: 'invalid' } })
  })

  test('left-over files, directories and disabled profiles are no profiles', () => {
    expect(
      seen({
        'etc/apparmor.d/man.dpkg-old': 'profile old{ }',
        'etc/apparmor.d/man~': 'profile old{ }',
        'etc/apparmor.d/.hidden': 'profile old{ }',
        'etc/apparmor.d/local/man': 'profile old{ }',
        'etc/apparmor.d/off': 'profile old{ }',
        'etc/apparmor.d/disable/off': '',
      }),
    ).toMatchObject({ stored: { value: { profiles: [{ name: 'man' }], disabled: ['/etc/apparmor.d/off'] } } })
  })

  test.each([
    ['N\n', { enabled: 'off' }],
    ['Y\n', { enabled: 'on' }],
  ])('the kernel says %j', (text, expected) => {
    expect(seen({ 'sys/module/apparmor/parameters/enabled': text })).toMatchObject(expected)
  })

  test('without /sys AppArmor is unknown, and with other modules only it is absent', () => {
    const wanted = { name: 'apparmor', minimum: 1 } as const
    const directory = temporaryDirectory()
    expect(observeApparmor(macMachineIn(directory), wanted)).toMatchObject({
      kind: 'unknown',
      reason: 'not-observable',
    })
    put(directory, { 'sys/module/ext4/refcnt': '0\n' })
    expect(observeApparmor(macMachineIn(directory), wanted)).toMatchObject({ state: { enabled: 'not-built' } })
    put(directory, { 'sys/module/apparmor/parameters/enabled': 'Y\n' })
    expect(observeApparmor(macMachineIn(directory), wanted)).toMatchObject({
      state: { loaded: { kind: 'unknown', reason: 'not-observable' } },
    })
  })
})

describe('observed state of SELinux', () => {
  async function seen(files: Readonly<Record<string, string>>, names: readonly string[] = []) {
    const directory = temporaryDirectory()
    selinuxMachine(directory, files)
    const booleans = Object.fromEntries(names.map((name) => [name, 'on' as const]))
    const { signal } = new AbortController()
    const observed = await observeSelinux(macMachineIn(directory), { name: 'selinux', minimum: 1, booleans }, signal)
    return observed.kind === 'present' ? observed.state : observed
  }

  test.each([
    ['1', known('enforcing')],
    ['0', known('permissive')],
    ['2', { kind: 'unknown', reason: 'invalid' }],
  ])('enforce holds %s', async (enforce, mode) => {
    expect(await seen({ 'sys/fs/selinux/enforce': enforce })).toMatchObject({ mode })
  })

  test.each([
    ['a kernel that does not know its file system runs without it', 'nodev\tproc\n', known('disabled')],
    ['an unmounted file system is unknown', 'nodev\tselinuxfs\n', { kind: 'unknown', reason: 'not-observable' }],
  ])('%s', async (_name, systems, mode) => {
    const directory = temporaryDirectory()
    put(directory, { 'proc/filesystems': systems })
    const { signal } = new AbortController()
    expect(await observeSelinux(macMachineIn(directory), { name: 'selinux', minimum: 1 }, signal)).toMatchObject(
      present({ mode, bootArguments: { kind: 'unknown' }, config: known({ mode: null, text: null }) }),
    )
  })

  test.each([
    ['SELINUX=Enforcing_not\n', 'enforcing'],
    ['SELINUX=what\n', null],
    ['# SELINUX=enforcing\n', null],
  ])('the configuration %j', async (text, mode) => {
    expect(await seen({ 'etc/selinux/config': text })).toMatchObject({ config: { value: { mode } } })
  })

  test('the last of several boot arguments counts', async () => {
    const state = await seen({ 'proc/cmdline': 'selinux=0 selinux=1 enforcing=1 enforcing=0 xselinux=0\n' })
    expect(state).toMatchObject({ bootArguments: known(['enforcing=0']) })
  })

  test('booleans now, for good, and by the policy', async () => {
    const state = await seen(
      {
        'sys/fs/selinux/booleans/a': '1 1',
        'sys/fs/selinux/booleans/b': '0 1',
        'sys/fs/selinux/booleans/c': 'x',
        'var/lib/selinux/targeted/active/booleans.local': '# Local\na=1\n',
        semanage: 'a    (on   ,  off)  Words\nb    (off   ,   on)  Words\n',
      },
      ['a', 'b', 'c', 'd'],
    )
    expect(state).toMatchObject({
      booleans: {
        a: { now: known('on'), stored: known('on') },
        b: { now: known('off'), stored: known('on') },
        c: { now: { kind: 'unknown' }, stored: known(null) },
        d: { now: known(null), stored: known(null) },
      },
    })
  })

  test.each([
    ['is not there', { kind: 'not-started', message: 'no semanage' }, 'not-observable'],
    [
      'does not end',
      { kind: 'killed', cause: 'timeout', reason: 'too long', stdout: '', stderr: '', output: '' },
      'timeout',
    ],
    ['fails', { kind: 'exited', exitCode: 1, stdout: '', stderr: 'no', output: '' }, 'command'],
  ] as const)('if semanage %s, the stored booleans are unknown', async (_name, outcome, reason) => {
    const directory = temporaryDirectory()
    selinuxMachine(directory, {})
    const machine = { ...macMachineIn(directory), run: async () => outcome }
    const wanted = { name: 'selinux', minimum: 1, booleans: { httpd_can_network_connect: 'on' } } as const
    const observed = await observeSelinux(machine, wanted, new AbortController().signal)
    expect(observed).toMatchObject({ state: { booleans: { httpd_can_network_connect: { stored: { reason } } } } })
  })
})

test.each([
  ['a property of the other one', { name: 'selinux', profiles: 'enforce' }, /does not apply to selinux/],
  ['a property of the other one', { name: 'apparmor', mode: 'enforcing' }, /does not apply to apparmor/],
  ['confined that is false', { name: 'apparmor', confined: false }, /can only be true/],
])('%s is refused', (_name, given, message) => {
  expect(mac.rules.flatMap(({ check }) => check(given) ?? []).join()).toMatch(message)
})
