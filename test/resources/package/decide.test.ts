import { describe, expect, test } from 'vitest'
import type { Decision } from '../../../src/core/decision.ts'
import { known, type Reading, unknown } from '../../../src/core/observation.ts'
import { decidePackage, type PackageAction, type PackageContext } from '../../../src/resources/package/decide.ts'
import type { PackageCandidate, PackageInstance, PackageState } from '../../../src/target/packages.ts'

type Instance = Partial<PackageInstance>

interface Row {
  readonly ensure: string
  readonly seen?: readonly Instance[]
  readonly context?: Partial<PackageContext>
}

function decide({ ensure, seen = [], context = {} }: Row): Decision<PackageAction> {
  const whole: PackageContext = { manager: 'apt', canChange: true, ...context }
  const instances = seen.map((instance) => ({
    id: 'nginx',
    state: 'installed' as const,
    version: '1.0-1',
    architecture: 'amd64',
    native: true,
    held: false,
    ...instance,
  }))
  const observed =
    instances.length === 0
      ? ({ kind: 'absent', context: whole } as const)
      : ({ kind: 'present', state: { instances }, context: whole } as const)
  return decidePackage({ name: 'nginx', ensure }, observed)
}

/** What was seen, whether that is drift, and what would be done. */
function summary({ ensure, drift, plan }: Decision<PackageAction>): readonly (string | PackageAction | undefined)[] {
  const verdict = drift.length === 0 ? 'fine' : 'drift'
  if (plan.kind === 'none') return [ensure.observed, verdict]
  if (plan.kind === 'refuse') return [ensure.observed, verdict, plan.obstacles[0].reason]
  return [ensure.observed, verdict, plan.text, plan.action]
}

function offered(version: string | null): Partial<PackageContext> {
  return { candidate: known({ version, indexUpdated: '2026-11-20T08:00:00Z' }) }
}

const INSTALLED: Instance = {}
const FOREIGN: Instance = { id: 'nginx:i386', architecture: 'i386', native: false, version: '0.9-1' }

function install(version?: string): PackageAction {
  return version === undefined ? { kind: 'install' } : { kind: 'install', version }
}

// The decision table of CCM's package type, where `latest` is compared with what the index offers.
test.each<[string, Row, readonly unknown[]]>([
  ['present, installed', { ensure: 'present', seen: [INSTALLED] }, ['1.0-1', 'fine']],
  ['present, absent', { ensure: 'present' }, ['absent', 'drift', 'Would have installed', install()]],
  ['absent, absent', { ensure: 'absent' }, ['absent', 'fine']],
  [
    'absent, installed',
    { ensure: 'absent', seen: [INSTALLED] },
    ['1.0-1', 'drift', 'Would have uninstalled', { kind: 'remove', ids: ['nginx'] }],
  ],
  [
    'a version, absent',
    { ensure: '1.1-1' },
    ['absent', 'drift', 'Would have installed version 1.1-1', install('1.1-1')],
  ],
  ['a version, installed', { ensure: '1.0-1', seen: [INSTALLED] }, ['1.0-1', 'fine']],
  ['a version written otherwise', { ensure: '0:1.00-01', seen: [INSTALLED] }, ['1.0-1', 'fine']],
  [
    'a newer version',
    { ensure: '1.0-1+deb12u1', seen: [INSTALLED] },
    ['1.0-1', 'drift', 'Would have upgraded to 1.0-1+deb12u1', install('1.0-1+deb12u1')],
  ],
  [
    'an older version',
    { ensure: '1.0~rc1-1', seen: [INSTALLED] },
    ['1.0-1', 'drift', 'Would have downgraded to 1.0~rc1-1', { kind: 'downgrade', version: '1.0~rc1-1' }],
  ],
  [
    'latest, installed is the candidate',
    { ensure: 'latest', seen: [INSTALLED], context: offered('1.0-1') },
    ['1.0-1', 'fine'],
  ],
  ['latest, installed is newer', { ensure: 'latest', seen: [INSTALLED], context: offered('0.9-5') }, ['1.0-1', 'fine']],
  [
    'latest, installed is older',
    { ensure: 'latest', seen: [INSTALLED], context: offered('1.0-2') },
    ['1.0-1', 'drift', 'Would have upgraded to latest', install('1.0-2')],
  ],
  [
    'latest, absent',
    { ensure: 'latest', context: offered('1.0-2') },
    ['absent', 'drift', 'Would have installed latest', install('1.0-2')],
  ],
  [
    'latest, absent, not offered',
    { ensure: 'latest', context: offered(null) },
    ['absent', 'drift', 'the package index offers no package nginx'],
  ],
  [
    'latest, absent, the index cannot be read',
    { ensure: 'latest', context: { candidate: unknown('not-observable', 'no index') } },
    ['absent', 'drift', 'Would have installed latest', install()],
  ],
])('%s', (_case, row, expected) => {
  expect(summary(decide(row))).toEqual(expected)
})

