import fc from 'fast-check'
import { expect, test } from 'vitest'
import { json } from '../../../src/settings/formats/json.ts'
import { yaml } from '../../../src/settings/formats/yaml.ts'
import type { Edited, Format } from '../../../src/settings/formats/format.ts'
import { cases } from '../../support/soak.ts'
import '../../support/seed.ts'

function set(format: Format, text: string, key: string, value: string): string | Extract<Edited, { kind: 'refused' }> {
  const path = format.keyOf?.(key) ?? key
  const edited = format.set(text, { section: '', key: path, which: 'last', isSame: (found) => found.key === path }, [
    value,
  ])
  return edited.kind === 'edited' ? edited.text : edited
}

function values(format: Format, text: string): Readonly<Record<string, string>> | string {
  const read = format.parse(text, '/f')
  return read.kind === 'unknown' ? read.detail : Object.fromEntries(read.value.map(({ key, value }) => [key, value]))
}

const key = fc.constantFrom('a', 'b', 'c-d', 'e_f')
const scalar = fc.oneof(
  fc.integer(),
  fc.boolean(),
  fc.constantFrom('', 'x', '5', 'true', 'a "b"', 'ü', 'a\nb', 'x: y', '# z'),
)
const data = fc.dictionary(
  key,
  fc.oneof(scalar, fc.dictionary(key, scalar, { maxKeys: 3 }), fc.array(fc.integer(), { maxLength: 3 })),
  { minKeys: 1, maxKeys: 4 },
)

test('one value of JSON is changed, and no other character', () => {
  fc.assert(
    fc.property(
      data,
      fc.constantFrom(0, 2, '\t'),
      fc.constantFrom('7', 'new', 'false', 'q "r"'),
      (object, indent, value) => {
        const text = JSON.stringify(object, null, indent)
        for (const [name, old] of Object.entries(object)) {
          if (typeof old === 'object') continue
          const edited = set(json, text, `/${name}`, value)
          const isText = typeof old === 'string' || !['7', 'false'].includes(value)
          expect(edited).toBe(JSON.stringify({ ...object, [name]: isText ? value : JSON.parse(value) }, null, indent))
        }
      },
    ),
    { numRuns: cases({ usual: 500, soak: 10_000 }) },
  )
})

test('values of JSON are those that JavaScript reads', () => {
  fc.assert(
    fc.property(data, (object) => {
      const found = values(json, JSON.stringify(object, null, 2))
      for (const [name, value] of Object.entries(object)) {
        if (Array.isArray(value)) expect(found).toMatchObject({ [`/${name}`]: value.join(' ') })
        else if (typeof value !== 'object') expect(found).toMatchObject({ [`/${name}`]: String(value) })
      }
    }),
    { numRuns: cases({ usual: 500, soak: 10_000 }) },
  )
})

test.each<[string, Format, text: string, key: string, value: string, expected: string]>([
  [
    'comments, quotes and order stay',
    yaml,
    '# head\na:\n  b: "x"   # why\n  c: 1\n',
    'a.b',
    'y',
    '# head\na:\n  b: "y"   # why\n  c: 1\n',
  ],
  ['text stays text', yaml, "a: '5'\n", 'a', '7', "a: '7'\n"],
  ['a plain text is quoted where it would be something else', yaml, 'a: x\n', 'a', 'true', 'a: "true"\n'],
  ['a number stays one', yaml, 'a: 5 # x\n', 'a', '7', 'a: 7 # x\n'],
  ['of a flow', yaml, 'a: { b: [1, 2], c: no } # x\n', '/a/c', 'z', 'a: { b: [1, 2], c: z } # x\n'],
  [
    'a missing key is added without changes to the rest',
    yaml,
    '# x\na:\n  b: 1\n',
    'a.c',
    'true',
    '# x\na:\n  b: 1\n  c: true\n',
  ],
  ['a file that is empty', yaml, '', 'a.b', 'x', 'a:\n  b: x\n'],
  [
    'JSON that is indented',
    json,
    '{\n    "a": 1\n}\n',
    'b.c',
    '2',
    '{\n    "a": 1,\n    "b": {\n        "c": 2\n    }\n}\n',
  ],
  ['JSON that is empty', json, '', 'a', 'x', '{\n  "a": "x"\n}\n'],
])('%s', (_title, format, ...[text, name, value, expected]) => {
  expect(set(format, text, name, value)).toBe(expected)
})

test.each<[string, Format, text: string, key: string]>([
  ['the rest would be written anew', yaml, 'a:   1\n', 'b'],
  ['the rest would be written anew', json, '{"a":1}\n', 'b'],
  ['a value stands where a map has to', json, '{\n  "a": 1\n}\n', 'a.b'],
  ['it is a list', json, '{"a": [1]}', 'a'],
  ['it is a list', yaml, 'a: [1]\n', 'a'],
  ['it stands in several lines', yaml, 'a: |\n  x\n', 'a'],
  ['a value stands where a map has to', yaml, 'a: 1\n', 'a.b'],
  ['nothing is read', yaml, 'a: [\n', 'b'],
])('a change is refused: %s', (_title, format, text, name) => {
  expect(set(format, text, name, 'x')).toMatchObject({ kind: 'refused' })
})

test.each<[Format, string, RegExp]>([
  [json, "{'a': 1}", /invalid JSON/],
  [json, '{"a": {"b": 1, "\\u0062": 2}}', /duplicate key \/a\/b/],
  [json, `${'['.repeat(100_000)}${']'.repeat(100_000)}`, /nested/],
  [yaml, 'a: 1\na: 2\n', /unique/],
  [yaml, 'a: 1\n---\nb: 1\n', /several documents/],
])('%# an invalid document is unknown', (format, text, expected) => {
  expect(values(format, text)).toMatch(expected)
})

test('aliases and merge keys are unclear', () => {
  const read = yaml.parse('a: &x { b: 1 }\nc: *x\nd:\n  <<: *x\n', '/f')
  expect(read).toMatchObject({
    value: [
      { key: '/a/b', value: '1' },
      { key: '/c', unclear: expect.any(String) },
      { key: '/d', unclear: expect.any(String) },
    ],
  })
})
