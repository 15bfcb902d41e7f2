import { expect, test } from 'vitest'
import { readRoster } from '../../src/fleet/roster.ts'

const HOUR = 3_600_000

test('a roster names hosts, how often they report, what they are, and since when they are gone', () => {
  const text = `
interval: 1h
policies: { site: 1d, old: retired }
x-note: free
hosts:
  - web01
  - name: web02
    interval: 15m
    labels: { role: web, rack: 7 }
  - { name: web03, retired: 2026-11-01 }
`
  const read = readRoster('hosts.yaml', text)
  if (!read.ok) throw new Error(JSON.stringify(read.problems))
  expect(read.value.intervalMs).toBe(HOUR)
  expect([...read.value.policies]).toEqual([
    ['site', 24 * HOUR],
    ['old', 'retired'],
  ])
  expect([...read.value.hosts.values()]).toEqual([
    { name: 'web01', labels: {} },
    { name: 'web02', intervalMs: HOUR / 4, labels: { role: 'web', rack: '7' } },
    { name: 'web03', labels: {}, retired: '2026-11-01' },
  ])
})

test.each([
  ['- web01\n', 1, 1, 'a roster must be a map with the key "hosts"'],
  ['interval: 1h\n', 1, 1, 'hosts must be a list: the hosts that should report'],
  ['hosts: web01\n', 1, 8, 'hosts must be a list: the hosts that should report'],
  ['hosts: []\nintervall: 1h\n', 2, 1, 'unknown key "intervall", did you mean "interval"?'],
  ['hosts: []\ninterval: soon\n', 2, 11, 'interval must be a duration such as 15m, 1h or 1d'],
  ['hosts: []\ninterval: 0\n', 2, 11, 'interval must be a duration such as 15m, 1h or 1d'],
  ['hosts:\n  - 5\n', 2, 5, 'a host must be a name, or a map with "name"'],
  ['hosts:\n  - { interval: 1h }\n', 2, 5, 'a host must be a name, or a map with "name"'],
  ['hosts:\n  - web01\n  - web01\n', 3, 5, 'host "web01" is already in the roster'],
  ['hosts:\n  - { name: a, labels: [x] }\n', 2, 24, 'labels must be a map of texts'],
  ['hosts:\n  - { name: a, labels: { b: [x] } }\n', 2, 29, 'label b must be a string'],
  ['hosts:\n  - { name: a, lables: { b: x } }\n', 2, 16, 'unknown key "lables", did you mean "labels"?'],
  [
    'hosts:\n  - { name: a, retired: 2026-02-30 }\n',
    2,
    25,
    'retired must be the date since when the host is not expected: February 2026 has 28 days',
  ],
  [
    'hosts:\n  - { name: a, former: UABC }\n',
    2,
    24,
    'former must be a list of the public keys that the host had before',
  ],
  [
    'hosts:\n  - { name: a, replaced: UABC }\n',
    2,
    26,
    'replaced must be a list of the public keys that the host had before',
  ],
  ['hosts:\n  - { name: a, next: UABC }\n', 2, 22, 'next must be the public key that replaces the key'],
  [
    'hosts:\n  - { name: a, former: [UABC] }\n',
    2,
    24,
    'former must be a list of the public keys that the host had before',
  ],
  [
    'hosts: []\npolicies: []\n',
    2,
    11,
    'policies must be a map from their ids to intervals such as 1d, or to "retired"',
  ],
])('%j is refused at its place', (text, line, column, message) => {
  const read = readRoster('hosts.yaml', text)
  expect(read).toMatchObject({ ok: false, problems: [{ message, position: { file: 'hosts.yaml', line, column } }] })
})

test('invalid YAML is refused, too', () => {
  expect(readRoster('hosts.yaml', 'hosts: [')).toMatchObject({ ok: false, problems: [{ severity: 'error' }] })
})
