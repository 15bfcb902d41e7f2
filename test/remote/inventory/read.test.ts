import { expect, test } from 'vitest'
import { assignmentsOf, parseAssignment, valueOfText } from '../../../src/policy/data/assignment.ts'
import { mergeLayers } from '../../../src/policy/data/merge.ts'
import { chooseTargets } from '../../../src/remote/inventory/choose.ts'
import type { Inventory } from '../../../src/remote/inventory/inventory.ts'
import { readInventory } from '../../../src/remote/inventory/read.ts'
import { fromPlain, toPlain } from '../../../src/templates/govalue/index.ts'

const SITE = `
x-note: free
targets:
  - { name: web01, target: "ssh:web01", labels: { role: web, rack: 7 }, data: { port: 81, tls: { min: "1.3" } } }
  - name: web02
    target: ssh:web02
    labels: { role: web }
  - { name: db01, target: "ssh:web02" }
groups:
  all: { targets: [web01, web02, db01], labels: { site: fra, role: any }, data: { port: 80, tls: { on: true } } }
  east: { targets: [db01], labels: { site: waw } }
`

function read(text: string): Inventory {
  const found = readInventory('site.yaml', text, complain)
  if (!found.ok) throw new Error(JSON.stringify(found.problems))
  return found.value
}

function complain(spec: string): string | undefined {
  return spec.startsWith('ssh:') ? undefined : 'must be ssh:HOST'
}

test('an inventory names targets, and its groups say what several have in common', () => {
  const { targets, groups } = read(SITE)
  expect(
    targets.map(({ name, spec, labels, data, position }) => [
      name,
      spec,
      labels,
      toPlain(mergeLayers(data)),
      `${position.line}:${position.column}`,
    ]),
  ).toEqual([
    ['web01', 'ssh:web01', { site: 'fra', role: 'web', rack: '7' }, { port: 81, tls: { on: true, min: '1.3' } }, '4:5'],
    ['web02', 'ssh:web02', { site: 'fra', role: 'web' }, { port: 80, tls: { on: true } }, '5:5'],
    ['db01', 'ssh:web02', { site: 'waw', role: 'any' }, { port: 80, tls: { on: true } }, '8:5'],
  ])
  expect([...groups.keys()]).toEqual(['all', 'east'])
})

const WEB = 'targets:\n  - { name: web01, target: "ssh:a" }\n'

test.each([
  ['- web01\n', 1, 1, 'an inventory must be a map with the key "targets"'],
  ['', 1, 1, 'the inventory is empty'],
  ['groups: {}\n', 1, 1, 'targets must be a non-empty list'],
  ['targets: []\n', 1, 10, 'targets must be a non-empty list'],
  ['targets:\n', 1, 9, 'targets must be a non-empty list'],
  [`${WEB}group: {}\n`, 3, 1, 'unknown key "group", did you mean "groups"?'],
  [
    'targets:\n  - web01\n',
    2,
    5,
    'a target must be a map with "name" and "target", such as { name: web01, target: ssh:web01 }',
  ],
  ['targets:\n  - { name: a, target: "shh:a" }\n', 2, 24, 'target must be ssh:HOST'],
  ['targets:\n  - { name: a, target: "ssh:a", label: {} }\n', 2, 33, 'unknown key "label", did you mean "labels"?'],
  [`${WEB}  - { name: web01, target: "ssh:b" }\n`, 3, 5, 'target "web01" is already in the inventory'],
  ['targets:\n  - { name: a, target: "ssh:a", labels: { b: [x] } }\n', 2, 46, 'label b must be a string'],
  ['targets:\n  - { name: a, target: "ssh:a", data: [x] }\n', 2, 39, 'data must be a map'],
  [
    'targets:\n  - { name: a, target: "ssh:a", data: { "b=c": 1 } }\n',
    2,
    41,
    '"b=c" cannot be a key of data: remove = and \\',
  ],
  [`${WEB}groups: [a]\n`, 3, 9, 'groups must be a map from their names'],
  [`${WEB}groups:\n  web: { targets: [web1] }\n`, 4, 20, 'no target "web1", did you mean "web01"?'],
  [`${WEB}groups:\n  web: { labels: {} }\n`, 4, 8, 'targets of a group must be a list of names'],
  [`${WEB}groups:\n  web01: { targets: [] }\n`, 4, 3, '"web01" is already a target: rename the group'],
  [
    `${WEB}groups:\n  "w*": { targets: [] }\n`,
    4,
    3,
    '"w*" is not a valid name: it must start with a letter, digit or _, followed by these and . : @ -',
  ],
])('a mistake has a place: %j', (text, line, column, message) => {
  expect(readInventory('site.yaml', text, complain)).toMatchObject({
    ok: false,
    problems: [{ message, position: { file: 'site.yaml', line, column } }],
  })
})

test.each([
  [[], ['web01', 'web02', 'db01']],
  [['web02'], ['web02']],
  [
    ['db*', 'web01'],
    ['web01', 'db01'],
  ],
  [['east'], ['db01']],
  [['role=web'], ['web01', 'web02']],
  [['site=[fw]*'], ['web01', 'web02', 'db01']],
  [['!web02'], ['web01', 'db01']],
  [['!east', '!web01'], ['web02']],
  [['all', '!role=web'], ['db01']],
  [['! web0[12]', 'db01', 'web01'], ['db01']],
])('%j takes %j', (selectors, names) => {
  const chosen = chooseTargets(read(SITE), selectors)
  expect(chosen.kind === 'chosen' && chosen.targets.map(({ name }) => name)).toEqual(names)
})

test.each([
  ['web03', '"web03" names no target, did you mean "web01"?'],
  ['eats', '"eats" names no target, did you mean "east"?'],
  ['role=wbe', '"role=wbe" names no target, did you mean "role=web"?'],
  ['toString=*', '"toString=*" names no target'],
  ['!web03', '"web03" names no target, did you mean "web01"?'],
  ['!web*', '"web01,!web*" matches no target'],
  ['[a', '"[a" is not a pattern: unclosed [ or \\'],
])('an unmatched selector is refused, beside a matched one: %j', (selector, message) => {
  expect(chooseTargets(read(SITE), ['web01', selector])).toEqual({ kind: 'refused', message })
})

test('data goes as assignments to where driftgate is carried, and means the same there', () => {
  const plain = {
    'a.b': 'yes',
    text: 'one: two\n# three\n',
    number: 1.5,
    big: 9_007_199_254_740_993n,
    list: [1, 'x', null, true, { 'c.d': '0o7' }],
    empty: {},
    none: null,
    '..': '<<',
  }
  const data = fromPlain(plain)
  if (!(data instanceof Map)) throw new Error('a map stays one')
  const there = assignmentsOf([{ origin: 'here', data, merge: 'deep' }]).map((argument) => {
    const parsed = parseAssignment(argument)
    return 'path' in parsed ? [parsed.path, valueOfText(parsed.text)] : parsed
  })
  expect(there).toEqual(Object.entries(plain).map(([key, value]) => [[key], { value: fromPlain(value) }]))
})
