import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toml } from '../../../src/settings/formats/toml.ts'
import { properties } from '../../../src/settings/formats/properties.ts'
import { cannotAsk, named } from '../../support/surface-oracle.ts'

const line = fc.tuple(
  fc.constantFrom('', '  '),
  fc.constantFrom('a', 'b-c', 'D_1'),
  fc.constantFrom(' = ', '=', '   ='),
  fc.constantFrom('"x"', "'y # z'", '5', 'true', '"a \\"b\\" \\u00e9"', '[1, 2]', '["p", \'q\']', '[]', '1.5', '"#"'),
  fc.constantFrom('', ' # why', '\t'),
)
const table = fc.tuple(
  fc.constantFrom('[t]', '[t.u] # x', ' [v] ', '# c'),
  fc.uniqueArray(line, { selector: ([, key]) => key, maxLength: 3 }),
)
const text = fc
  .uniqueArray(table, { selector: ([head]) => head, minLength: 1, maxLength: 4 })
  .map((tables) => tables.map(([head, lines]) => [head, ...lines.map((parts) => parts.join(''))].join('\n')).join('\n'))

const PYTHON = `
import json, sys, tomllib
def shown(value):
    if isinstance(value, list): return ' '.join(shown(item) for item in value)
    return {True: 'true', False: 'false'}[value] if isinstance(value, bool) else str(value)
def flat(data, path):
    found = {}
    for key, value in data.items():
        if isinstance(value, dict): found.update(flat(value, path + [key]))
        else: found['.'.join(path) + ':' + key] = shown(value)
    return found
def read(text):
    try: return flat(tomllib.loads(text), [])
    except tomllib.TOMLDecodeError: return None
print(json.dumps([read(text) for text in json.load(sys.stdin)]))`

const needs = cannotAsk(['python3'])

test.skipIf(needs)(named('values of TOML are those that Python reads, before and after a change', needs), () => {
  const texts = sample(text, { usual: 500, soak: 10_000 })
  const changed = texts.map((each) => {
    const place = {
      section: 't',
      key: 'a',
      which: 'last',
      isSame: ({ section, key }: { section: string; key: string }) => section === 't' && key === 'a',
    } as const
    const edited = toml.set(each, place, ['new "value"'])
    return edited.kind === 'edited' ? edited.text : ''
  })
  const [before, after] = [texts, changed].map(
    (each) =>
      JSON.parse(execFileSync('python3', ['-c', PYTHON], { input: JSON.stringify(each), encoding: 'utf8' })) as (Record<
        string,
        string
      > | null)[],
  )
  const wrong = texts.flatMap((each, index): unknown[] => {
    const truth = before?.[index]
    // Where a table stands twice, or a key and a table have one name, there is nothing to compare with.
    if (truth === null || truth === undefined) return []
    const read = toml.parse(each, '/f')
    const ours =
      read.kind === 'known'
        ? Object.fromEntries(read.value.map(({ section, key, value }) => [`${section}:${key}`, value]))
        : {}
    const expected = { ...truth, 't:a': 'new "value"' }
    return sorted(ours) === sorted(truth) && sorted(after?.[index] ?? {}) === sorted(expected)
      ? []
      : [{ each, ours, truth, changed: changed[index] }]
  })
  expectAgreement({ reader: 'TOML', program: 'python3', texts: texts.length }, wrong)
  expect(before?.filter((truth) => truth !== null).length).toBeGreaterThan(200)
})

function sorted(found: Readonly<Record<string, string>>): string {
  return JSON.stringify(Object.entries(found).toSorted(([left], [right]) => (left < right ? -1 : 1)))
}

test('array tables, inline tables, dotted keys and lists of several lines are unclear', () => {
  const read = toml.parse('[[b]]\nc = { d = 1 }\ne.f = 2\ng = [\n  1,\n]\n', '/f')
  expect(read.kind === 'known' && read.value.every(({ unclear }) => unclear !== undefined)).toBe(true)
  expect(toml.parse('a = """\nx = 1\n"""\n', '/f')).toMatchObject({ kind: 'unknown' })
})

// java.util.Properties.load.
test('properties of Java', () => {
  const read = properties.parse('# c\n! d\na=1\nb : 2 \n c 3\nd = x\\\n   y\ne\nf=\\u0041\nrealm\\:admin=1\n', '/f')
  expect(
    read.kind === 'known' && read.value.map(({ key, value, unclear }) => [key, unclear === undefined ? value : '?']),
  ).toEqual([
    ['a', '1'],
    ['b', '2 '],
    ['c', '3'],
    ['d', 'xy'],
    ['e', ''],
    ['f', '?'],
    ['realm:admin', '1'],
  ])
})
import { expectAgreement } from '../../support/proof.ts'
import { sample } from '../../support/soak.ts'
