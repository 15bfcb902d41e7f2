import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { start } from '../support/driftgate.ts'
import { compile, installPacked } from '../support/packed.ts'
import { needsPrograms } from '../support/programs.ts'

// A program that has nothing but the package that npm would publish, and takes its template languages alone.
const missing = needsPrograms('npm', 'tar')
const project = mkdtempSync(join(realpathSync(tmpdir()), 'driftgate-templates-'))

// Go 1.19 with sprig 3.3, expr 1.17, gjson 1.19 and jet 6.3 give the values that `main.ts` is compared with.
const MAIN = `import {
  asUint, Budget, BudgetError, compileExpression, decodeGoJson, encodeGoJson, evaluateExpression, formatGoDuration, formatGoTime,
  formatGoValue, fromPlain, getJson, type GoFunction, type GoValue, goTypeName, parseGoDuration, parseGoTemplate, parseGoTime,
  renderGoTemplate, renderJet, stringMap, TemplateError, toPlain, typeOfValue,
} from 'driftgate/templates'

const twice: GoFunction = { kind: 'function', name: 'twice', call: ([value = null]) => [value, value] }
const go = (source: string, data: GoValue = null): string =>
  renderGoTemplate(parseGoTemplate(source, { name: 't', functions: [twice] }), data)
const expr = (source: string): unknown => {
  const variables = new Map<GoValue, GoValue>([['n', 7n], ['words', ['b', 'a']]])
  const environment = new Map([['n', typeOfValue(7n)], ['words', typeOfValue([])]])
  return toPlain(evaluateExpression(compileExpression(source, { environment }), { variables }))
}
const failure = (work: () => unknown): unknown => {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    return [error instanceof BudgetError, error.message.split('\\n')[0], error.offset, error.hint]
  }
}
console.log(JSON.stringify([
  go('{{ regexReplaceAll "a(x*)b" "-ab-axxb-" "\${1}W" }} {{ twice 1 }} {{ . }}', fromPlain({ b: [1, 2.5], a: null })),
  go('{{ printf "%05.1f %q %T" 3.14159 "é" 1 }} {{ .x }}', stringMap([['x', 'y']])),
  renderJet('{{ x := 7 }}{{ x }} {{ .name | upper }}', { context: fromPlain({ name: 'ann' }) }),
  expr('n / 2'), expr('sort(words)'), expr('"ab" matches "^a.$"'),
  getJson('{"a":[{"b":1},{"b":2}]}', 'a.#(b>1).b').raw, String(asUint(getJson('18446744073709551615', '@this'))),
  formatGoDuration(parseGoDuration('90m')), formatGoTime(parseGoTime('2024-02-29T12:00:00Z', '2006-01-02T15:04:05Z07:00'), 'Jan _2 15:04'),
  formatGoValue(decodeGoJson('{"z":1e3,"a":[true,null]}')), encodeGoJson(fromPlain({ '<': 1 })), goTypeName(1n),
  failure(() => go('{{ nope }}')), failure(() => go('{{ now }}')), failure(() => expr('wordz')),
  failure(() => renderJet('{{ range ints(0, 100000) }}x{{ end }}', { budget: new Budget({ steps: 100 }) })),
]))
`

beforeAll(() => {
  if (missing !== undefined) return
  installPacked(project)
  const compilerOptions = { module: 'node20', target: 'es2023', strict: true, types: ['node'], skipLibCheck: false }
  writeFileSync(join(project, 'package.json'), JSON.stringify({ type: 'module' }))
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['main.ts'] }))
  writeFileSync(join(project, 'main.ts'), MAIN)
}, 120_000)
afterAll(() => rmSync(project, { recursive: true, force: true }))

test.skipIf(missing)('the types are published, and the languages answer as the programs of Go', async () => {
  expect(compile(project)).toBe('')
  const { code, stdout, stderr } = await start(process.execPath, ['main.js'], { cwd: project }).outcome
  expect([code, stderr]).toEqual([0, ''])
  expect(JSON.parse(stdout)).toEqual([
    '-W-xxW- [1 1] map[a:<nil> b:[1 2.5]]',
    '003.1 "é" int y',
    '7 ANN',
    3.5,
    ['a', 'b'],
    true,
    '2',
    '18446744073709551615',
    '1h30m0s',
    'Feb 29 12:00',
    'map[a:[true <nil>] z:1000]',
    String.raw`{"\u003c":1}`,
    'int',
    [false, 'template: t:1: function "nope" not defined', 3, null],
    [false, expect.stringContaining('function "now" is not supported: '), 3, null],
    [false, 'unknown name wordz (1:1)', 0, 'did you mean "words"?'],
    [true, expect.stringContaining('more than 100 steps'), null, null],
  ])
})
