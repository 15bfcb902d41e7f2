import { expect, test } from 'vitest'
import type { Assigned } from '../../src/fleet/assigned-texts.ts'
import { takeCensus } from '../../src/fleet/census.ts'
import { createRollup } from '../../src/fleet/rollup.ts'
import { readRoster } from '../../src/fleet/roster.ts'
import type { ReceivedRun } from '../../src/fleet/source.ts'

const HOUR = 3_600_000
const NOW = Date.UTC(2026, 10, 20, 12)

function bundleOf(id: string): string {
  return `${id}-${'a'.repeat(64)}.tar.gz`
}

/** A run of a host so many hours ago, with a text of each policy, which is `local ID` or in a bundle. */
function run(host: string, ago: number, texts: Readonly<Record<string, string>>): ReceivedRun {
  const atMs = NOW - ago * HOUR
  return {
    host,
    runId: `${host}-${ago}`,
    startedAtMs: atMs,
    storedAtMs: atMs,
    place: `${host}/${ago}`,
    isPerformed: true,
    policies: Object.entries(texts).map(([id, sha256]) => ({
      id: id.replace(/^local /, ''),
      source: id.startsWith('local ') ? `/etc/${id.slice(6)}.yaml` : `/agent/assigned/${bundleOf(id)}!/manifest.yaml`,
      sha256,
      isPartial: false,
      requirements: [{ name: 'x', kind: 'control', severity: 'high', standing: 'met' }],
    })),
  }
}

function presences(runs: readonly ReceivedRun[], assigned?: Assigned, roster = '{}'): Readonly<Record<string, string>> {
  const rollup = createRollup()
  for (const each of runs) rollup.add(each)
  const read = readRoster('hosts.yaml', `policies: ${roster}\nhosts: [{ name: honest, ring: all }, stray]`)
  if (!read.ok) throw new Error(JSON.stringify(read.problems))
  const hosts = takeCensus({
    rollup,
    roster: read.value,
    intervalMs: HOUR,
    nowMs: NOW,
    unusable: [],
    ...(assigned && { assigned: ({ ring }) => (ring === 'all' ? assigned : undefined) }),
  })
  return Object.fromEntries(
    hosts.filter(({ presence }) => presence !== 'never').map(({ name, presence }) => [name, presence]),
  )
}

const since = (hoursAgo: number, ...texts: readonly string[]): Assigned => ({
  texts,
  sinceMs: NOW - hoursAgo * HOUR,
  former: new Set(),
})

test.each<[string, number, number, string]>([
  ['every four hours, and was heard three ago', 3, 4, 'reporting'],
  ['every four hours, and was not heard for nine', 9, 4, 'silent'],
  ['every quarter of an hour is silent soon', 0.6, 0.25, 'silent'],
])('a host that is to report %s', (_what, heardAgo, everyHours, expected) => {
  const assigned = { ...since(20, 'true'), intervalMs: everyHours * HOUR }
  expect(presences([run('honest', heardAgo, { site: 'true' })], assigned)).toEqual({ honest: expected })
})

test('an interval counts from the first report on after it was assigned', () => {
  const runs = [run('honest', 0.8, { site: 'true' })]
  const often = { ...since(0.5, 'true'), intervalMs: HOUR / 4 }
  expect(presences(runs, often)).toEqual({ honest: 'reporting' })
})

test('a policy that is no longer assigned makes no host outdated, unless the host still evaluates it', () => {
  const assigned = { ...since(5, 'a'), former: new Set([bundleOf('old')]) }
  const before = run('honest', 9, { site: 'a', old: 'b' })
  expect(presences([before, run('honest', 0, { site: 'a' })], since(5, 'a'))).toEqual({ honest: 'outdated' })
  expect(presences([before, run('honest', 0, { site: 'a' })], assigned)).toEqual({ honest: 'reporting' })
  const rollup = createRollup()
  for (const each of [before, run('honest', 0, { site: 'a', old: 'b' })]) rollup.add(each)
  const input = { rollup, intervalMs: HOUR, nowMs: NOW, unusable: [], assigned: () => assigned }
  expect(takeCensus(input).map(({ policies }) => policies.map(({ id }) => id))).toEqual([['site', 'old']])
})

test('a policy of its own is not withdrawn with an assigned one of that id', () => {
  const assigned = { ...since(5, 'a'), former: new Set([bundleOf('old')]) }
  const rollup = createRollup()
  rollup.add(run('honest', 9, { site: 'a', old: 'b', 'local old': 'c' }))
  rollup.add(run('honest', 0, { site: 'a' }))
  const [host] = takeCensus({ rollup, intervalMs: HOUR, nowMs: NOW, unusable: [], assigned: () => assigned })
  expect(host?.policies.map(({ sha256 }) => sha256)).toEqual(['a', 'c'])
  expect(host?.presence).toBe('outdated')
})

test('a host that makes up a newer text does not make those behind that have what they are assigned', () => {
  const lie = [
    run('liar', 9, { site: 'true' }),
    run('liar', 8, { site: 'made up' }),
    run('liar', 0, { site: 'made up' }),
  ]
  const runs = [...lie, run('honest', 0, { site: 'true' }), run('stray', 0, { site: 'true' })]
  expect(presences(runs)).toEqual({ liar: 'reporting', honest: 'outdated', stray: 'outdated' })
  expect(presences(runs, since(20, 'true'))).toEqual({ liar: 'reporting', honest: 'reporting', stray: 'outdated' })
})

test('a host that goes back to an old text does not hide the hosts that still have it', () => {
  const moved = [run('a', 9, { site: 'old' }), run('a', 8, { site: 'new' }), run('a', 0, { site: 'new' })]
  const lie = [run('liar', 7, { site: 'new' }), run('liar', 0, { site: 'old' })]
  const runs = [...moved, ...lie, run('honest', 0, { site: 'old' })]
  expect(presences(runs)).toMatchObject({ honest: 'reporting' })
  expect(presences(runs, since(8, 'new'))).toMatchObject({ honest: 'outdated' })
})

test.each([
  ['the assigned policies', { site: 'a', ssh: 'b' }, since(20, 'a', 'b'), 'reporting'],
  ['more than that', { site: 'a', own: 'c' }, since(20, 'a'), 'reporting'],
  ['another text, which it may still have', { site: 'a' }, since(2, 'b'), 'reporting'],
  ['another text for longer than two intervals', { site: 'a' }, since(2.01, 'b'), 'outdated'],
  ['a part of it', { site: 'a' }, since(20, 'a', 'b'), 'outdated'],
  ['other policies', { own: 'c' }, since(20, 'a'), 'outdated'],
] as const)('a host that reports about %s', (_what, texts, assigned, presence) => {
  expect(presences([run('honest', 0, texts)], assigned)).toEqual({ honest: presence })
})

test('a policy that the roster has retired counts as reported where it is assigned, and is still evaluated too rarely where not', () => {
  const runs = [run('honest', 9, { site: 'a', old: 'o' }), run('honest', 0, { site: 'a' })]
  expect(presences(runs, since(20, 'a'))).toEqual({ honest: 'outdated' })
  expect(presences(runs, since(20, 'a', 'o'), '{ old: retired }')).toEqual({ honest: 'reporting' })
})
