import { assert, property, integer, uniqueArray, stringMatching } from 'fast-check'
import { expect, test } from 'vitest'
import { createRingFinder, parseRings, placeHosts } from '../../../src/fleet/rollout/rings.ts'

test('rings are read in their order', () => {
  expect(parseRings('--rings', 'canary:1%, early:10.5%,rest')).toEqual({
    ok: true,
    warnings: [],
    value: [{ name: 'canary', percent: 1 }, { name: 'early', percent: 10.5 }, { name: 'rest' }],
  })
  expect(parseRings('--rings', 'all')).toMatchObject({ ok: true, value: [{ name: 'all' }] })
})

test.each([
  ['', 1, 'a ring is named by'],
  ['canary,,rest', 8, 'a ring is named by'],
  ['Canary,rest', 1, 'a ring is named by'],
  ['canary:1%,canary,rest', 11, 'ring canary is already listed'],
  ['canary:1,rest', 8, 'a ring must be followed by its share'],
  ['canary:,rest', 8, 'a ring must be followed by its share'],
  ['canary:0%,rest', 8, 'a ring must be followed by its share'],
  ['canary:101%,rest', 8, 'a ring must be followed by its share'],
  ['canary:1%:2%,rest', 8, 'a ring must be followed by its share'],
  ['canary:1%,rest:99%', 16, 'ring rest is the last one'],
  ['a:60%,b:50%,rest', 1, 'the shares add up to 110%'],
])('%j is told at column %i', (text, column, message) => {
  const read = parseRings('--rings', text)
  const [problem] = read.ok ? [] : read.problems
  expect(problem).toMatchObject({ position: { file: '--rings', column }, message: expect.stringContaining(message) })
})

const NOBODY: ReadonlySet<string> = new Set()

test('a host whose ring is named is in it, and the last ring has the others', () => {
  const hosts = [
    { name: 'web01', ring: 'canary' },
    { name: 'web02', ring: 'all' },
    { name: 'db01', ring: 'databases' },
    { name: 'db02', ring: 'databases' },
  ]
  expect(placeHosts([{ name: 'canary' }, { name: 'rest' }], hosts, NOBODY)).toEqual({
    rings: [
      { name: 'canary', to: ['ring.canary'], hosts: 1 },
      { name: 'rest', to: ['ring.all', 'ring.databases'], hosts: 3 },
    ],
    empty: [],
  })
})

test('an assignment of its own counts before that of its ring', () => {
  const hosts = [
    { name: 'web01', ring: 'all' },
    { name: 'web02', ring: 'all' },
  ]
  const { rings } = placeHosts([{ name: 'all' }], hosts, new Set(['web02']))
  expect(rings).toEqual([{ name: 'all', to: ['host.web02', 'ring.all'], hosts: 2 }])
})

test('a share takes at least one, and each by its own address', () => {
  const hosts = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ name, ring: 'all' }))
  const { rings } = placeHosts([{ name: 'canary', percent: 1 }, { name: 'rest' }], hosts, NOBODY)
  // Of the SHA-256 of a to e that of d is the lowest: 18ac3e73…
  expect(rings).toEqual([
    { name: 'canary', to: ['host.d'], hosts: 1 },
    { name: 'rest', to: ['ring.all'], hosts: 4 },
  ])
})

test('an empty named ring is reported, and an empty share is left out', () => {
  const hosts = [{ name: 'a', ring: 'all' }]
  const shares = [{ name: 'canry' }, { name: 'early', percent: 10 }, { name: 'late', percent: 10 }, { name: 'rest' }]
  expect(placeHosts(shares, hosts, NOBODY)).toEqual({
    rings: [{ name: 'early', to: ['host.a'], hosts: 1 }],
    empty: ['canry'],
  })
})

const names = uniqueArray(stringMatching(/^[a-z][a-z0-9]{0,6}$/), { minLength: 1, maxLength: 60 })

test('every host is in one ring, independent of the order of hosts', () => {
  assert(
    property(names, integer({ min: 1, max: 50 }), integer({ min: 1, max: 50 }), (all, first, second) => {
      const hosts = all.map((name, at) => ({ name, ring: at % 5 === 0 ? 'canary' : 'all' }))
      const shares = [{ name: 'canary', percent: first }, { name: 'early', percent: second }, { name: 'rest' }]
      const { rings } = placeHosts(shares, hosts, NOBODY)
      expect(rings.reduce((sum, ring) => sum + ring.hosts, 0)).toBe(hosts.length)
      const find = createRingFinder(rings.flatMap(({ name, to }) => to.map((each) => ({ name, to: each }))))
      const placed = new Map(rings.map(({ name }) => [name, 0]))
      for (const host of hosts) {
        const name = find(host)?.name ?? 'nowhere'
        placed.set(name, (placed.get(name) ?? 0) + 1)
      }
      expect([...placed]).toEqual(rings.map(({ name, hosts: count }) => [name, count]))
      expect(placeHosts(shares, hosts.toReversed(), NOBODY)).toEqual({ rings, empty: [] as string[] })
    }),
  )
})
