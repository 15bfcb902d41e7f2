import { expect, test } from 'vitest'
import { decodeProperties } from '../../../src/resource-type/decode.ts'
import { decideSetting, type SettingDesired } from '../../../src/subjects/settings/decide.ts'
import { settingType } from '../../../src/subjects/settings/index.ts'
import { loadSurfaces } from '../../../src/subjects/index.ts'
import { observeSetting } from '../../../src/subjects/settings/observe.ts'
import { testDecisionCases } from '../decision-cases.ts'
import { machineOf } from '../../support/setting-machine.ts'

const surfaces = await loadSurfaces()

const setting = settingType(surfaces)

// The cases are data, in cases/*.yaml. What was observed are the files of a machine.
testDecisionCases('settings', {
  wanted: ['name', 'ensure', 'value', 'explicit', 'match', 'format', 'default', 'if_absent'],
  observed: ['files'],
  decide: (wanted, { files }) => {
    const desired = { ensure: 'present', explicit: false, if_absent: 'drift', ...wanted } as SettingDesired
    const seen = observeSetting(machineOf(files as Record<string, string>), desired, surfaces)
    if (seen instanceof Promise) throw new Error('a format that loads is tested with itself')
    if (seen.kind === 'unknown') throw new Error(seen.detail)
    const decision = decideSetting(desired, seen)
    const { plan } = decision
    // What shows in a case: the texts that are written.
    if (plan.kind !== 'act') return decision
    const writes = Object.fromEntries(plan.action.writes.map(({ file, text }) => [file, text]))
    return { ...decision, plan: { ...plan, action: writes } }
  },
})

test.each([
  { value: 'a\nb' },
  { name: 'PASS_MAX_DAYS' },
  { name: ':x' },
  { name: 'login.defs:' },
  { name: 'logindefs:PASS_MAX_DAYS' },
  { name: 'login.defs:pass max' },
  { name: 'journald:Upload.URL' },
  { name: 'journald:' },
  { name: '/etc/app.ini:a.b' },
  { name: '/etc/../app.ini:a.b', format: 'ini' },
  { name: 'login.defs:PASS_MAX_DAYS', format: 'space' },
  { name: 'login.defs:PASS_MAX_DAYS', default: '99999' },
  { name: 'journald:Storage', value: { at_least: 'auto' } },
  { name: 'login.defs:UMASK', value: { includes: ['027'] } },
  { ensure: 'absent' },
  { match: 'user=bob' },
  { name: 'sshd:PermitRootLogin', match: 'bob' },
  { name: 'sshd:PermitRootLogin', match: 'lport=ssh' },
  { name: 'sshd:PermitRootLogins' },
  { name: 'sshd:PermitRootLogin', value: { at_most: 'no' } },
])('%j is refused', (given) => {
  const wanted = {
    name: 'login.defs:PASS_MAX_DAYS',
    value: '1',
    ensure: 'present',
    explicit: false,
    if_absent: 'drift',
  }
  expect(decodeProperties(setting, { ...wanted, ...given }).ok).toBe(false)
})
