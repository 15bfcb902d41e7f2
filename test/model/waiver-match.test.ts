import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ReportedDrift, ResourceResult } from '../../src/model/run.ts'
import type { Waiver } from '../../src/model/waiver.ts'
import { type WaiverMatch, waiverMatcher, waiverRecords } from '../../src/model/waiver-match.ts'

const TODAY = '2026-11-20'
const SETTING = { hosts: ['web01'], today: TODAY, warnDays: 14 }

function waiver(fields: Partial<Waiver> = {}): Waiver {
  return {
    id: 'w',
    reason: 'known',
    approver: 'Ada',
    expires: '2026-12-31',
    source: { file: 'waivers.yaml', line: 2, column: 5 },
    ...fields,
  }
}

const MODE: ReportedDrift = { property: 'mode', desired: '0644', observed: '0664' }
const OWNER: ReportedDrift = { property: 'owner', desired: 'root', observed: 'app' }

function resource(drift: readonly ReportedDrift[] = [MODE], fields: Partial<ResourceResult> = {}): ResourceResult {
  return {
    id: 'file#motd',
    type: 'file',
    name: '/etc/motd',
    alias: 'motd',
    verdict: 'drifted',
    change: 'will',
    drift,
    actions: [],
    severity: 'medium',
    controls: ['ssh-1.1', '9.10'],
    source: { file: 'policy.yaml', line: 1, column: 1 },
    durationMs: 0,
    ...fields,
  }
}

function match(waivers: readonly Waiver[], subject = resource(), setting = SETTING): WaiverMatch {
  return waiverMatcher(waivers, setting)(subject)
}

/** Which waiver accepts each drift. */
function acceptedIn({ drift }: WaiverMatch): readonly (string | undefined)[] {
  return drift.map((each) => each.waiver)
}

describe('the scope of a waiver', () => {
  test.each<[Partial<Waiver>, boolean]>([
    [{ resource: 'file#/etc/motd' }, true],
    [{ resource: 'file#motd' }, true],
    [{ resource: 'file#/etc/*' }, true],
    [{ resource: '*#/etc/mot?' }, true],
    [{ resource: 'file#/etc/mot' }, false],
    [{ resource: '/etc/motd' }, false],
    [{ resource: 'file#/etc/motd.d' }, false],
    [{ resource: 'FILE#/etc/motd' }, false],
    [{ control: 'ssh-1.1' }, true],
    [{ control: 'ssh-1' }, false],
    [{ control: 'ssh-1.1.1' }, false],
    [{ control: 'ssh-1?1' }, true],
    [{ control: 'ssh-*' }, true],
    [{ control: '9.10' }, true],
    [{ control: '9.1' }, false],
  ])('%j: %j', (scope, expected) => {
    expect(acceptedIn(match([waiver(scope)]))).toEqual([expected ? 'w' : undefined])
  })

  test.each<[Partial<Waiver>, readonly (string | undefined)[]]>([
    [{}, ['w', 'w', 'w']],
    [{ property: 'mode' }, ['w', undefined, undefined]],
    [{ property: 'm*' }, ['w', undefined, undefined]],
    [{ property: 'content' }, [undefined, undefined, 'w']],
    [{ property: 'content conf/app.ini' }, [undefined, undefined, 'w']],
    [{ property: 'content conf/*' }, [undefined, undefined, 'w']],
    [{ property: 'content conf' }, [undefined, undefined, undefined]],
    [{ property: 'mod' }, [undefined, undefined, undefined]],
  ])('of the properties %j: %j', (scope, expected) => {
    const drift = [MODE, OWNER, { property: 'content', path: 'conf/app.ini', desired: 'a', observed: 'b' }]
    expect(acceptedIn(match([waiver({ resource: 'file#motd', ...scope })], resource(drift)))).toEqual(expected)
  })

  test.each([
    ['web01', true],
    ['WEB01', true],
    ['web*', true],
    ['web', false],
    ['web0', false],
    ['db*', false],
  ])('of machines %j: %j', (host, expected) => {
    const { drift, uses } = match([waiver({ resource: 'file#motd', host })])
    expect(drift[0]?.waiver).toBe(expected ? 'w' : undefined)
    expect(uses).toHaveLength(expected ? 1 : 0)
  })
})

test('a resource is known by its name and by its alias', () => {
  const named = resource([MODE], { id: 'file#/etc/motd', name: '/etc/motd', alias: 'motd' })
  for (const id of ['file#/etc/motd', 'file#motd']) {
    expect(acceptedIn(match([waiver({ resource: id })], named))).toEqual(['w'])
  }
  const { alias: _, ...unnamed } = named
  for (const id of ['file#motd', 'file#undefined']) {
    expect(acceptedIn(match([waiver({ resource: id })], unnamed))).toEqual([undefined])
  }
})

