import { expect, test } from 'vitest'
import { takeCensus } from '../../src/fleet/census.ts'
import { controlsOf, hostCount } from '../../src/fleet/controls.ts'
import { gateOf } from '../../src/fleet/gate.ts'
import { createRollup } from '../../src/fleet/rollup.ts'
import { readRoster, type Roster } from '../../src/fleet/roster.ts'
import type { ReceivedRequirement, ReceivedRun } from '../../src/fleet/source.ts'

const HOUR = 3_600_000
const NOW = Date.UTC(2026, 10, 20, 12)

type Standings = Readonly<Record<string, ReceivedRequirement['standing']>>

interface Told extends Partial<Omit<ReceivedRun, 'policies'>> {
  readonly host: string
  /** How long before now, in hours. */
  readonly ago: number
  readonly policy?: string
  readonly source?: string
  readonly sha256?: string
  readonly isPartial?: boolean
}

function run(
  { ago, policy = 'site', source = `${policy}.yaml`, sha256 = 'a', isPartial = false, ...told }: Told,
  standings: Standings,
): ReceivedRun {
  const atMs = NOW - ago * HOUR
  const requirements = Object.entries(standings).map(([name, standing]): ReceivedRequirement => ({
    name,
    kind: 'control',
    severity: 'high',
    standing,
  }))
  return {
    runId: `${told.host}-${ago}`,
    startedAtMs: atMs,
    storedAtMs: atMs,
    place: `${told.host}/${ago}.json`,
    isPerformed: true,
    policies: [{ id: policy, source, sha256, isPartial, requirements }],
    ...told,
  }
}

function census(runs: readonly ReceivedRun[], roster?: Roster): ReturnType<typeof takeCensus> {
  const rollup = createRollup()
  for (const each of runs) rollup.add(each)
  return takeCensus({ rollup, ...(roster === undefined ? {} : { roster }), intervalMs: HOUR, nowMs: NOW, unusable: [] })
}

function rosterOf(text: string): Roster {
  const read = readRoster('hosts.yaml', text)
  if (!read.ok) throw new Error(JSON.stringify(read.problems))
  return read.value
}

const agesOf = ([host]: ReturnType<typeof takeCensus>): readonly (readonly [string, string, number])[] =>
  (host?.findings ?? []).map(({ name, standing, sinceMs }) => [name, standing, (NOW - sinceMs) / HOUR])

test('a finding stands since the first of the runs in a row that have it, also where some could not decide', () => {
  const runs = [
    run({ host: 'a', ago: 5 }, { x: 'drifted', y: 'drifted', z: 'met' }),
    run({ host: 'a', ago: 4 }, { x: 'undecided', y: 'met', z: 'waived' }),
    run({ host: 'a', ago: 3 }, { x: 'drifted', y: 'drifted', z: 'drifted' }),
    run({ host: 'a', ago: 1 }, { x: 'drifted', y: 'drifted', z: 'drifted' }),
  ]
  expect(agesOf(census(runs))).toEqual([
    ['x', 'drifted', 5],
    ['y', 'drifted', 3],
    ['z', 'drifted', 3],
  ])
})

test('an older run that comes later changes nothing', () => {
  const runs = [run({ host: 'a', ago: 1 }, { x: 'drifted' }), run({ host: 'a', ago: 3 }, { x: 'met' })]
  expect(census(runs)).toMatchObject([{ heardAtMs: NOW - HOUR, answer: 'drifted' }])
})

test('a run from the future does not hide those that come after it', () => {
  const wrong = run({ host: 'a', ago: 3, startedAtMs: NOW + 1000 * HOUR }, { x: 'met' })
  expect(census([wrong, run({ host: 'a', ago: 0 }, { x: 'drifted' })])).toMatchObject([
    { presence: 'reporting', answer: 'drifted' },
  ])
})

test('a selection says nothing about what it left out', () => {
  const whole = run({ host: 'a', ago: 1 }, { x: 'drifted', y: 'met' })
  const part = run({ host: 'a', ago: 0, isPartial: true }, { y: 'drifted' })
  expect(agesOf(census([whole, part]))).toEqual([
    ['x', 'drifted', 1],
    ['y', 'drifted', 0],
  ])
  const old = run({ host: 'a', ago: 3 }, { x: 'met', y: 'met' })
  const mended = run({ host: 'a', ago: 0, isPartial: true }, { y: 'met' })
  expect(census([old, mended])).toMatchObject([{ presence: 'outdated', answer: 'undecided' }])
})

test('a host whose last run could not be performed is undecided, and what it said before is still there', () => {
  const failed: ReceivedRun = { ...run({ host: 'a', ago: 0 }, {}), isPerformed: false, policies: [] }
  const hosts = census([run({ host: 'a', ago: 1 }, { x: 'drifted' }), failed])
  expect(hosts).toMatchObject([{ presence: 'reporting', answer: 'undecided', findings: [{ name: 'x' }] }])
  expect(gateOf(hosts, { failOn: 'info', unusable: 0 }).code).toBe(3)
})

