import { Ajv } from 'ajv'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { targetComplaint, targetSchema } from '../../../src/cli/options/target.ts'
import { readInventory } from '../../../src/remote/inventory/read.ts'
import { inventorySchema } from '../../../src/remote/inventory/schema.ts'

const schema = inventorySchema(targetSchema())
const validate = new Ajv({ allowUnionTypes: true }).compile(schema)

test.each([
  [true, 'targets: [{ name: a, target: "ssh:a" }]'],
  [true, 'targets: [{ name: 7, target: local, labels: { rack: 7, x: yes }, data: { port: [1] }, x-note: y }]'],
  [true, '{ targets: [{ name: a, target: "root:x" }], groups: { g: { targets: [a], labels: {}, data: {} } }, x-a: 1 }'],
  [false, '{}'],
  [false, '[]'],
  [false, 'targets: []'],
  [false, 'targets: [a]'],
  [false, 'targets: [{ name: a }]'],
  [false, 'targets: [{ target: local }]'],
  [false, 'targets: [{ name: "a*", target: local }]'],
  [false, 'targets: [{ name: a, target: "shh:a" }]'],
  [false, 'targets: [{ name: a, target: "local:a" }]'],
  [false, 'targets: [{ name: a, target: "ssh:" }]'],
  [false, 'targets: [{ name: a, target: local, label: {} }]'],
  [false, 'targets: [{ name: a, target: local, labels: { a: [x] } }]'],
  [false, 'targets: [{ name: a, target: local, data: { "a=b": 1 } }]'],
  [false, '{ targets: [{ name: a, target: local }], groups: [g] }'],
  [false, '{ targets: [{ name: a, target: local }], groups: { g: {} } }'],
  [false, '{ targets: [{ name: a, target: local }], groups: { "g,h": { targets: [a] } } }'],
  [false, '{ targets: [{ name: a, target: local }], group: {} }'],
])('an editor says %s to what the reader does: %s', (isSound, text) => {
  expect(validate(parse(text))).toBe(isSound)
  expect(readInventory('site.yaml', text, targetComplaint).ok).toBe(isSound)
})
