import { array, assert, boolean, constantFrom, integer, option, property, record } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseLimits } from '../../../src/fleet/rollout/conditions.ts'
import { countRing, type HostSigns, judge, type JudgedRing } from '../../../src/fleet/rollout/gate.ts'

const HOUR = 3_600_000
const NOW = 1_000 * HOUR

/** Hosts report every hour; the canary got the policy two hours ago unless told otherwise. */
function host(name: string, signs: Partial<HostSigns> = {}): HostSigns {
  return { name, intervalMs: HOUR, isUnheard: false, heardAtMs: NOW - HOUR / 2, ...signs }
}

function reported(name: string, found: { errors?: string[]; drifts?: string[]; sinceMs?: number } = {}): HostSigns {
  const { errors = [], drifts = [], sinceMs = NOW - 1.5 * HOUR } = found
  return host(name, { after: { sinceMs, errors, drifts } })
}

function many(count: number, from = 0): readonly HostSigns[] {
  return Array.from({ length: count }, (_, at) => reported(`ok${at + from}`))
}

function rulesOf(stop: string, soakMs = HOUR) {
  const read = parseLimits('--stop', stop)
  if (!read.ok) throw new Error('not understood')
  return { soakMs, limits: read.value }
}

function judged(hosts: readonly HostSigns[], stop = 'error>0.5% or silent>1% or new-drift>5%', agoMs = 2 * HOUR) {
  const rings: readonly JudgedRing[] = [
    { name: 'canary', releasedAtMs: NOW - agoMs, hosts },
    { name: 'rest', hosts: [] },
  ]
  return judge(rings, rulesOf(stop), NOW)
}

describe('the next step', () => {
  test('the first ring gets it at once', () => {
    const rings = [{ name: 'canary', hosts: [] }]
    expect(judge(rings, rulesOf('error>0'), NOW)).toEqual({ kind: 'release', ring: 'canary' })
  })

  test('the next ring when all have reported and the soak is over', () => {
    expect(judged(many(3))).toEqual({ kind: 'release', ring: 'rest' })
  })

  test('nothing after the last ring', () => {
    const rings = [{ name: 'canary', releasedAtMs: NOW - 2 * HOUR, hosts: many(3) }]
    expect(judge(rings, rulesOf('error>0'), NOW)).toEqual({ kind: 'done' })
  })
})

describe('waits', () => {
  test.each([
    ['for those that may still report', [reported('a'), host('b', { intervalMs: 2 * HOUR })], 'may still report: b'],
    ['for the soak', [reported('a', { sinceMs: NOW - HOUR / 2 })], '30m left'],
    [
      'if all hosts were silent before',
      [host('a', { isUnheard: true, heardAtMs: NOW - 9 * HOUR })],
      'since it received',
    ],
    [
      'if no host has ever reported',
      [host('a', { isUnheard: true, heardAtMs: undefined } as never)],
      'since it received',
    ],
    ['if the ring has no host', [], 'since it received'],
  ])('%s', (_what, hosts, reason) => {
    expect(judged(hosts, undefined, 2.5 * HOUR)).toMatchObject({
      kind: 'wait',
      ring: 'canary',
      reason: expect.stringContaining(reason),
    })
  })

  test('two intervals for a host that has never reported', () => {
    const { heardAtMs: _never, ...first } = host('first', { isUnheard: true })
    expect(judged([...many(9), first])).toMatchObject({
      kind: 'wait',
      reason: expect.stringContaining('may still report'),
    })
    expect(judged([...many(9), first], 'silent>0', 2.5 * HOUR)).toEqual({ kind: 'release', ring: 'rest' })
  })

  test('if all hosts have gone silent and no limit forbids it', () => {
    const silent = [host('a', { isUnheard: true, heardAtMs: NOW - 3 * HOUR })]
    expect(judged(silent, 'error>0')).toMatchObject({ kind: 'wait', reason: expect.stringContaining('no host') })
  })

  test('a late host does not restart the soak', () => {
    const late = reported('late', { sinceMs: NOW - 1 })
    expect(judged([...many(19), late])).toEqual({ kind: 'release', ring: 'rest' })
    expect(judged([...many(5), late])).toMatchObject({ kind: 'wait' })
  })

  test('a report from before the release does not make the soak shorter', () => {
    const rings = [{ name: 'canary', releasedAtMs: NOW - 1, hosts: [reported('a', { sinceMs: 0 })] }]
    expect(judge(rings, rulesOf('error>0'), NOW)).toMatchObject({ kind: 'wait' })
  })
})

