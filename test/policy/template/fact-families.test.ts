import { expect, test } from 'vitest'
import { parseExpression } from '../../../src/templates/expr/parser.ts'
import { factsOfExpression, factsOfPath, unionOfFacts } from '../../../src/policy/template/fact-families.ts'

const builtins = ['len', 'map', 'filter', 'get', 'keys']
const functions = ['lookup', 'template', 'jet', 'file', 'kvGet']
const factsOf = (source: string): unknown => {
  const names = {
    isBuiltin: (name: string) => builtins.includes(name),
    isOverridden: (n: string) => functions.includes(n),
  }
  const families = factsOfExpression(parseExpression(source, names))
  return families === 'all' ? 'all' : [...families].toSorted()
}

test.each<[string, unknown]>([
  ['1 + 2', []],
  ['Data.facts.host', []],
  ['Facts.host.info.platform', ['host']],
  ["Facts['host']", ['host']],
  ['Facts?.host?.info', ['host']],
  ['Facts.host.x == Facts.memory.total', ['host', 'memory']],
  ['len(Facts.cpu)', ['cpu']],
  ['filter(Facts.disks, .size > Facts.min.size)', ['disks', 'min']],
  ['let x = Facts.a; x ? [Facts.b] : {k: Facts.c}', ['a', 'b', 'c']],
  ['Facts.list[Facts.index:]', ['index', 'list']],
  ['not (Facts.a ?? Facts.b)', ['a', 'b']],
  ['Facts', 'all'],
  ['keys(Facts)', 'all'],
  ['Facts[Data.name]', 'all'],
  ['$env', 'all'],
  ["lookup('facts.host.name')", ['host']],
  ["lookup('facts.host.name', Facts.fallback)", ['fallback', 'host']],
  ["lookup('data.x')", []],
  ['lookup(Data.path)', 'all'],
  ["lookup('facts.' + Data.name)", 'all'],
  ["lookup('facts.*.x')", 'all'],
  ["template('{{ Facts.a }}')", 'all'],
  ["jet('x')", 'all'],
  ["file('x') + kvGet('a', Facts.b)", ['b']],
])('%s', (source, families) => {
  expect(factsOf(source)).toEqual(families)
})

test.each<[string, unknown]>([
  ['', []],
  ['data', []],
  ['environ.HOME', []],
  ['Facts.host', []],
  ['facts', 'all'],
  ['facts.host', ['host']],
  ['facts|host', ['host']],
  ['facts.host.#.x', ['host']],
  ['facts.*', 'all'],
  ['facts.ho?t', 'all'],
  ['facts.{a,b}', 'all'],
  ['facts.@keys', 'all'],
  ['facts.a\\.b', 'all'],
  ['@this.facts.host', 'all'],
  ['*.host', 'all'],
  ['{facts.host}', 'all'],
  ['..0', 'all'],
])('the path %j', (path, families) => {
  const found = factsOfPath(path)
  expect(found === 'all' ? found : [...found]).toEqual(families)
})

test('together, one that reads everything reads everything', () => {
  expect(unionOfFacts([new Set(['a']), new Set(['b'])])).toEqual(new Set(['a', 'b']))
  expect(unionOfFacts([new Set(['a']), 'all'])).toBe('all')
  expect(unionOfFacts([])).toEqual(new Set())
})