describe('latest', () => {
  const older: Row = { ensure: 'latest', seen: [INSTALLED], context: offered('1.0-2') }

  test('the drift has the candidate and the age of the index', () => {
    expect(decide(older).drift).toEqual([
      {
        property: 'ensure',
        desired: '1.0-2',
        observed: '1.0-1',
        note: 'the package index, last updated 2026-11-20T08:00:00Z, offers 1.0-2',
      },
    ])
    const never = known<PackageCandidate>({ version: '1.0-2', indexUpdated: undefined })
    const [drift] = decide({ ...older, context: { candidate: never } }).drift
    expect(drift?.note).toBe('the package index offers 1.0-2; when it was updated is not known')
  })

  test.each<[string, Reading<PackageCandidate>, string]>([
    ['the index cannot be read', unknown('timeout', 'apt-cache: no end'), 'timeout'],
    ['the index does not know it', known({ version: null, indexUpdated: undefined }), 'not-observable'],
  ])('of something installed is unknown where %s', (_case, candidate, reason) => {
    const { drift, unknown: unread, plan } = decide({ ...older, context: { candidate } })
    expect(drift).toEqual([])
    expect(unread).toMatchObject([{ property: 'ensure', reason }])
    expect(plan).toEqual({ kind: 'none' })
  })

  test('without a look at the index is a defect', () => {
    expect(() => decide({ ensure: 'latest', seen: [INSTALLED] })).toThrow('no candidate was looked up')
  })
})

describe('the states of dpkg', () => {
  const unfinished = [
    'half-installed',
    'unpacked',
    'half-configured',
    'triggers-awaited',
    'triggers-pending',
  ] as const satisfies readonly PackageState[]

  test.each(unfinished)('%s is neither installed nor absent', (state) => {
    const wanted = decide({ ensure: 'present', seen: [{ state }] })
    expect(summary(wanted)).toEqual([state, 'drift', 'Would have installed', install()])
    expect(wanted.drift[0]?.note).toMatch(/\w/)
    const unwanted = decide({ ensure: 'absent', seen: [{ state }] })
    expect(summary(unwanted).slice(0, 3)).toEqual([state, 'drift', 'Would have uninstalled'])
    expect(unwanted.drift[0]?.note).toMatch(/\w/)
  })

  test('config-files is gone, and said so', () => {
    const seen: readonly Instance[] = [{ state: 'config-files' }]
    expect(summary(decide({ ensure: 'absent', seen }))).toEqual(['config-files', 'fine'])
    const wanted = decide({ ensure: 'present', seen })
    expect(summary(wanted)).toEqual(['config-files', 'drift', 'Would have installed', install()])
    expect(wanted.drift[0]?.note).toBe('the package was removed, only its configuration is left')
  })

  test('a version that is only unpacked is not there', () => {
    const seen: readonly Instance[] = [{ state: 'unpacked' }]
    expect(summary(decide({ ensure: '1.0-1', seen }))).toEqual([
      'unpacked',
      'drift',
      'Would have installed version 1.0-1',
      install('1.0-1'),
    ])
    expect(summary(decide({ ensure: 'latest', seen, context: offered('1.0-1') }))[1]).toBe('drift')
  })
})

