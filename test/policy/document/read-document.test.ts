import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sourceText } from '../../../src/policy/document/lines.ts'
import { readFast, readSlowly } from '../../../src/policy/document/read-document.ts'
import { cases } from '../../support/soak.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/** What is read fast is what the parser of all of YAML makes of it, offsets included, and nothing is wrong with it. */
function expectTheSame(text: string): void {
  const fast = readFast(text)
  if (fast === undefined) return
  expect(readSlowly(sourceText('p.yaml', text), 'policy')).toEqual({ root: fast, problems: [] })
}

const POLICIES = readdirSync(join(ROOT, 'policies'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.yaml'))
  .map((name) => join(ROOT, 'policies', name))

test.each(POLICIES)('%s', (file) => {
  const text = readFileSync(file, 'utf8')
  expectTheSame(text)
})

test('a policy of 100,000 files is read fast, in YAML and in JSON', () => {
  const names = Array.from({ length: 100_000 }, (_, index) => `/srv/${index}`)
  const lines = names.map(
    (name) => `- ${name}: { ensure: present, content: x, owner: root, group: root, mode: "0644" }`,
  )
  expect(readFast(`files:\n${lines.map((line) => `  ${line}\n`).join('')}`)).toBeDefined()
  const values = { ensure: 'present', content: 'x', owner: 'root', group: 'root', mode: '0644' }
  expect(readFast(JSON.stringify({ files: names.map((name) => ({ [name]: values })) }))).toBeDefined()
})

test('most policies that ship are read fast', () => {
  const fast = POLICIES.filter((file) => readFast(readFileSync(file, 'utf8')) !== undefined)
  expect(fast.length).toBeGreaterThan(POLICIES.length / 2)
})

test.each([
  'a: 1\n',
  'a b:c d: 1\ne f:\n  - g h: i\n',
  '---\na:\n- b\n- - c\n  - d: e\n',
  '# c\n\na: # c\n  b: |\n    x\n\n      y # no comment\n\n# c\n  c: |-\n   z\n',
  `a: 'it''s'\n"b": "\\"\\u00e9"\n`,
  '- {a: [1, b c, "d"], e: f#g}\n- /etc/x:\n- {}\n- [ ]\n',
  'a:\n',
  'port:x: a:b\nkey: [type#name, a:b]\n',
  '{"a": [1, -2.5e3, true, null, "\\\\\\""], "b": {}}',
  ' [\r\n]\n',
])('%j is read fast', (text) => {
  expect(readFast(text)).toBeDefined()
  expectTheSame(text)
})

test.each([
  '',
  'text\n',
  '"text"',
  'a: 1\na: 2\n',
  '{"a": 1, "a": 2}',
  '{"a": 1, "\\u0061": 2}',
  'a: &x 1\nb: *x\n',
  '<<: {a: 1}\n',
  'a: !t 1\n',
  'a: >\n  x\n',
  'a: b\n  c\n',
  'a: "b\n  c"\n',
  '"a\n  b": c\n',
  'a:\tb\n',
  'a: b\r\n',
  '? a\n: b\n',
  '- \n- a\n',
  'a: b: c\n',
  'a: - b\n',
  'a: [b,\n  c]\n',
  'a: [b, ]\n',
  'a: "b" c\n',
  'a: |\n  b',
  'a: |\n\n  b\n',
  'a: |+\n  b\n',
  'a: |\n   b\n  c\n',
  'a: 1\n b: 2\n',
  'a: 1\n---\nb: 2\n',
  'a: 1\n...\n',
  '%YAML 1.2\n---\na: 1\n',
  '{"a": 01}',
  '{"a": "b\n"}',
  "{'a': 1}",
  '{"a": 1} x',
  '[1,]',
  '{"a": 1} # c',
  `${'['.repeat(102)}${']'.repeat(102)}`,
])('%j is left to the parser', (text) => {
  expect(readFast(text)).toBeUndefined()
})

const PLAIN = [
  'a',
  '/etc/x',
  '0644',
  'null',
  '1.5',
  'a b',
  'true',
  'a#b',
  'a:b',
  "b's",
  '9007199254740993',
  '-x',
  '$x',
  '.5',
]
const QUOTED = [
  '"0644"',
  `'s'`,
  `'it''s'`,
  '"\\n"',
  '"\\x41"',
  '"\\/"',
  '""',
  '"a: b"',
  '"{{ x }}"',
  '"é"',
  '"\\"x\\\\"',
]
const FLOW = ['[a, b]', '{}', '[]', '{a: b}', '{ a: [1, "b"] }', `{if: a == 'b'}`, '[x#y]', '[{a: 1}, b]', '{a: b:c}']
const ODD =
  `~|+7|0x1F|0o17|1e3|.inf|-.INF|.nan|a: b|a #b|-|- a|?|[a, ]|{a}|{a: }|[a #b]|||||-|>|&x a|*x|!t a|"a|'a|@a|%a|{{ x }}|---|...|<<|a  b|
"a" "b"|a # c|[a] # c|# c|=|.|--a|1_000|[-1]|[-]|{"a":b}|{a:b}|[a: b]|["a"b]|[a'b]|a]|a}|a, b|[x, "y]"]|{a : b}|[a:]|{a: b#}|x:|"k": v|1:2|{"a": "b"}`.split(
    '|',
  )
const KEYS = ['a', 'b', '/etc/x', '"q"', "'s'", '0644', 'a:b', 'x#y', '"a\\u0041"', 'k.k']
const ODD_KEYS = ['a b', '~', '<<', '-k', '[k]', '{k}', 'a"b', '?', '', '"a" ', '&x a']
const ENDS = ['\n', ' \n', ' # c\n', '\n\n', '\n# z\n', '#no\n', '\r\n', '\t\n', '']

/** Picks one of these; one in thirty times one of those. */
type Pick = (usual: readonly string[], odd?: readonly string[]) => string

function block(pick: Pick, indent: number, depth: number): string {
  const pad = ' '.repeat(indent)
  const isMap = pick(['map', 'list']) === 'map'
  const one = (): string => {
    const head = isMap ? `${pad}${pick(KEYS, ODD_KEYS)}:` : `${pad}-`
    const above = pick(['', '', '', '', '', '', `${pad}# c\n`, '\n'], ['# c\n', `${pad}   # c\n`, '   \n'])
    const kind = pick(depth > 0 ? ['scalar', 'scalar', 'literal', 'block', 'inside'] : ['scalar'])
    if (kind === 'scalar')
      return above + head + pick([' '], ['', '  ']) + pick([...PLAIN, ...QUOTED, ...FLOW], ODD) + pick(['\n'], ENDS)
    const deeper = indent + Number(pick(['2', '2', '4'], ['0', '1']))
    if (kind === 'literal')
      return `${above}${head} ${pick(['|', '|-'], ['>', '|+', '|2', '|#c'])}\n${literal(pick, deeper)}`
    if (kind === 'inside' && !isMap) return `${above}${head} ${block(pick, indent + 2, depth - 1).trimStart()}`
    return above + head + pick(['\n'], ENDS) + block(pick, deeper, depth - 1)
  }
  return Array.from({ length: Number(pick(['1', '2', '3'])) }, one).join('')
}

function literal(pick: Pick, indent: number): string {
  const pad = ' '.repeat(indent)
  const one = (): string =>
    pick([`${pad}text: x`, `${pad}  deep`, '', `${pad}# c`, `${pad}- a `], [pad, `${pad} `, pad.slice(1) + 'x'])
  return `${pad}first\n${Array.from({ length: Number(pick(['0', '1', '3'])) }, one)
    .map((line) => `${line}\n`)
    .join('')}`
}

function json(pick: Pick, depth: number): string {
  const space = (): string => pick(['', ' ', '\n  '], ['\r\n', '\t', '\r', '#c\n'])
  const members = (one: () => string): string =>
    Array.from({ length: Number(pick(['0', '1', '2', '3'])) }, one).join(`${space()},${space()}`) + pick([''], [','])
  const kind = pick(depth > 0 ? ['scalar', 'map', 'list'] : ['scalar'])
  const key = (): string =>
    pick(['"a"', '"b"', '"c"', '"d"', '"e"', '"<<"', '"x\\"y"', '"__proto__"'], ['k', '"\\u0061"', "'a'"])
  if (kind === 'map')
    return `{${space()}${members(() => `${key()}${space()}:${space()}${json(pick, depth - 1)}`)}${space()}}`
  if (kind === 'list') return `[${space()}${members(() => json(pick, depth - 1))}${space()}]`
  return pick(
    [
      '1',
      '-1',
      '0',
      '-0',
      '1.50',
      '1e3',
      '-1E+2',
      '9007199254740993',
      'true',
      'false',
      'null',
      '"a"',
      '""',
      '"\\n"',
      '"\\\\"',
      '"\\\\\\""',
      '"\\ud83d\\ude00"',
      '"\\ud800"',
      '"é"',
      `"${'long '.repeat(20)}"`,
    ],
    [
      '01',
      'True',
      'nul',
      '"a\nb"',
      '"\\x41"',
      '"\t"',
      '.5',
      '+1',
      'NaN',
      '1.',
      '0x10',
      "'a'",
      '"\u2028"',
      '"\u007f"',
      '1e999',
    ],
  )
}

test.each([
  [
    'YAML',
    (pick: Pick) =>
      pick(['', '', '---\n'], ['--- \n', '# c\n---\n']) + block(pick, 0, 3) + pick([''], ['...\n', '---\n', 'x']),
  ],
  ['JSON', (pick: Pick) => pick(['', '\n']) + json(pick, 4) + pick(['', '\n'], ['x', ' # c'])],
])('generated %s is the same either way', (_title, make) => {
  let fast = 0
  const runs = cases({ usual: 300, soak: 15_000 })
  const property = fc.property(fc.gen(), (generate) => {
    const pick: Pick = (usual, odd = usual) =>
      generate(fc.constantFrom, ...(generate(fc.nat, { max: 29 }) === 0 ? odd : usual))
    const text = make(pick)
    if (readFast(text) !== undefined) fast++
    expectTheSame(text)
  })
  fc.assert(property, { numRuns: runs })
  // Or nothing was compared.
  expect(fast).toBeGreaterThan(runs / 20)
})
