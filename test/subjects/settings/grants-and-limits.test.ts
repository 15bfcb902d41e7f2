import { expect, test } from 'vitest'
import { defined } from '../../../src/model/defined.ts'
import { known, present } from '../../../src/model/observation.ts'
import { decideSetting, type SettingDesired } from '../../../src/subjects/settings/decide.ts'
import { observeSetting } from '../../../src/subjects/settings/observe.ts'
import { loadSurfaces } from '../../../src/subjects/index.ts'
import { machineOf } from '../../support/setting-machine.ts'

const surfaces = await loadSurfaces()

const DEBIAN = { '/etc/debian_version': '12\n' }
const SUDO = { '/usr/bin/sudo': '', ...DEBIAN }
const MAIN = 'Defaults env_reset\nroot ALL=(ALL:ALL) ALL\n@includedir /etc/sudoers.d\n'

type Files = Readonly<Record<string, string>>

function decide(
  files: Files,
  wanted: Partial<SettingDesired> & Pick<SettingDesired, 'name'>,
): ReturnType<typeof decideSetting> {
  const desired: SettingDesired = { ensure: 'present', explicit: false, if_absent: 'drift', ...wanted }
  const seen = observeSetting(machineOf(files), desired, surfaces)
  if (seen instanceof Promise) throw new Error('surfaces are looked at at once')
  if (seen.kind === 'unknown') throw new Error(seen.detail)
  return decideSetting(desired, seen)
}

/** What differs, each with where it is, and what a fix would write. */
function told(files: Files, wanted: Parameters<typeof decide>[1]): unknown {
  const { drift, plan } = decide(files, wanted)
  const found = drift.map(({ observed, path, note }) =>
    [typeof observed === 'string' ? observed : '', ...Object.values(defined({ path, note }))].join(' | '),
  )
  if (plan.kind === 'act') return [...found, ...plan.action.writes.map(({ file, text }) => `${file}: ${text}`)]
  return plan.kind === 'refuse' ? [...found, ...plan.obstacles.map(({ reason }) => `cannot: ${reason}`)] : found
}

const PTY = { name: 'sudoers:Defaults.use_pty', value: 'true' } as const
const NOPASSWD = { name: 'sudoers:NOPASSWD', ensure: 'absent' } as const
const TIMEOUT = { name: 'sudoers:Defaults.timestamp_timeout', value: { at_most: '15' } } as const
const OWN = '/etc/sudoers.d/zz-driftgate: # Written by driftgate.\nDefaults use_pty\n'
const UNKNOWN = ' | not set, and the default is unknown'
const BY_HAND = 'the rule may be the only access of a user: edit it with visudo'

test.each<[string, Files, Parameters<typeof decide>[1], readonly string[]]>([
  [
    'a file whose name has a dot is not read',
    { '/etc/sudoers': MAIN, '/etc/sudoers.d/custom.conf': 'Defaults use_pty\n' },
    PTY,
    [UNKNOWN, OWN],
  ],
  ['a line for one user is not for all', { '/etc/sudoers': `${MAIN}Defaults:alice use_pty\n` }, PTY, [UNKNOWN, OWN]],
  [
    'a directory that nothing includes, into which a fix would write for nothing',
    { '/etc/sudoers': 'root ALL=(ALL) ALL\n', '/etc/sudoers.d/pty': 'Defaults use_pty\n' },
    PTY,
    [UNKNOWN, 'cannot: the program would not use the value that a fix writes: change it by hand'],
  ],
  [
    'a later line takes it back',
    { '/etc/sudoers': `Defaults use_pty\n${MAIN}`, '/etc/sudoers.d/x': 'Defaults !use_pty\n' },
    PTY,
    ['false | shadowed by /etc/sudoers.d/x:1', OWN],
  ],
  [
    'a user for whom a later line reverts it',
    { '/etc/sudoers': `Defaults use_pty\n${MAIN}Defaults:alice !use_pty\n` },
    PTY,
    [
      'false | Defaults:alice | shadowed by /etc/sudoers:5',
      'cannot: remove the lines that apply to some scopes only: /etc/sudoers:5',
    ],
  ],
  [
    'an earlier line for a user does not count',
    { '/etc/sudoers': `Defaults:alice !use_pty\nDefaults use_pty\n${MAIN}` },
    PTY,
    [],
  ],
  [
    'NOPASSWD in a directory from elsewhere',
    { '/etc/sudoers': '@includedir /etc/other.d\n', '/etc/other.d/x': '\nalice ALL=(ALL) NOPASSWD: ALL\n' },
    NOPASSWD,
    ['present | alice ALL=(ALL) NOPASSWD: ALL | set by /etc/other.d/x:2', `cannot: /etc/other.d/x: ${BY_HAND}`],
  ],
  [
    'NOPASSWD in a file that sudo passes over, and in a comment',
    { '/etc/sudoers': MAIN, '/etc/sudoers.d/x.bak': 'a ALL=NOPASSWD: ALL\n', '/etc/sudoers.d/y': '# NOPASSWD: x\n' },
    NOPASSWD,
    [],
  ],
  [
    'no password by an option',
    { '/etc/sudoers': `${MAIN}Defaults:alice insults, !authenticate\n` },
    { name: 'sudoers:!authenticate', ensure: 'absent' },
    ['present | Defaults:alice | set by /etc/sudoers:4', `cannot: /etc/sudoers: ${BY_HAND}`],
  ],
  [
    'a value in a list of options',
    { '/etc/sudoers': `${MAIN}Defaults insults, timestamp_timeout=5, use_pty\n` },
    TIMEOUT,
    [],
  ],
  ['nothing is written, and fifteen minutes are the default', { '/etc/sudoers': MAIN }, TIMEOUT, []],
  [
    'below zero is for ever',
    { '/etc/sudoers': `Defaults timestamp_timeout=-1\n${MAIN}` },
    TIMEOUT,
    [
      '-1 | set by /etc/sudoers:1',
      '/etc/sudoers.d/zz-driftgate: # Written by driftgate.\nDefaults timestamp_timeout=15\n',
    ],
  ],
])('sudoers: %s', (_name, files, wanted, expected) => {
  expect(told({ ...SUDO, ...files }, wanted)).toEqual(expected)
})

