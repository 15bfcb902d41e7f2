import { expect, test } from 'vitest'
import { unknown } from '../../../src/model/observation.ts'
import { decodeProperties } from '../../../src/resource-type/decode.ts'
import { decideSettings, type SettingOrAny } from '../../../src/subjects/settings/any-of.ts'
import { settingType } from '../../../src/subjects/settings/index.ts'
import { loadSurfaces } from '../../../src/subjects/index.ts'
import { createLocalTarget } from '../../../src/host/live/local-target.ts'
import { observeSettings } from '../../../src/subjects/settings/observe.ts'
import { machineOf } from '../../support/setting-machine.ts'

const surfaces = await loadSurfaces()

const setting = settingType(surfaces)

type Files = Readonly<Record<string, string>>
type Decided = ReturnType<typeof decideSettings>

const FAILLOCK = '/etc/security/faillock.conf'
const LOGIN = '/etc/login.defs'
const EITHER = { 'faillock:even_deny_root': 'present', 'faillock:root_unlock_time': { at_least: '60' } }

async function decide(wanted: Partial<SettingOrAny>, files: Files, unreadable?: string): Promise<Decided> {
  const desired: SettingOrAny = { name: 'any', ensure: 'present', explicit: false, if_absent: 'drift', ...wanted }
  const machine = machineOf({ '/etc/pam.d/login': 'auth required pam_faillock.so preauth\n', ...files })
  const target = {
    ...machine,
    open: createLocalTarget().open,
    probe: {
      ...machine.probe,
      readText: (path: string) =>
        path === unreadable ? unknown('permission-denied', `${path} cannot be read`) : machine.probe.readText(path),
    },
  }
  const seen = await observeSettings(target, desired, { asksNobody: true }, surfaces)
  if (seen.kind === 'unknown') throw new Error(seen.detail)
  return decideSettings(desired, seen)
}

test.each([
  { files: { [FAILLOCK]: 'even_deny_root\n' } },
  { files: { [FAILLOCK]: 'root_unlock_time = 900\n' } },
  { files: { [FAILLOCK]: 'even_deny_root\nroot_unlock_time = 5\n' } },
])('one compliant setting is enough: $files', async ({ files }) => {
  expect(await decide({ any_of: EITHER }, files)).toMatchObject({ drift: [], unknown: [], plan: { kind: 'none' } })
})

test('without a compliant setting, the difference lists all values, and a fix does not choose', async () => {
  const decided = await decide({ any_of: EITHER }, { [FAILLOCK]: 'root_unlock_time = 5\n' })
  expect(decided).toMatchObject({
    drift: [
      {
        property: 'any_of',
        desired: 'faillock:even_deny_root present, or faillock:root_unlock_time at least 60',
        observed: `faillock:even_deny_root absent, faillock:root_unlock_time 5 (set by ${FAILLOCK}:1)`,
      },
    ],
    unknown: [],
    plan: {
      kind: 'refuse',
      obstacles: [
        {
          reason:
            'set one of faillock:even_deny_root, faillock:root_unlock_time, or give one a "fix" value: a fix does not choose',
        },
      ],
    },
  })
})

test('a fix sets the one that says fix', async () => {
  const any = { ...EITHER, 'faillock:root_unlock_time': { at_least: '60', fix: '900' } }
  const { plan } = await decide({ any_of: any }, { [FAILLOCK]: '' })
  expect(plan).toMatchObject({ kind: 'act', action: { writes: [{ text: 'root_unlock_time = 900\n' }] } })
})

test('a fix that counts after a start says so', async () => {
  const any = { 'selinux:SELINUX': { is: 'enforcing', fix: 'enforcing' }, 'selinux:SELINUXTYPE': 'mls' }
  const decided = await decide({ any_of: any }, { '/etc/selinux/config': 'SELINUX=disabled\nSELINUXTYPE=targeted\n' })
  expect(decided.plan.kind).toBe('act')
  expect(decided.messages).toHaveLength(1)
})

