import { describe, expect, test } from 'vitest'
import fc from 'fast-check'
import type { Acceptance } from '../../../src/model/acceptance.ts'
import type { Decision } from '../../../src/model/decision.ts'
import { known, type Seen, type Unknown } from '../../../src/model/observation.ts'
import { asksIndex } from '../../../src/subjects/packages/decide.ts'
import type { PackageAction, PackageContext, PackageStateObserved } from '../../../src/subjects/packages/model.ts'
import { decidePackages } from '../../../src/subjects/packages/group.ts'
import { groupOf } from '../../../src/subjects/shared/group.ts'
import type { PackageCandidate, PackageInstance, PackageState } from '../../../src/subjects/packages/packages.ts'
import { cases } from '../../support/soak.ts'
import { type Fields, testDecisionCases } from '../decision-cases.ts'

type Instance = Partial<PackageInstance>

interface Row {
  readonly ensure: string | Acceptance<string>
  readonly seen?: readonly Instance[]
  readonly context?: Partial<PackageContext>
}

function instancesOf(seen: readonly Instance[]): readonly PackageInstance[] {
  return seen.map((instance) => ({
    id: 'nginx',
    state: 'installed' as const,
    version: '1.0-1',
    architecture: 'amd64',
    native: true,
    held: false,
    ...instance,
  }))
}

const APT: PackageContext = { manager: 'apt', canChange: true }

function seenAs(instances: readonly Instance[], context: PackageContext): Seen<PackageStateObserved, PackageContext> {
  return instances.length === 0
    ? { kind: 'absent', context }
    : { kind: 'present', state: { instances: instancesOf(instances) }, context }
}

function decide({ ensure, seen = [], context = {} }: Row): Decision<PackageAction> {
  return decidePackages({ name: 'nginx', ensure }, seenAs(seen, { ...APT, ...context }))
}

/** One of a group as a case has it: its installations, or why they are unknown. */
type Member = Partial<PackageContext> & {
  readonly name: string
  readonly instances: readonly Instance[]
  readonly seen?: Unknown
}

function decideGroup(wanted: Fields, members: readonly Member[]): Decision<PackageAction> {
  const group = groupOf(wanted)
  if (group === undefined) throw new Error('the case has members and no group')
  const seen = members.map(({ name, instances, seen: unread, ...context }) => ({
    name,
    seen: unread ?? seenAs(instances, { ...APT, ...context }),
  }))
  return decidePackages(
    { name: 'some of them', ...wanted },
    {
      kind: 'present',
      state: { group, members: seen },
      context: APT,
    },
  )
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

function install(version?: string): PackageAction {
  return version === undefined ? { kind: 'install' } : { kind: 'install', version }
}

testDecisionCases('packages', {
  wanted: ['ensure', 'one_of', 'exactly_one_of', 'none_of'],
  observed: ['instances', 'manager', 'canChange', 'candidate', 'members'],
  decide: ({ ensure, ...group }, { instances, members, ...context }) =>
    members === undefined
      ? decide({ ensure: ensure as Row['ensure'], seen: (instances ?? []) as readonly Instance[], context })
      : decideGroup(group, members as readonly Member[]),
})

test('a package of which nothing is said is a defect', () => {
  expect(() => decidePackages({ name: 'nginx' }, { kind: 'absent', context: APT })).toThrow(
    'no requirement on the package nginx',
  )
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
    expect(drift?.note).toBe('the package index offers 1.0-2; its last update is unknown')
  })

  test('without a look at the index is a defect', () => {
    expect(() => decide({ ensure: 'latest', seen: [INSTALLED] })).toThrow('no candidate was looked up')
  })
})

describe('versions that are accepted', () => {
  const versions = ['1.0-1', '1.2~rc1-1', '1.2-1', '1.2-2', '1.10-1', '1:0.9-1']
  const version = fc.constantFrom(...versions)
  const list = fc.array(version, { minLength: 1, maxLength: 3 })
  const pattern = fc.constantFrom('1[.]2-.*', '.*-1', '[^:]*')
  const words: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
    is: version,
    not: version,
    one_of: list,
    none_of: list,
    at_least: version,
    at_most: version,
    matches: pattern,
    not_matches: pattern,
  }
  const acceptance = fc.subarray(Object.entries(words), { minLength: 1, maxLength: 3 }).chain((chosen) => {
    const named: Readonly<Record<string, fc.Arbitrary<unknown>>> = { ...Object.fromEntries(chosen), fix: version }
    return fc.record(named, { requiredKeys: chosen.map(([word]) => word) })
  }) as fc.Arbitrary<Acceptance<string>>

  test.each(['apt', 'dnf'] as const)('of %s are never left, and what a fix installs is one of them', (manager) => {
    let moved = 0
    const scenes = fc.tuple(acceptance, fc.option(version), fc.option(version))
    fc.assert(
      fc.property(scenes, ([ensure, installed, candidate]) => {
        const context = { manager, ...offered(candidate) }
        const seenOf = (each: string | null): readonly Instance[] => (each === null ? [] : [{ version: each }])
        const first = decide({ ensure, seen: seenOf(installed), context })
        if (first.drift.length === 0) expect(first.plan).toEqual({ kind: 'none' })
        if (first.plan.kind !== 'act') return
        moved++
        const { action } = first.plan
        if (!('version' in action) || action.version === undefined) throw new Error('a fix installs one version')
        expect(action.version).not.toBe(installed)
        expect(decide({ ensure, seen: seenOf(action.version), context }).drift).toEqual([])
      }),
      { numRuns: cases({ usual: 500, soak: 20_000 }) },
    )
    expect(moved).toBeGreaterThan(50)
  })

  test('without a look at the index is a defect', () => {
    expect(() => decide({ ensure: { at_least: '2' } })).toThrow('no candidate was looked up')
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
    expect(wanted.drift[0]?.note).toBe('the package is removed, but its configuration files remain')
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

describe('obstacles', () => {
  function reasons({ plan }: Decision<PackageAction>): readonly string[] {
    return plan.kind === 'none' ? [] : plan.obstacles.map(({ reason }) => reason)
  }

  test('a package on hold', () => {
    const seen: readonly Instance[] = [{ held: true }]
    const hold = ['nginx is on hold; run apt-mark unhold nginx to release it']
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

// The package index is slow to ask, and only a version that the policy leaves open comes from it.
test.each<[ensure: string | Acceptance<string>, seen: readonly Instance[], isAsked: boolean]>([
  ['latest', [{}], true],
  ['present', [], false],
  ['1.0-1', [], false],
  [{ at_least: '1.0' }, [], true],
  [{ at_least: '1.0' }, [{}], false],
  [{ at_least: '2.0' }, [{}], true],
  [{ at_least: '2.0', fix: '2.1' }, [{}], false],
  [{ is: '2.0' }, [], false],
])('for %j with %j installed the package index is asked: %j', (ensure, seen, isAsked) => {
  expect(asksIndex({ name: 'nginx', ensure }, 'apt', instancesOf(seen))).toBe(isAsked)
})