describe('several installations', () => {
  test.each<[string, Row, readonly unknown[]]>([
    ['the own architecture counts first', { ensure: '1.0-1', seen: [FOREIGN, INSTALLED] }, ['1.0-1', 'fine']],
    ['another counts where it is alone', { ensure: '0.9-1', seen: [FOREIGN] }, ['0.9-1', 'fine']],
    [
      'another counts where only configuration is left of the own',
      { ensure: 'present', seen: [{ state: 'config-files' }, FOREIGN] },
      ['0.9-1', 'fine'],
    ],
    [
      'one that is broken counts before a sound one of another',
      { ensure: 'present', seen: [{ state: 'half-configured' }, FOREIGN] },
      ['half-configured', 'drift', 'Would have installed', install()],
    ],
    [
      'all of them must be absent',
      { ensure: 'absent', seen: [FOREIGN, INSTALLED] },
      ['0.9-1, 1.0-1', 'drift', 'Would have uninstalled', { kind: 'remove', ids: ['nginx:i386', 'nginx'] }],
    ],
  ])('%s', (_case, row, expected) => {
    expect(summary(decide(row))).toEqual(expected)
  })

  const kernels: readonly Instance[] = [{ version: '5.14.0-362.el9' }, { version: '5.14.0-427.el9' }]
  const dnf: Partial<PackageContext> = { manager: 'dnf' }

  test.each<[string, Row, readonly unknown[]]>([
    [
      'any of the versions may be wanted',
      { ensure: '5.14.0-362.el9', seen: kernels, context: dnf },
      ['5.14.0-362.el9, 5.14.0-427.el9', 'fine'],
    ],
    [
      'the newest is compared with the candidate',
      { ensure: 'latest', seen: kernels, context: { ...dnf, ...offered('5.14.0-427.el9') } },
      ['5.14.0-362.el9, 5.14.0-427.el9', 'fine'],
    ],
    [
      'wherever the newest stands',
      {
        ensure: 'latest',
        seen: [...kernels, { version: '5.14.0-70.el9' }],
        context: { ...dnf, ...offered('5.14.0-427.el9') },
      },
      ['5.14.0-362.el9, 5.14.0-427.el9, 5.14.0-70.el9', 'fine'],
    ],
    [
      'an older one is added, nothing is downgraded',
      { ensure: '5.14.0-70.el9', seen: kernels, context: dnf },
      ['5.14.0-362.el9, 5.14.0-427.el9', 'drift', 'Would have downgraded to 5.14.0-70.el9', install('5.14.0-70.el9')],
    ],
  ])('kernels: %s', (_case, row, expected) => {
    expect(summary(decide(row))).toEqual(expected)
  })
})

describe('rpm versions', () => {
  test.each([
    ['1.2', 'fine'],
    ['1.2-3.el9', 'fine'],
    ['2:1.2', 'fine'],
    ['2:1.2-3.el9', 'fine'],
    ['0:1.2-3.el9', 'drift'],
    ['1.2-4.el9', 'drift'],
    ['1.2~rc1', 'drift'],
  ])('2:1.2-3.el9 is installed and %s wanted: %s', (ensure, verdict) => {
    expect(summary(decide({ ensure, seen: [{ version: '2:1.2-3.el9' }], context: { manager: 'dnf' } }))[1]).toBe(
      verdict,
    )
  })
})

describe('what is in the way', () => {
  function reasons({ plan }: Decision<PackageAction>): readonly string[] {
    return plan.kind === 'none' ? [] : plan.obstacles.map(({ reason }) => reason)
  }

  test('a package on hold', () => {
    const seen: readonly Instance[] = [{ held: true }]
    const hold = ['nginx is on hold; apt-mark unhold nginx lets it be changed']
    expect(reasons(decide({ ensure: 'absent', seen }))).toEqual(hold)
    expect(reasons(decide({ ensure: '2', seen }))).toEqual(hold)
    expect(reasons(decide({ ensure: 'latest', seen, context: offered('2') }))).toEqual(hold)
    expect(summary(decide({ ensure: 'present', seen }))).toEqual(['1.0-1', 'fine'])
  })

  test('no package manager', () => {
    expect(reasons(decide({ ensure: 'present', context: { canChange: false } }))).toEqual(['apt-get is not installed'])
    const dnf = { canChange: false, manager: 'dnf' } as const
    expect(reasons(decide({ ensure: 'present', context: dnf }))).toEqual(['dnf is not installed'])
  })
})

test.each<[Row, string]>([
  [{ ensure: 'present' }, 'install'],
  [{ ensure: '1.1-1' }, 'install'],
  [{ ensure: 'latest', context: offered('1.1-1') }, 'install'],
  [{ ensure: 'latest', seen: [INSTALLED], context: offered('1.1-1') }, 'upgrade'],
  [{ ensure: '1.1-1', seen: [INSTALLED] }, 'upgrade'],
  [{ ensure: '0.9-1', seen: [INSTALLED] }, 'downgrade'],
  [{ ensure: 'absent', seen: [INSTALLED] }, 'remove'],
])('of %j the effect is %s', (row, kind) => {
  expect(decide(row).plan).toMatchObject({ kind: 'act', effects: [{ kind }] })
})
