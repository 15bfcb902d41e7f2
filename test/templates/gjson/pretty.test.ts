import fc from 'fast-check'
import { expect, test } from 'vitest'
import { getJson } from '../../../src/templates/gjson/index.ts'

// Layouts printed by github.com/tidwall/pretty v1.2.0, which GJSON uses.
test.each([
  ['@pretty', '{"b":[1,2],"a":{}}', '{\n  "b": [1, 2],\n  "a": {}\n}\n'],
  ['@pretty:{"sortKeys":true}', '{"b":[1,2],"a":{}}', '{\n  "a": {},\n  "b": [1, 2]\n}\n'],
  ['@pretty', '[{"a":1},2]', '[\n  {\n    "a": 1\n  },\n  2\n]\n'],
  ['@pretty:{"width":8}', '[1,[22,33],4444]', '[\n  1,\n  [\n    22,\n    33\n  ],\n  4444\n]\n'],
  ['@pretty:{"width":0}', '[[],1]', '[\n  [],\n  1\n]\n'],
  ['@pretty:{"indent":"\\t"}', '{"a":{"b":null}}', '{\n\t"a": {\n\t\t"b": null\n\t}\n}\n'],
  ['@pretty:{"prefix":" "}', '{"a":true}', ' {\n   "a": true\n }\n'],
  ['@ugly', ' { "a" : [ 1 , " b \\" " ] } ', '{"a":[1," b \\" "]}'],
])('%s of %s', (path, json, text) => {
  // A result that is a container keeps everything behind it, so the text can be compared whole.
  expect(getJson(json, path).raw).toBe(text.trimStart())
})

test('a line fits exactly or is broken', () => {
  // The array starts in column 8 ("\n  "k": "), so 12 columns are left of 20.
  expect(getJson('{"k":[1234,5678]}', '@pretty:{"width":20}').raw).toContain('[1234, 5678]')
  expect(getJson('{"k":[1234,56789]}', '@pretty:{"width":20}').raw).not.toContain('[1234, 56789]')
})

test('laying out and packing keep the document', () => {
  fc.assert(
    fc.property(fc.json({ depthSize: 'medium' }), fc.integer({ min: -5, max: 100 }), (json, width) => {
      const pretty = getJson(json, `@pretty:{"width":${width}}`).raw
      const plain: unknown = JSON.parse(json)
      expect(JSON.parse(pretty)).toEqual(plain)
      expect(JSON.parse(getJson(pretty, '@ugly').raw)).toEqual(plain)
    }),
  )
})