test('a default is right, unless it has to be written', async () => {
  const any = { 'faillock:deny': { at_most: '5' }, 'faillock:even_deny_root': 'present' }
  expect(await decide({ any_of: any }, { [FAILLOCK]: '' })).toMatchObject({ drift: [] })
  expect(await decide({ any_of: any, explicit: true }, { [FAILLOCK]: '' })).toMatchObject({
    drift: [{ observed: 'faillock:deny (not set: 3 is the default), faillock:even_deny_root absent' }],
  })
})

const ACROSS = { 'faillock:even_deny_root': 'present', 'login.defs:PASS_MAX_DAYS': '90' }

test('an unreadable setting is unknown without a compliant one', async () => {
  const files = (days: number): Files => ({ [FAILLOCK]: '', [LOGIN]: `PASS_MAX_DAYS ${days}\n` })
  expect(await decide({ any_of: ACROSS }, files(90), FAILLOCK)).toMatchObject({ drift: [], unknown: [] })
  expect(await decide({ any_of: ACROSS }, files(99), FAILLOCK)).toMatchObject({
    drift: [],
    unknown: [
      {
        property: 'any_of',
        reason: 'permission-denied',
        detail: `faillock:even_deny_root: ${FAILLOCK} cannot be read`,
      },
    ],
  })
})

test('a program that is not there makes it right only where all are missing', async () => {
  const isDrift = async (ifAbsent: SettingOrAny['if_absent'], files: Files): Promise<boolean> =>
    (await decide({ any_of: ACROSS, if_absent: ifAbsent }, files)).drift.length > 0
  expect(await isDrift('compliant', {})).toBe(false)
  expect(await isDrift('drift', {})).toBe(true)
  expect(await isDrift('compliant', { [LOGIN]: 'PASS_MAX_DAYS 99\n' })).toBe(true)
  expect(await isDrift('compliant', { [LOGIN]: 'PASS_MAX_DAYS 90\n' })).toBe(false)
})

test('a value that counts for some users alone is named with them', async () => {
  const files = { '/etc/ssh/sshd_config': 'PermitRootLogin no\nMatch User bob\n  PermitRootLogin yes\n' }
  const any = { 'sshd:PermitRootLogin': 'no', 'sshd:AllowUsers': 'present' }
  const { drift } = await decide({ any_of: any }, { ...files, '/usr/sbin/sshd': '' })
  expect(drift[0]?.observed).toBe(
    'sshd:PermitRootLogin yes for Match User bob (set by /etc/ssh/sshd_config:3), sshd:AllowUsers absent',
  )
})

test('a setting by itself is one', async () => {
  const one = { name: 'login.defs:PASS_MAX_DAYS', value: '90' }
  expect((await decide(one, { [LOGIN]: 'PASS_MAX_DAYS 90\n' })).drift).toEqual([])
})

test.each([
  [{}, 'any_of'],
  [{ 'sshd:AllowUsers': 'present' }, 'any_of needs at least two settings, and has only sshd:AllowUsers'],
  [{ 'sshd:AllowUsers': 'present', AllowGroups: 'present' }, 'AllowGroups: name must be SURFACE:KEY'],
  [{ 'sshd:AllowUsers': 'a\nb', 'sshd:DenyUsers': 'b' }, 'sshd:AllowUsers: value must be a single line'],
  [{ 'sshd:AllowUsers': 'present', 'login.defs:UMASK': { includes: ['2'] } }, 'includes does not apply'],
  [
    { 'sshd:AllowUsers': { matches: '.', fix: 'a' }, 'sshd:DenyUsers': { matches: '.', fix: 'b' } },
    'sshd:AllowUsers and sshd:DenyUsers have a',
  ],
])('%j is refused', (any, problem) => {
  const decoded = decodeProperties(setting, defaults({ any_of: any }))
  expect(JSON.stringify(decoded)).toContain(problem)
})

test.each([{ value: 'x' }, { ensure: 'absent' }, { match: 'user=bob' }, { format: 'ini' }])(
  '%j beside any_of is refused',
  (given) => expect(decodeProperties(setting, defaults({ any_of: EITHER, ...given })).ok).toBe(false),
)

function defaults(properties: object): Readonly<Record<string, unknown>> {
  return { name: 'a title', ensure: 'present', explicit: false, if_absent: 'drift', ...properties }
}
