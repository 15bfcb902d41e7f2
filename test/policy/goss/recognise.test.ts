import { expect, test } from 'vitest'
import { isGossFile } from '../../../src/policy/goss/recognise.ts'

test.each([
  ['on one line', undefined],
  ['with one blank', 1],
  ['with four blanks', 4],
  ['with tabs', '\t'],
])('a policy in JSON %s is no file of Goss, and one of Goss is', (_how, indent) => {
  const resources = [{ file: [{ '/etc/passwd': { ensure: 'present' } }] }]
  const first = { policy: { id: 'site' }, ccm: { resources } }
  const last = { 'x-note': { file: 1 }, ccm: { resources } }
  const goss = { file: { '/etc/passwd': { exists: true } } }
  const found = [first, last, goss].map((value) => isGossFile('site.json', JSON.stringify(value, undefined, indent)))
  expect(found).toEqual([false, false, true])
})

test('a template or YAML that is not valid JSON counts by its first key', () => {
  expect(isGossFile('a.yaml', '{{ if true }}\n{\n  "file": {{ toJson .Vars }}\n}\n{{ end }}')).toBe(true)
  expect(
    isGossFile('a.yaml', '{\n  policy: { id: a },\n  ccm: {\n    resources: [\n      {\n        "file": [] }]}}'),
  ).toBe(false)
})