describe('stops', () => {
  const bad = reported('bad', { errors: ['control a'] })
  const odd = reported('odd', { drifts: ['control a'] })
  const gone = host('gone', { isUnheard: true, heardAtMs: NOW - 3 * HOUR })

  test.each([
    ['an error', [...many(9), bad], 'error>0.5%', ['bad']],
    ['new drift', [...many(9), odd], 'new-drift>5%', ['odd']],
    ['silence', [...many(9), gone], 'silent>1%', ['gone']],
    ['a host that goes on with other policies', [...many(9), host('old')], 'silent>1%', ['old']],
    ['a number of hosts', [...many(900), bad, { ...bad, name: 'bad2' }], 'error>=2', ['bad', 'bad2']],
  ])('at %s', (_what, hosts, stop, names) => {
    expect(judged(hosts, stop, 2.5 * HOUR)).toMatchObject({ kind: 'stop', ring: 'canary', hosts: names })
  })

  test('not at less than the limit', () => {
    expect(judged([...many(19), odd], 'new-drift>5%')).toEqual({ kind: 'release', ring: 'rest' })
  })

  test('the first to report are few: their share is of the whole ring, as long as others may report', () => {
    const waiting = Array.from({ length: 99 }, (_, at) => host(`w${at}`))
    expect(judged([bad, ...waiting], 'error>5%')).toMatchObject({ kind: 'wait' })
    expect(judged([bad, ...waiting], 'error>=1%')).toMatchObject({ kind: 'stop' })
  })

  test('the share is of the hosts that reported, once no other host may report', () => {
    const silent = Array.from({ length: 90 }, (_, at) => ({ ...gone, name: `g${at}` }))
    expect(judged([...many(9), bad, ...silent], 'error>5%')).toMatchObject({
      kind: 'stop',
      reason: expect.stringContaining('1 of 10 hosts'),
    })
  })

  test('a host that was silent before the release says nothing', () => {
    const before = host('before', { isUnheard: true, heardAtMs: NOW - 9 * HOUR })
    expect(judged([...many(9), before], 'silent>0')).toEqual({ kind: 'release', ring: 'rest' })
  })

  test('an earlier ring stops everything, too', () => {
    const rings = [
      { name: 'canary', releasedAtMs: NOW - 9 * HOUR, hosts: [bad] },
      { name: 'early', releasedAtMs: NOW - 2 * HOUR, hosts: many(3) },
      { name: 'rest', hosts: [] },
    ]
    expect(judge(rings, rulesOf('error>0.5%'), NOW)).toMatchObject({ kind: 'stop', ring: 'canary', hosts: ['bad'] })
  })
})

const anyHost = record({
  isUnheard: boolean(),
  heardAtMs: option(integer({ min: NOW - 10 * HOUR, max: NOW }), { nil: undefined }),
  intervalMs: constantFrom(HOUR / 4, HOUR, 24 * HOUR),
  after: option(
    record({
      sinceMs: integer({ min: NOW - 10 * HOUR, max: NOW }),
      errors: constantFrom([], ['control a']),
      drifts: constantFrom([], ['control a']),
    }),
    { nil: undefined },
  ),
})
const anyHosts = array(anyHost, { maxLength: 40 }).map((hosts): readonly HostSigns[] =>
  hosts.map(({ heardAtMs, after, ...signs }, at) => ({
    name: `h${at}`,
    ...signs,
    ...(heardAtMs === undefined ? {} : { heardAtMs }),
    ...(after === undefined ? {} : { after }),
  })),
)
const anyRelease = integer({ min: NOW - 10 * HOUR, max: NOW })

describe('any reports of hosts', () => {
  test('each that is expected has reported, is silent, or is awaited', () => {
    assert(
      property(anyHosts, anyRelease, (hosts, releasedAtMs) => {
        const { expected, reported: heard, silent, awaited, error } = countRing({ name: 'a', releasedAtMs, hosts }, NOW)
        expect([...heard, ...silent, ...awaited].toSorted()).toEqual([...expected].toSorted())
        expect(heard).toEqual(expect.arrayContaining([...error]))
      }),
    )
  })

  test('no ring gets it while a report may still come, or without a single one', () => {
    assert(
      property(anyHosts, anyRelease, (hosts, releasedAtMs) => {
        const canary = { name: 'canary', releasedAtMs, hosts }
        const { awaited, reported: heard } = countRing(canary, NOW)
        const { kind } = judge([canary, { name: 'rest', hosts: [] }], rulesOf('error>0.5% or silent>1%'), NOW)
        if (kind === 'release') expect({ awaited, some: heard.length > 0 }).toEqual({ awaited: [], some: true })
      }),
    )
  })

  test('one more host in trouble never turns a stop into a release', () => {
    assert(
      property(anyHosts, anyRelease, (hosts, releasedAtMs) => {
        const verdict = (members: readonly HostSigns[]): string =>
          judge(
            [
              { name: 'a', releasedAtMs, hosts: members },
              { name: 'b', hosts: [] },
            ],
            rulesOf('error>5%'),
            NOW,
          ).kind
        const more = [...hosts, reported('more', { errors: ['control b'] })]
        if (verdict(hosts) === 'stop') expect(verdict(more)).toBe('stop')
      }),
    )
  })

  test('time alone never makes fewer hosts silent', () => {
    assert(
      property(anyHosts, anyRelease, integer({ min: 0, max: 100 * HOUR }), (hosts, releasedAtMs, laterMs) => {
        const ring = { name: 'a', releasedAtMs, hosts }
        expect(countRing(ring, NOW + laterMs).silent).toEqual(expect.arrayContaining([...countRing(ring, NOW).silent]))
      }),
    )
  })
})
