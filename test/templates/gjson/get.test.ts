import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { asString, exists, getJson } from '../../../src/templates/gjson/index.ts'
import { cases } from '../../support/soak.ts'

const host = `{
  "name": "web01", "fq.dn": "web01.example.org", "cpus": 8, "load": 0.5, "swap": null, "@x": "at", "ключ": "ü",
  "disks": [
    {"dev": "sda", "size": 100, "ssd": true, "parts": ["sda1", "sda2"]},
    {"dev": "sdb", "size": 250, "ssd": false, "parts": []},
    {"dev": "nvme0", "size": 1000, "ssd": true}
  ],
  "labels": {"tier": "front", "zone": "eu", "a|b": 1}, "ports": [80, 443, "ssh"]
}`

// Every expectation was given by gjson v1.20.0 for the same document and path; null means that nothing was found.
const paths: [path: string, raw: string | null][] = [
  ['name', '"web01"'],
  ['fq\\.dn', '"web01.example.org"'],
  ['fq.dn', null],
  ['ключ', '"ü"'],
  ['', null],
  ['swap', 'null'],
  ['swap.x', null],
  ['cpus.x', null],
  ['disks.1.dev', '"sdb"'],
  ['disks.9', null],
  ['disks.dev', null],
  ['disks.-1', null],
  ['disks.#', '3'],
  ['labels.#', null],
  ['na*', '"web01"'],
  ['l??d', '0.5'],
  ['labels.*', '"front"'],
  ['*.zone', '"eu"'],
  ['labels.a\\|b', '1'],
  ['disks.#.dev', '["sda","sdb","nvme0"]'],
  ['disks.#.parts.#', '[2,0]'],
  ['disks.#.missing', '[]'],
  ['disks.#(dev="sdb").size', '250'],
  ['disks.#(dev=="sdb").size', '250'],
  ['disks.#(size>100)#.dev', '["sdb","nvme0"]'],
  ['disks.#(size>100)#.dev|0', '"sdb"'],
  ['disks.#(size>100)#|#', '2'],
  ['disks.#(size>100)#.0', '[]'],
  ['disks.#(size>9000)#', '[]'],
  ['disks.#(size>9000)', null],
  ['disks.#(dev%"sd*")#.dev', '["sda","sdb"]'],
  ['disks.#(dev!%"sd*").dev', '"nvme0"'],
  ['disks.#(dev<"sda").dev', '"nvme0"'],
  ['disks.#(dev>="sda")#.dev', '["sda","sdb"]'],
  ['disks.#(ssd=true)#.size', '[100,1000]'],
  ['disks.#(ssd!=true).dev', '"sdb"'],
  ['disks.#(ssd>false).dev', '"sda"'],
  ['disks.#(parts.#(=="sda2")).dev', '"sda"'],
  ['disks.#(parts)#.dev', '["sda","sdb"]'],
  ['disks.#(parts=~null).dev', '"nvme0"'],
  ['disks.#(ssd=~true)#|#', '2'],
  ['disks.#(ssd=~false).dev', '"sdb"'],
  ['disks.#(ssd=~*)#|#', '3'],
  ['disks.#[size=250].dev', '"sdb"'],
  ['disks.#( size = 250 ).dev', '"sdb"'],
  ['ports.#(>80)', '443'],
  ['ports.#(="ssh")', '"ssh"'],
  ['ports.#(%"s*")#', '["ssh"]'],
  ['ports.#(<=80)#', '[80]'],
  ['ports.#(!=80)#', '[443,"ssh"]'],
  ['ports.#(=abc)', null],
  ['disks.#(size>100', null],
  ['name|@this', '"web01"'],
  ['ports|1', '443'],
  ['ports.@reverse', '["ssh",443,80]'],
  ['labels.@reverse', '{"a|b":1,"zone":"eu","tier":"front"}'],
  ['labels.@keys', '["tier","zone","a|b"]'],
  ['labels.@values', '["front","eu",1]'],
  ['missing|@keys', '[]'],
  ['missing.x|@keys', null],
  ['disks.#.parts|@flatten', '["sda1", "sda2"]'],
  ['labels.@tostr', String.raw`"{\"tier\": \"front\", \"zone\": \"eu\", \"a|b\": 1}"`],
  ['labels.@tostr.@fromstr.zone', '"eu"'],
  ['labels.@ugly', '{"tier":"front","zone":"eu","a|b":1}'],
  ['labels.@valid.zone', '"eu"'],
  ['@dig:size', '[100,250,1000]'],
  ['{"a":disks.#.dev,"b":disks.#.size}.@group.0', '{"a":"sda","b":100}'],
  ['[{"a":cpus},labels].@join.zone', '"eu"'],
  ['[!{"a":1},!{"a":2,"b":3}].@join', '{"a":2,"b":3}'],
  ['[!{"a":1},!{"a":2}].@join:{"preserve":true}', '{"a":1,"a":2}'],
  ['[![1,[2,[3]]],!4].@flatten:{"deep":true}', '[1,2,3,4]'],
  ['@x', '"at"'],
  ['labels.@nope', null],
  ['[name,cpus,missing]', '["web01",8]'],
  ['{name,cpus,"z":labels.zone,missing}', '{"name":"web01","cpus":8,"z":"eu"}'],
  ['{disks.#,labels.zone}', '{"_":3,"zone":"eu"}'],
  ['disks.#.{dev,size}|1', '{"dev":"sdb","size":250}'],
  ['labels.[zone,tier]', '["eu","front"]'],
  ['[name', null],
  ['!true', 'true'],
  ['!"x"', '"x"'],
  ['{name,"kind":!"host"}.kind', '"host"'],
  ['..#', '1'],
  ['..0.name', '"web01"'],
]