describe('the value it accepts', () => {
  const sha256 = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'
  test.each<[ReportedDrift['observed'], string, boolean]>([
    ['0664', '0664', true],
    ['0664', '664', false],
    ['0664', '06*', false],
    ['0664', '0666', false],
    ['', '', true],
    [22, '22', true],
    [true, 'true', true],
    [null, 'nothing', true],
    ['a*b', 'a*b', true],
    ['axb', 'a*b', false],
    [{ sha256, sizeBytes: 4 }, sha256, true],
    [{ sha256, sizeBytes: 4 }, `sha256:${sha256}`, true],
    [{ sha256, sizeBytes: 4 }, sha256.toUpperCase(), true],
    [{ sha256, sizeBytes: 4 }, sha256.slice(0, 12), false],
    [{ redacted: true, digest: '00ff' }, '00ff', true],
    [{ redacted: true, digest: '00ff' }, '00fe', false],
  ])('%j is %j: %j', (observed, value, expected) => {
    const { drift, uses } = match(
      [waiver({ resource: 'file#motd', property: 'mode', value })],
      resource([{ ...MODE, observed }]),
    )
    expect(drift[0]?.waiver).toBe(expected ? 'w' : undefined)
    expect(uses).toMatchObject([{ id: 'w', state: expected ? 'in-force' : 'lapsed', covers: ['mode'] }])
  })

  test('a waiver that accepts the value of one property and not of another has two states', () => {
    const { drift, uses } = match(
      [waiver({ resource: 'file#motd', property: '*', value: 'app' })],
      resource([MODE, OWNER]),
    )
    expect(drift.map((each) => each.waiver)).toEqual([undefined, 'w'])
    expect(uses).toMatchObject([
      { state: 'lapsed', covers: ['mode'] },
      { state: 'in-force', covers: ['owner'] },
    ])
  })
})

describe('the day it ends', () => {
  test.each([
    ['2026-11-21', 'in-force'],
    ['2026-11-20', 'in-force'],
    ['2026-11-19', 'expired'],
    ['2025-12-31', 'expired'],
  ])('%s: %s', (expires, state) => {
    const { drift, uses } = match([waiver({ resource: 'file#motd', expires })])
    expect(uses).toMatchObject([{ id: 'w', state, covers: ['mode'] }])
    expect(drift[0]?.waiver).toBe(state === 'in-force' ? 'w' : undefined)
  })

  test('of several the one that lasts longest accepts, the first of those', () => {
    const several = ['2026-11-19', '2026-11-25', '2027-01-01', '2027-01-01'].map((expires, index) =>
      waiver({ id: `w${index}`, resource: 'file#motd', expires }),
    )
    const { drift, uses } = match(several)
    expect(drift[0]?.waiver).toBe('w2')
    expect(uses.map(({ id, state }) => `${id} ${state}`)).toEqual([
      'w0 expired',
      'w1 in-force',
      'w2 in-force',
      'w3 in-force',
    ])
  })
})

test('several waivers share the drift of a resource', () => {
  const { drift } = match(
    [waiver({ id: 'a', resource: 'file#motd', property: 'mode' }), waiver({ id: 'b', control: '9.10' })],
    resource([OWNER, MODE]),
  )
  expect(drift.map((each) => each.waiver)).toEqual(['b', 'a'])
})

test('the records say how many resources each accepts drift of, and how long still', () => {
  const waivers = [
    waiver({ id: 'a', control: '9.10', expires: '2026-12-04' }),
    waiver({ id: 'b', control: '9.10', expires: '2026-12-05' }),
    waiver({ id: 'c', control: '9.10', expires: '2026-11-20' }),
    waiver({ id: 'd', control: '9.10', expires: '2026-11-19' }),
    waiver({ id: 'e', control: 'other' }),
  ]
  const results = [resource([MODE]), resource([MODE, OWNER])].map((result) => {
    const { drift, uses } = match(waivers, result)
    return { ...result, drift, waivers: uses }
  })
  const records = waiverRecords(waivers, results, SETTING)
  expect(
    records.map(({ id, state, daysLeft, expiresSoon, accepted }) => [id, state, daysLeft, expiresSoon, accepted]),
  ).toEqual([
    ['a', 'in-force', 14, true, 2],
    ['b', 'in-force', 15, false, 2],
    ['c', 'in-force', 0, true, 2],
    ['d', 'expired', -1, false, 0],
    ['e', 'in-force', 41, false, 0],
  ])
})

const name = fc.stringMatching(/^[a-z.*?#-]{1,6}$/)

test('without * and ? a name stands for itself alone, never for a longer or a shorter one', () => {
  fc.assert(
    fc.property(name, name, (id, control) => {
      fc.pre(!/[*?]/.test(control))
      const { drift } = match([waiver({ control })], resource([MODE], { controls: [id] }))
      expect(drift[0]?.waiver !== undefined).toBe(id === control)
    }),
  )
})

test('drift is neither added nor lost nor changed, and only waivers in force accept drift', () => {
  const scope = fc.record(
    {
      resource: fc.constantFrom('file#motd', '*#*', 'file#x'),
      property: fc.constantFrom('mode', 'o*', 'x'),
      value: fc.constantFrom('0664', 'app', 'x'),
      host: fc.constantFrom('web*', 'db'),
    },
    { requiredKeys: ['resource'] },
  )
  const some = fc.array(fc.tuple(scope, fc.constantFrom('2026-11-19', '2026-11-20', '2026-11-21')), { maxLength: 5 })
  fc.assert(
    fc.property(some, (scopes) => {
      const waivers = scopes.map(([fields, expires], index) => waiver({ ...fields, expires, id: `w${index}` }))
      const { drift, uses } = match(waivers, resource([MODE, OWNER]))
      expect(drift.map(({ waiver: _waiver, ...rest }) => rest)).toEqual([MODE, OWNER])
      const inForce = new Map(uses.filter(({ state }) => state === 'in-force').map((use) => [use.id, use]))
      for (const each of drift.filter((it) => it.waiver !== undefined)) {
        const use = inForce.get(each.waiver ?? '')
        expect(use?.covers).toContain(each.property)
        expect((use?.expires ?? '') >= TODAY).toBe(true)
      }
      const covered = new Set([...inForce.values()].flatMap(({ covers }) => covers))
      expect(new Set(drift.filter((it) => it.waiver !== undefined).map(({ property }) => property))).toEqual(covered)
    }),
  )
})
