import { Ajv } from 'ajv'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { readWaivers } from '../../../src/policy/waivers/read.ts'
import { waiversSchema } from '../../../src/policy/waivers/schema.ts'

const validate = new Ajv({ allowUnionTypes: true }).compile(waiversSchema())

const REST = 'reason: known, approver: Ada, expires: 2026-12-31'

test.each([
  [true, 'waivers: []'],
  [true, '{ waivers: [], x-owner: ops }'],
  [false, '{}'],
  [false, '[]'],
  [false, 'waivers: {}'],
  [false, '{ waivers: [], waiver: [] }'],
  [true, `waivers: [{ id: 9.10, control: 9.10, ${REST} }]`],
  [true, `waivers: [{ id: a, resource: 'file#/x', property: mode, value: 0644, ${REST}, x-why: y }]`],
  [true, `waivers: [{ id: a, resource: '*#/x', host: web*, ticket: 7, created: 2026-11-01, ${REST} }]`],
  [false, `waivers: [{ id: a, ${REST} }]`],
  [false, `waivers: [{ id: a, resource: 'file#/x', control: b, ${REST} }]`],
  [false, `waivers: [{ id: a, resource: 'file#/x', value: 1, ${REST} }]`],
  [false, `waivers: [{ id: a, resource: /x, ${REST} }]`],
  [false, `waivers: [{ id: a, control: 'file#/x', ${REST} }]`],
  [false, `waivers: [{ id: '', control: b, ${REST} }]`],
  [false, `waivers: [{ id: a, control: b, run: false, ${REST} }]`],
  [false, `waivers: [{ control: b, ${REST} }]`],
  [false, 'waivers: [{ id: a, control: b, reason: known, expires: 2026-12-31 }]'],
  [false, 'waivers: [{ id: a, control: b, reason: known, approver: Ada }]'],
  [false, 'waivers: [{ id: a, control: b, approver: Ada, expires: 2026-12-31 }]'],
  [false, 'waivers: [{ id: a, control: b, reason: known, approver: Ada, expires: never }]'],
])('the schema and the reader agree on %s: %s', (isSound, text) => {
  expect(validate(parse(text))).toBe(isSound)
  const bytes = new TextEncoder().encode(text)
  expect(readWaivers([{ file: 'w.yaml', bytes }], { today: '2026-11-20' }).ok).toBe(isSound)
})