test('only a host that goes over to another text of a policy makes the old one outdated', () => {
  const two = [
    run({ host: 'a', ago: 1, sha256: 'a' }, { x: 'met' }),
    run({ host: 'b', ago: 0, sha256: 'b' }, { x: 'met' }),
  ]
  expect(census(two).map(({ presence }) => presence)).toEqual(['reporting', 'reporting'])
  const moved = [
    run({ host: 'b', ago: 4, sha256: 'a' }, { x: 'met' }),
    run({ host: 'b', ago: 3, sha256: 'b' }, { x: 'met' }),
  ]
  expect(census([...moved, ...two])).toMatchObject([
    { name: 'a', presence: 'outdated', answer: 'undecided' },
    { name: 'b', presence: 'reporting', answer: 'compliant' },
  ])
  const back = run({ host: 'c', ago: 0, sha256: 'a' }, { x: 'met' })
  const returned = [...moved, run({ host: 'c', ago: 2, sha256: 'b' }, { x: 'met' }), back, ...two]
  expect(census(returned).map(({ name, presence }) => [name, presence])).toEqual([
    ['a', 'reporting'],
    ['b', 'reporting'],
    ['c', 'reporting'],
  ])
})

test('a policy that a host evaluates no longer is outdated, unless the roster gives it time or retires it', () => {
  const runs = [
    run({ host: 'a', ago: 5, policy: 'cis' }, { x: 'drifted' }),
    run({ host: 'a', ago: 0, policy: 'site' }, { y: 'met' }),
  ]
  const asked = (policies: string): object => census(runs, rosterOf(`policies: ${policies}\nhosts: [a]\n`))
  expect(asked('{}')).toMatchObject([{ presence: 'outdated', answer: 'undecided' }])
  expect(asked('{ cis: 1d }')).toMatchObject([{ presence: 'reporting', answer: 'drifted' }])
  expect(asked('{ cis: retired }')).toMatchObject([{ presence: 'reporting', answer: 'compliant', findings: [] }])
})

test('silent and missing hosts are undecided in every count, and retired ones in none', () => {
  const roster = rosterOf('interval: 1h\nhosts: [a, b, never, { name: gone, retired: 2026-11-20 }]\n')
  const runs = [
    run({ host: 'a', ago: 0 }, { x: 'met' }),
    run({ host: 'b', ago: 9 }, { x: 'met' }),
    run({ host: 'gone', ago: 9 }, { x: 'drifted' }),
  ]
  const hosts = census(runs, roster)
  expect(hosts.map(({ name, presence, answer }) => [name, presence, answer])).toEqual([
    ['never', 'never', 'undecided'],
    ['b', 'silent', 'undecided'],
    ['a', 'reporting', 'compliant'],
    ['gone', 'retired', 'drifted'],
  ])
  expect(controlsOf(hosts)).toMatchObject([{ name: 'x', met: 1, hosts: { undecided: ['b'] } }])
  expect(gateOf(hosts, { failOn: 'info', unusable: 0 })).toEqual({
    code: 3,
    reasons: ['1 host is expected and never reported', '1 host is silent'],
  })
})

test('the run of another host in the place of one makes that one forged, and is believed of neither', () => {
  const hosts = census([
    run({ host: 'a', ago: 0 }, { x: 'drifted' }),
    run({ host: 'a', ago: 0, owner: 'b' }, { x: 'met' }),
  ])
  expect(hosts.map(({ name, presence, answer }) => [name, presence, answer])).toEqual([
    ['b', 'forged', 'undecided'],
    ['a', 'reporting', 'drifted'],
  ])
})

test('controls are worst first and count each host once', () => {
  const standings = ['met', 'drifted', 'undecided', 'waived', 'not-applicable'] as const
  const runs = standings.map((standing, index) =>
    run({ host: `h${index}`, ago: index / 10 }, { x: standing, y: 'met', z: 'undecided' }),
  )
  const controls = controlsOf(census(runs))
  expect(controls.map(({ name }) => name)).toEqual(['x', 'z', 'y'])
  const [x] = controls
  if (x === undefined) throw new Error('no control')
  expect(standings.map((standing) => hostCount(x, standing))).toEqual([1, 1, 1, 1, 1])
  expect(x.openSinceMs).toBe(NOW - HOUR / 5)
})

test('the gate: drift before what is undecided, and severities below the limit pass', () => {
  const drifted = census([run({ host: 'a', ago: 0 }, { x: 'drifted' }), run({ host: 'b', ago: 9 }, { x: 'met' })])
  expect(gateOf(drifted, { failOn: 'high', unusable: 0 }).code).toBe(2)
  expect(gateOf(drifted, { failOn: 'critical', unusable: 0 }).code).toBe(3)
  const fine = census([run({ host: 'a', ago: 0 }, { x: 'drifted' })])
  expect(gateOf(fine, { failOn: 'critical', unusable: 0 })).toEqual({
    code: 0,
    reasons: ['1 host drifts below severity critical'],
  })
  expect(gateOf(fine, { failOn: 'critical', unusable: 2 })).toMatchObject({ code: 3 })
  expect(gateOf([], { failOn: 'info', unusable: 0 }).code).toBe(5)
})

test('a host of which nothing applies is not called compliant', () => {
  expect(census([run({ host: 'a', ago: 0 }, { x: 'not-applicable' })])).toMatchObject([{ answer: 'undecided' }])
})
