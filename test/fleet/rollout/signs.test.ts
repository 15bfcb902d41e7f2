import { expect, test } from 'vitest'
import { takeCensus } from '../../../src/fleet/census.ts'
import { dueTexts } from '../../../src/fleet/rollout/due-texts.ts'
import { judgedRings } from '../../../src/fleet/rollout/seen.ts'
import { newRollout, type Phase, type Rollout } from '../../../src/fleet/rollout/state.ts'
import { createRollup } from '../../../src/fleet/rollup.ts'
import type { Roster } from '../../../src/fleet/roster.ts'
import type { ReceivedRequirement, ReceivedRun } from '../../../src/fleet/source.ts'

const HOUR = 3_600_000
const NOW = Date.UTC(2026, 10, 20, 12)
const [OLD, NEW] = ['a'.repeat(64), 'b'.repeat(64)]

type Standings = Readonly<Record<string, ReceivedRequirement['standing']>>

/** A run so many hours ago. */
function run(host: string, ago: number, sha256: string, standings: Standings): ReceivedRun {
  const atMs = NOW - ago * HOUR
  const requirements = Object.entries(standings).map(
    ([name, standing]) => ({ name, kind: 'control', severity: 'high', standing }) as const,
  )
  const policies = [{ id: 'site', source: 'site.yaml', sha256, isPartial: false, requirements }]
  const place = `${host}/${ago}`
  return { host, runId: place, startedAtMs: atMs, storedAtMs: atMs, place, isPerformed: true, policies }
}

const ROSTER: Roster = {
  policies: new Map(),
  hosts: new Map(
    [
      ['c', 'canary'],
      ['r', 'all'],
      ['own', 'all'],
    ].map(([name = '', ring = '']) => [name, { name, ring, labels: {} }]),
  ),
}

function rolled(phase: Phase = 'running'): Rollout {
  const target = { before: [OLD], hasBack: true }
  const rings = [
    {
      name: 'canary',
      releasedAt: new Date(NOW - 9 * HOUR).toISOString(),
      targets: [
        { to: 'ring.canary', ...target },
        { to: 'host.own', ...target },
      ],
    },
    { name: 'rest', targets: [{ to: 'ring.all', ...target }] },
  ] as const
  const policies = [{ name: 'site', sha256: 'c'.repeat(64), text: NEW }]
  const rules = { soak: '2h', stop: 'error>1%', reason: 'a test', author: 'anna' }
  return {
    ...newRollout({ id: 'x', policies, ...rules, version: 3, rings }, new Date(NOW - 9 * HOUR).toISOString()),
    phase,
  }
}

function census(runs: readonly ReceivedRun[], rollout?: Rollout) {
  const rollup = createRollup()
  for (const each of runs) rollup.add(each)
  const due = rollout === undefined ? {} : { due: dueTexts(rollout) }
  return takeCensus({ rollup, roster: ROSTER, intervalMs: HOUR, nowMs: NOW, unusable: [], ...due })
}

/** What host c found with the new text that it did not before. */
function found(...runs: readonly ReceivedRun[]) {
  const [canary] = judgedRings(rolled(), census(runs))
  return canary?.hosts.find(({ name }) => name === 'c')?.after
}

test('a host counts as reported with the new text alone', () => {
  expect(found(run('c', 1, OLD, { x: 'met' }))).toBeUndefined()
  expect(found(run('c', 2, NEW, { x: 'met' }), run('c', 1, OLD, { x: 'met' }))).toBeUndefined()
  expect(found(run('c', 2, OLD, { x: 'met' }), run('c', 1, NEW, { x: 'met' }))).toEqual({
    sinceMs: NOW - HOUR,
    errors: [],
    drifts: [],
  })
})

test('findings from before the release are not new, and all others are', () => {
  const before = run('c', 3, OLD, { a: 'drifted', b: 'undecided', c: 'met', d: 'met', e: 'undecided', f: 'waived' })
  const after = {
    a: 'drifted',
    b: 'undecided',
    c: 'drifted',
    d: 'undecided',
    e: 'drifted',
    f: 'drifted',
    g: 'drifted',
  } as const
  expect(found(before, run('c', 2, NEW, {}), run('c', 1, NEW, after))).toEqual({
    sinceMs: NOW - 2 * HOUR,
    errors: ['control d'],
    drifts: ['control c', 'control e', 'control f', 'control g'],
  })
})

test('without a report before everything is new', () => {
  expect(found(run('c', 1, NEW, { a: 'drifted', b: 'undecided' }))).toMatchObject({
    errors: ['control b'],
    drifts: ['control a'],
  })
})

test('a host sends its newest runs first, and is compared with its last one before all the same', () => {
  const after = run('c', 1, NEW, { a: 'drifted' })
  const [last, first] = [run('c', 2, OLD, { a: 'drifted' }), run('c', 3, OLD, { a: 'met' })]
  expect(found(after, last, first)).toMatchObject({ drifts: [] })
  expect(found(after, first, last)).toMatchObject({ drifts: [] })
  expect(found(first, after, last)).toMatchObject({ drifts: [] })
  expect(found(after, run('c', 2, OLD, {}), run('c', 3, OLD, { a: 'drifted' }))).toMatchObject({
    drifts: ['control a'],
  })
})

test('a run that could not be performed is an error', () => {
  const failed = { ...run('c', 1, NEW, {}), isPerformed: false, policies: [] }
  expect(found(run('c', 2, NEW, { a: 'met' }), failed)).toMatchObject({
    errors: [expect.stringContaining('performed')],
  })
})

test('hosts are in the ring of their own address, then in that of their ring', () => {
  const rings = judgedRings(rolled(), census([run('stranger', 1, OLD, {})]))
  expect(rings.map(({ name, hosts }) => [name, hosts.map((host) => host.name).toSorted()])).toEqual([
    ['canary', ['c', 'own']],
    ['rest', ['r']],
  ])
})

test('a ring that waits for its turn is not outdated, one that does not take it is', () => {
  const runs = [
    run('c', 9, OLD, { x: 'met' }),
    run('c', 8, NEW, { x: 'met' }),
    run('c', 0, NEW, { x: 'met' }),
    run('own', 0, OLD, { x: 'met' }),
    run('r', 0, OLD, { x: 'met' }),
  ]
  const presences = (rollout?: Rollout) =>
    Object.fromEntries(census(runs, rollout).map(({ name, presence }) => [name, presence]))
  expect(presences()).toEqual({ c: 'reporting', own: 'outdated', r: 'outdated' })
  expect(presences(rolled())).toEqual({ c: 'reporting', own: 'outdated', r: 'reporting' })
  expect(presences(rolled('back'))).toEqual({ c: 'reporting', own: 'reporting', r: 'reporting' })
})
