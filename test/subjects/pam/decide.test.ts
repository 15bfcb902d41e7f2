import { describe, expect, test } from 'vitest'
import type { Decision } from '../../../src/model/decision.ts'
import { known, type Reading, unknown } from '../../../src/model/observation.ts'
import { decodeProperties } from '../../../src/resource-type/decode.ts'
import { objectionTo } from '../../../src/subjects/pam/apply.ts'
import { decidePam } from '../../../src/subjects/pam/decide.ts'
import type { PamDesired } from '../../../src/subjects/pam/model.ts'
import { pam } from '../../../src/subjects/pam/index.ts'
import { observeStack } from '../../../src/subjects/pam/observe.ts'
import { machineOf } from '../../support/pam-machine.ts'
import { testDecisionCases } from '../decision-cases.ts'

// The cases are data, in cases/*.yaml. `files` are those of the machine, by path; the usual modules are installed.
testDecisionCases('pam', {
  wanted: [
    'name',
    'type',
    'module',
    'with',
    'ensure',
    'if_absent',
    'control_flag',
    'arguments',
    'required',
    'unless',
    'before',
    'after',
    'catches',
    'beside',
  ],
  observed: ['files'],
  decide: (wanted, { files }) => decide(wanted, files as Readonly<Record<string, string>>),
})

function decide(properties: object, files: Readonly<Record<string, string>>): Decision<unknown> {
  const wanted = { name: 's', type: 'auth', ensure: 'present', if_absent: 'drift', ...properties } as PamDesired
  const observed = observeStack(machineOf(files), wanted)
  if (observed.kind === 'unknown') throw new Error(observed.detail)
  return decidePam(wanted, observed)
}

test('unreadable settings of a module are unknown', () => {
  const wanted: PamDesired = {
    name: 's',
    type: 'auth',
    module: 'pam_faillock',
    ensure: 'present',
    if_absent: 'drift',
    arguments: { deny: '3' },
  }
  const observed = observeStack(machineOf({ '/etc/pam.d/s': 'auth required pam_faillock.so\n' }), wanted)
  if (observed.kind !== 'present') throw new Error('the stack is there')
  const settings = [unknown('permission-denied', '/etc/security/faillock.conf')]
  const decision = decidePam(wanted, { ...observed, state: { ...observed.state, settings } })
  expect(decision.unknown).toEqual([
    { property: 'arguments', reason: 'permission-denied', detail: '/etc/security/faillock.conf' },
  ])
})

test('profiles that cannot be read are not guessed at', () => {
  const wanted: PamDesired = {
    name: 'common-auth',
    type: 'auth',
    module: 'pam_x',
    ensure: 'present',
    if_absent: 'drift',
  }
  const files = { '/etc/pam.d/common-auth': '', '/usr/sbin/pam-auth-update': '' }
  const observed = observeStack(machineOf(files), wanted)
  if (observed.kind !== 'present') throw new Error('the stack is there')
  const profiles = unknown('permission-denied', '/usr/share/pam-configs')
  const decision = decidePam(wanted, { ...observed, state: { ...observed.state, profiles } })
  expect(decision.plan).toEqual({ kind: 'refuse', obstacles: [{ reason: '/usr/share/pam-configs' }] })
})

describe('an sshd that asks no PAM', () => {
  const why = 'sshd does not use PAM: UsePAM is no, set by /etc/ssh/sshd_config:1'
  const wanted: PamDesired = { name: 'sshd', type: 'auth', module: 'pam_unix', ensure: 'present', if_absent: 'drift' }

  function decided(more: object, whyNoPam: Reading<string | undefined>): Decision<unknown> {
    const observed = observeStack(machineOf({ '/etc/pam.d/sshd': 'auth required pam_unix.so\n' }), wanted)
    if (observed.kind !== 'present') throw new Error('the stack is there')
    return decidePam({ ...wanted, ...more }, { ...observed, state: { ...observed.state, whyNoPam } })
  }

  test('is told', () => {
    expect(decided({}, known(why))).toMatchObject({ drift: [], warnings: [why] })
  })

  test('is passed without the module', () => {
    expect(decided({ required: true }, known(why))).toMatchObject({
      drift: [{ property: 'required', desired: true, observed: false, note: why }],
      plan: { kind: 'refuse', obstacles: [{ reason: 'set UsePAM to yes, with the setting sshd:UsePAM' }] },
    })
  })

  test('adds nothing to a difference that is there', () => {
    expect(decided({ required: true, control_flag: 'optional' }, known(why)).drift).toHaveLength(1)
  })

  test('is not guessed at', () => {
    const hidden = unknown('permission-denied', '/etc/ssh/sshd_config')
    expect(decided({ required: true }, hidden).unknown).toEqual([
      { property: 'required', reason: hidden.reason, detail: hidden.detail },
    ])
    expect(decided({}, hidden).unknown).toEqual([])
  })
})

// A mistake here locks all users out.
test.each<[string, Readonly<Record<string, string>>, string | undefined]>([
  ['is as wanted and allows logins', { s: 'auth required pam_unix.so\n' }, undefined],
  ['is not as wanted', { s: 'auth optional pam_unix.so\nauth required pam_permit.so\n' }, 'path: '],
  ['lacks the module', { s: 'auth required pam_permit.so\n' }, 'has no auth line in s'],
  [
    'prevents logins',
    { s: 'auth required pam_unix.so\n', login: '@include s\nauth required pam_deny.so\n' },
    'log in through login (auth)',
  ],
  [
    'lets no account in',
    { s: 'auth required pam_unix.so\n', su: 'auth required pam_unix.so\naccount required pam_missing.so\n' },
    'log in through su (account)',
  ],
  ['cannot be read', { s: '@include s\n' }, 'includes itself'],
  ['cannot be read for a way in', { s: 'auth required pam_unix.so\n', sshd: '@include sshd\n' }, 'includes itself'],
])('a stack that %s is judged so before it is put in place', (_title, stacks, problem) => {
  const files = Object.entries(stacks).map(([name, text]) => [`/etc/pam.d/${name}`, text])
  const view = machineOf({ '/etc/pam.d/other': 'account required pam_permit.so\n', ...Object.fromEntries(files) })
  const wanted: PamDesired = {
    name: 's',
    type: 'auth',
    module: 'pam_unix',
    ensure: 'present',
    if_absent: 'drift',
    required: true,
  }
  const said = objectionTo(view, wanted)
  if (problem === undefined) expect(said).toBeUndefined()
  else expect(said).toContain(problem)
})

test.each([
  [{ control_flag: 'sometimes' }, 'neither a keyword nor pairs'],
  [{ control_flag: { one_of: ['required', '[success=0]'] } }, 'neither a keyword nor pairs'],
  [{ control_flag: { matches: '.*' } }, 'takes no patterns'],
  [{ unless: ['pam_rootok'] }, 'needs "required: true"'],
  [{ except: ['sshd'] }, 'except needs the name "*"'],
  [{ ensure: 'absent', required: true }, 'cannot be combined'],
  [{ required: true, beside: '' }, 'beside cannot be empty'],
  [{ name: '../x' }, 'the name of a service'],
])('%j is refused', (properties, problem) => {
  const all = { name: 's', type: 'auth', module: 'pam_unix', ...properties }
  expect(JSON.stringify(decodeProperties(pam, all))).toContain(problem.replaceAll('"', '\\"'))
})