test.each(paths)('the path %s', (path, raw) => {
  const result = getJson(host, path)
  expect(exists(result) ? result.raw : null).toBe(raw)
})

test('JSON lines are the elements of one array', () => {
  const lines = '{"n":1}\n{"n":2}\n[3]'
  expect(getJson(lines, '..#').raw).toBe('3')
  expect(getJson(lines, '..#.n').raw).toBe('[1,2]')
  expect(getJson(lines, '..1.n').raw).toBe('2')
})

test('the first of duplicate keys that leads somewhere counts', () => {
  expect(getJson('{"a":{"x":1},"a":{"y":2}}', 'a.y').raw).toBe('2')
  expect(getJson('{"a":1,"a":2}', 'a').raw).toBe('1')
})

test('strings are decoded', () => {
  expect(asString(getJson(String.raw`{"a":"x\n\u00e9\ud83d\ude00\/"}`, 'a'))).toBe('x\né😀/')
  expect(asString(getJson(String.raw`{"k\u0031":"v"}`, 'k1'))).toBe('v')
  expect(asString(getJson(String.raw`{"a":"\ud83d!"}`, 'a'))).toBe('\ufffd!')
})

const key = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 })
const tree = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.string({ unit: 'grapheme' }),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(key, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
})).value

type Step = string | number

function* places(value: unknown, steps: readonly Step[] = []): Generator<[readonly Step[], unknown]> {
  yield [steps, value]
  if (typeof value !== 'object' || value === null) return
  const members: [Step, unknown][] = Array.isArray(value) ? [...value.entries()] : Object.entries(value)
  for (const [step, member] of members) yield* places(member, [...steps, step])
}

const escapePath = (steps: readonly Step[]): string =>
  steps.map((step) => String(step).replaceAll(/[^\p{L}\p{N}]/gu, String.raw`\$&`)).join('.')

test('the path of every place in a document finds the value there', () => {
  fc.assert(
    fc.property(fc.dictionary(key, tree, { noNullPrototype: true }), fc.boolean(), (document, pretty) => {
      const json = JSON.stringify(document, undefined, pretty ? 2 : undefined)
      const plain: unknown = JSON.parse(json)
      for (const [steps, value] of places(plain)) {
        if (steps.length === 0) continue
        const result = getJson(json, escapePath(steps))
        expect(JSON.parse(result.raw)).toEqual(value)
      }
    }),
  )
})

test('text that is no key finds nothing', () => {
  fc.assert(
    fc.property(fc.dictionary(key, tree, { noNullPrototype: true }), key, (document, name) => {
      fc.pre(!Object.hasOwn(document, name))
      expect(exists(getJson(JSON.stringify(document), escapePath([name])))).toBe(false)
    }),
  )
})

describe('hostile input', () => {
  const punctuation = fc.constantFrom(
    '.',
    '|',
    '#',
    '(',
    ')',
    '[',
    ']',
    '{',
    '}',
    '"',
    '\\',
    '*',
    '?',
    '@',
    '!',
    ':',
    ',',
  )
  const word = fc.constantFrom(
    'a',
    'b',
    '0',
    '=',
    '~',
    '%',
    ' ',
    'keys',
    'pretty',
    'flatten',
    'dig',
    '1e5',
    'true',
    'ü',
  )
  const noise = fc.array(fc.oneof(punctuation, word), { maxLength: 30 }).map((parts) => parts.join(''))

  test('no path and no document makes it throw', () => {
    fc.assert(
      fc.property(noise, noise, (json, path) => {
        getJson(json, path)
        getJson(host, path)
        getJson(json, `@pretty|${path}`)
      }),
      { numRuns: cases({ usual: 300, soak: 20_000 }) },
    )
  })

  test.each([
    ['doubling multipaths', '{}', `[@this,@this]${'|[@this,@this]'.repeat(60)}`],
    ['nested multipaths', '{}', '[@this,@this.'.repeat(3000) + ']'.repeat(3000)],
    ['nested digging', `{"a":${'[1,'.repeat(300)}1${']'.repeat(300)}}`, '@dig:'.repeat(20)],
    ['long chains', `[${'1,'.repeat(10_000)}1]`, '@reverse|'.repeat(20_000)],
    ['deep documents', '{"a":'.repeat(5000) + '1' + '}'.repeat(5000), `${'a.'.repeat(4999)}a`],
    ['deep documents in modifiers', '['.repeat(5000) + ']'.repeat(5000), '@flatten:{"deep":true}'],
  ])('%s are given up', (_name, json, path) => {
    const result = getJson(json, path)
    expect(result.exhausted).toBe(true)
    expect(exists(result)).toBe(false)
  })

  test('a wildcard that backtracks everywhere is answered', () => {
    const json = JSON.stringify({ ['a'.repeat(20_000)]: 1 })
    expect(exists(getJson(json, `${'*a'.repeat(50)}*b`))).toBe(false)
    expect(exists(getJson(json, `${'*a'.repeat(50)}*`))).toBe(true)
  })

  test('an ordinary search in a large document is not given up', () => {
    const json = JSON.stringify({ list: Array.from({ length: 50_000 }, (_, n) => ({ n, tags: ['x', `t${n}`] })) })
    expect(getJson(json, 'list.#(tags.#(="t49999")).n').raw).toBe('49999')
  })
})
