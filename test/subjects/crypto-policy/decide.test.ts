import { expect, test } from 'vitest'
import { known, unknown } from '../../../src/model/observation.ts'
import {
  type CryptoPolicyState,
  type CryptoPolicyDesired,
  decideCryptoPolicy,
} from '../../../src/subjects/crypto-policy/decide.ts'

const DEFAULT = known({ base: 'DEFAULT', modules: ['A', 'B'] })

function decided(wanted: Partial<CryptoPolicyDesired>, state: Partial<CryptoPolicyState> = {}) {
  return decideCryptoPolicy(
    { name: 'DEFAULT', opt_outs: 'drift', if_absent: 'drift', ...wanted },
    {
      kind: 'present',
      state: { config: DEFAULT, current: DEFAULT, strays: known([]), optOuts: known([]), fips: known(false), ...state },
      context: undefined,
    },
  )
}

test.each([
  ['nothing said of modules', {}],
  ['these modules in this order', { modules: ['A', 'B'] }],
  ['with one, without another', { modules: { includes: ['B'], excludes: ['C'] } }],
  ['FIPS as it is', { fips: false }],
  ['an alternative policy, with any modules', { name: 'FUTURE', modules: ['C'], or: ['FIPS', 'DEFAULT'] }],
] as const)('compliant: %s', (_name, wanted) => {
  const ensure = { desired: 'present', observed: 'present' }
  expect(decided(wanted)).toMatchObject({ ensure, drift: [], unknown: [], plan: { kind: 'none' } })
})

test.each([
  ['another policy', { name: 'FUTURE' }, 'FUTURE', 'FUTURE'],
  ['another order', { modules: ['B', 'A'] }, 'DEFAULT:B:A', 'DEFAULT:B:A'],
  ['one more', { modules: { includes: ['C'] } }, 'DEFAULT with C', 'DEFAULT:A:B:C'],
  ['one less', { modules: { excludes: ['A'] } }, 'DEFAULT without A', 'DEFAULT:B'],
  ['two more', { modules: { includes: ['C', 'D'] } }, 'DEFAULT with C, D', 'DEFAULT:A:B:C:D'],
  ['two less', { modules: { excludes: ['A', 'B'] } }, 'DEFAULT without A, B', 'DEFAULT'],
  ['another policy with a module', { name: 'FUTURE', modules: { includes: ['C'] } }, 'FUTURE with C', 'FUTURE:C'],
  ['none of two policies', { name: 'FUTURE', or: ['FIPS'] }, 'FUTURE or FIPS', 'FUTURE'],
] as const)('drifted: %s', (_name, wanted, desired, policy) => {
  const { drift, plan } = decided(wanted)
  expect(drift).toEqual([
    { property: 'configured', desired, observed: 'DEFAULT:A:B' },
    { property: 'applied', desired, observed: 'DEFAULT:A:B' },
  ])
  expect(plan).toMatchObject({
    kind: 'act',
    action: { policy },
    text: `Would have set the policy ${policy}`,
    effects: [{ kind: 'run', object: `update-crypto-policies --set ${policy}` }],
  })
})

test.each([
  [{ text: 'SYSTEM=ALL' }, 'SYSTEM=ALL'],
  [{}, 'it is other'],
])('the content of a file distinguishes it from another one', (held, whole) => {
  const { drift } = decided({}, { strays: known([{ path: '/x', why: 'it is other', ...held }]) })
  expect(drift).toMatchObject([{ observed: 'other content', whole }])
})

test('drift of the files alone sets the configured policy again', () => {
  const { drift, plan } = decided({}, { strays: known([{ path: '/x', why: 'it does not exist' }]) })
  expect(drift).toMatchObject([{ property: 'backends', path: '/x', note: 'it does not exist' }])
  expect(plan).toMatchObject({ action: { policy: 'DEFAULT:A:B' } })
})

test('remaining drift is reported beside the fix', () => {
  const { drift, plan } = decided(
    { name: 'FUTURE', fips: true },
    { optOuts: known([{ service: 'sshd', at: '/etc/sysconfig/sshd:1 sets CRYPTO_POLICY' }]) },
  )
  expect(drift.map(({ property }) => property)).toEqual(['configured', 'applied', 'opt_outs', 'fips'])
  expect(plan).toMatchObject({ kind: 'act', leaves: [{}, { reason: expect.stringMatching(/^pending reboot: /) }] })
})

test('services of their own are fine where that is said', () => {
  expect(decided({ opt_outs: 'compliant' }, { optOuts: known([{ service: 'sshd', at: 'x' }]) }).drift).toEqual([])
})

test('a fix keeps another one that will do', () => {
  const strays = known([{ path: '/etc/crypto-policies/back-ends/x', why: 'it is another' }])
  expect(decided({ name: 'FUTURE', or: ['DEFAULT'] }, { strays })).toMatchObject({
    drift: [{ property: 'backends' }],
    plan: { kind: 'act', action: { policy: 'DEFAULT:A:B' } },
  })
})

test('a fix takes an excluded module from an alternative policy', () => {
  const weak = known({ base: 'FIPS', modules: ['OSPP', 'SHA1'] })
  const wanted = { modules: { includes: ['A'], excludes: ['SHA1'] }, or: ['FIPS'] }
  expect(decided(wanted, { config: weak, current: weak })).toMatchObject({
    drift: [{ desired: 'DEFAULT with A without SHA1 or FIPS without SHA1', observed: 'FIPS:OSPP:SHA1' }, {}],
    plan: { kind: 'act', action: { policy: 'FIPS:OSPP' } },
  })
})

test('only properties that a fix cannot change', () => {
  expect(decided({ fips: true })).toMatchObject({ drift: [{ property: 'fips' }], plan: { kind: 'refuse' } })
  expect(decided({ modules: { not: ['A', 'B'] } })).toMatchObject({
    drift: [{ property: 'configured' }, { property: 'applied' }],
    plan: { kind: 'refuse', obstacles: [{ reason: expect.stringContaining('cannot derive') }] },
  })
})

test('unreadable values are unknown', () => {
  const denied = unknown('permission-denied', 'nobody may read it')
  const state = { config: denied, current: denied, strays: denied, optOuts: denied, fips: denied }
  const { drift, unknown: unclear } = decided({ fips: true }, state)
  expect(drift).toEqual([])
  expect(unclear.map(({ property }) => property)).toEqual(['configured', 'applied', 'backends', 'opt_outs', 'fips'])
  expect(decided({ name: 'FUTURE' }, { ...state, current: DEFAULT })).toMatchObject({
    plan: { action: { policy: 'FUTURE' } },
  })
})

test('a missing installation is drift, or compliant with if_absent', () => {
  const absent = { kind: 'absent', context: undefined } as const
  const wanted = { name: 'DEFAULT', opt_outs: 'drift' } as const
  const messages = ['crypto-policies is not installed']
  const reason = `${messages[0]}; if its absence is acceptable, set if_absent: compliant`
  expect(decideCryptoPolicy({ ...wanted, if_absent: 'drift' }, absent)).toMatchObject({
    plan: { kind: 'refuse', obstacles: [{ reason, mayComeWithRequirement: true }] },
  })
  expect(decideCryptoPolicy({ ...wanted, if_absent: 'compliant' }, absent)).toMatchObject({
    ensure: { desired: 'present', observed: 'absent' },
    drift: [],
    messages,
  })
})
