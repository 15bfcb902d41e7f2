import { Ajv } from 'ajv'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { rosterSchema } from '../../src/fleet/roster-schema.ts'
import { readRoster } from '../../src/fleet/roster.ts'

const validate = new Ajv({ allowUnionTypes: true }).compile(rosterSchema())

test.each([
  [true, 'hosts: []'],
  [true, '{ interval: 1h30m, policies: { a: 1d, b: retired }, x-a: 1, hosts: [web01, { name: 7 }] }'],
  [true, 'hosts: [{ name: a, interval: 15m, labels: { rack: 7 }, retired: 2026-11-01, ring: canary, x-a: 1 }]'],
  [false, '{}'],
  [false, '[]'],
  [false, 'hosts: web01'],
  [false, 'hosts: [7]'],
  [false, 'hosts: [""]'],
  [false, 'hosts: [{ interval: 1h }]'],
  [false, 'hosts: [{ name: a, interval: soon }]'],
  [false, 'hosts: [{ name: a, retired: never }]'],
  [false, 'hosts: [{ name: a, ring: A_B }]'],
  [false, 'hosts: [{ name: a, key: UABC }]'],
  [false, 'hosts: [{ name: a, labels: { a: [] } }]'],
  [false, 'hosts: [{ name: a, lables: {} }]'],
  [false, '{ hosts: [], policies: [] }'],
  [false, '{ hosts: [], policies: { a: gone } }'],
  [false, '{ hosts: [], host: [] }'],
])('an editor says %s to what the reader does: %s', (isSound, text) => {
  expect(validate(parse(text))).toBe(isSound)
  expect(readRoster('hosts.yaml', text).ok).toBe(isSound)
})