test('a file of sudoers that others may write is not read', () => {
  const files = { ...SUDO, '/etc/sudoers': MAIN, '/etc/sudoers.d/x': 'alice ALL=(ALL) NOPASSWD: ALL\n' }
  const machine = machineOf(files)
  const stat: typeof machine.files.stat = (path) => {
    const seen = machine.files.stat(path)
    return path.endsWith('/x') && seen.kind === 'present' ? present({ ...seen.state, mode: 0o666 }) : seen
  }
  const desired: SettingDesired = { ensure: 'absent', explicit: false, if_absent: 'drift', name: 'sudoers:NOPASSWD' }
  expect(observeSetting({ ...machine, files: { ...machine.files, stat } }, desired, surfaces)).toMatchObject({
    state: { effective: [{ winners: [] }] },
  })
  const denied = { kind: 'unknown', reason: 'permission-denied', detail: '/etc/sudoers: denied' } as const
  const probe = { ...machine.probe, readText: (path: string) => (path === '/etc/sudoers' ? denied : known('')) }
  expect(observeSetting({ ...machine, probe }, desired, surfaces)).toEqual(denied)
})

const CORE = { name: 'limits:hard.core', value: '0' } as const
const LIMITS = '/etc/security/limits.d/zz-driftgate.conf: # Written by driftgate.\n* hard core 0\nroot hard core 0\n'

test.each<[string, Files, Parameters<typeof decide>[1], readonly string[]]>([
  [
    'a line for all users is not for root',
    { ...DEBIAN, '/etc/security/limits.conf': '* hard core 0\n' },
    CORE,
    [' | root | not set, and the default is unknown', LIMITS],
  ],
  ['but where root is one of all', { '/etc/security/limits.conf': '* hard core 0\n' }, CORE, []],
  [
    'a later file counts, and both types at once',
    { '/etc/security/limits.conf': '* hard core 0\n', '/etc/security/limits.d/90.conf': '* - core unlimited\n' },
    CORE,
    ['unlimited | shadowed by /etc/security/limits.d/90.conf:1', LIMITS],
  ],
  [
    'a user with a higher limit',
    { '/etc/security/limits.conf': '* hard core 0\nalice hard core 5\n@staff -\n' },
    CORE,
    [
      '5 | alice | set by /etc/security/limits.conf:2',
      'unlimited | @staff | set by /etc/security/limits.conf:3',
      'cannot: remove the lines that apply to some scopes only: /etc/security/limits.conf:2, /etc/security/limits.conf:3',
    ],
  ],
  [
    'a user who is asked for',
    { '/etc/security/limits.conf': 'alice hard core 0\n@staff hard core 5\n* hard core 9\n' },
    { ...CORE, match: 'user=alice,group=staff' },
    [],
  ],
])('limits: %s', (_name, files, wanted, expected) => {
  expect(told(files, wanted)).toEqual(expected)
})

test('a range of ids that may have a user in it is unknown', () => {
  const files = { '/etc/security/limits.conf': '* hard core 0\n1000: hard core 5\n' }
  const desired: SettingDesired = { ensure: 'present', explicit: false, if_absent: 'drift', ...CORE, match: 'user=bob' }
  expect(observeSetting(machineOf(files), desired, surfaces)).toMatchObject({
    kind: 'unknown',
    reason: 'not-observable',
  })
})

test('a user with a skipped line of both types has an unknown limit', () => {
  const files = { '/etc/security/limits.conf': 'alice soft core 100\n* - core 0\n' }
  const desired: SettingDesired = { ensure: 'present', explicit: false, if_absent: 'drift', ...CORE }
  expect(observeSetting(machineOf(files), desired, surfaces)).toMatchObject({
    kind: 'unknown',
    reason: 'not-observable',
  })
})
