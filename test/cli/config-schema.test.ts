import { Ajv } from 'ajv'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { configSchema } from '../../src/cli/config/schema.ts'

const validate = new Ajv({ allowUnionTypes: true }).compile(configSchema())

test.each([
  [true, '{}'],
  [true, 'fail-on: high'],
  [false, 'fail-on: hgih'],
  [true, 'fix: true'],
  [false, 'fix: yes please'],
  [true, 'report: json=drift.json'],
  [true, 'report: [json=drift.json, junit]'],
  [false, 'report: [[json]]'],
  [true, 'out: true'],
  [true, 'out: reports'],
  [true, 'plugins: [./file-owner.js]'],
  [false, 'plugin: [./file-owner.js]'],
  [false, 'config: other.yaml'],
  [false, 'no-config: true'],
  [false, '- quiet'],
])('an editor says %s to %s', (isSound, text) => {
  expect(validate(parse(text))).toBe(isSound)
})
