import { expect, test } from 'vitest'
import { takeCensus } from '../../src/fleet/census.ts'
import { createRollup } from '../../src/fleet/rollup.ts'
import { readRoster } from '../../src/fleet/roster.ts'
import { type UnsentHost, unsentIn } from '../../src/fleet/unsent.ts'

const NOW = Date.UTC(2026, 10, 20, 12)
const MINUTE = 60_000

interface Told {
  readonly host: string
  readonly lost: number
  readonly spool: number
  /** How many minutes ago the server got it. */
  readonly ago?: number
  /** How many minutes ago it was made. */
  readonly made?: number
}

/** What is known after these, which came in this order. */
function told(notes: readonly Told[]): readonly UnsentHost[] {
  const rollup = createRollup()
  for (const { host, lost, spool, ago = 0, made = ago } of notes) {
    rollup.still({
      host,
      runId: `${host}-${made}`,
      sameRunId: 'another one',
      startedAtMs: NOW - made * MINUTE,
      storedAtMs: NOW - ago * MINUTE,
      place: `${host}-${ago}`,
      policies: [],
      sender: { version: '1.0.0', lost, spool },
    })
  }
  const read = readRoster('hosts.yaml', 'hosts: [a, { name: old, retired: 2020-01-01 }]')
  if (!read.ok) throw new Error('the roster is unexpected')
  return unsentIn(takeCensus({ rollup, roster: read.value, intervalMs: 3_600_000, nowMs: NOW, unusable: [] }))
}

test('hosts with lost runs come first, then those with waiting runs; retired hosts and others are left out', () => {
  const hosts = told([
    { host: 'fine', lost: 0, spool: 0 },
    { host: 'b', lost: 0, spool: 9 },
    { host: 'a', lost: 0, spool: 9 },
    { host: 'lossy', lost: 1, spool: 0 },
    { host: 'lossier', lost: 1, spool: 1 },
    { host: 'old', lost: 5, spool: 5 },
  ])
  expect(hosts.map(({ name }) => name)).toEqual(['lossier', 'lossy', 'a', 'b'])
})

test('how many wait is what came last, also where the newest run came first', () => {
  const hosts = told([
    { host: 'a', lost: 0, spool: 3, ago: 10, made: 10 },
    { host: 'a', lost: 1, spool: 1, ago: 9, made: 200 },
  ])
  expect(hosts.map(({ sender }) => sender)).toEqual([
    { version: '1.0.0', lost: 1, spool: 1, saidAtMs: NOW - 9 * MINUTE },
  ])
  expect(
    told([
      { host: 'a', lost: 0, spool: 3, ago: 10 },
      { host: 'a', lost: 0, spool: 0, ago: 5, made: 90 },
    ]),
  ).toEqual([])
})
