import { describe, expect, test } from 'vitest'
import { TemplateError } from '../../../src/templates/errors.ts'
import { formatGoValue, fromPlain, isGoMap, type GoValue } from '../../../src/templates/govalue/index.ts'
import { parseGoTemplate, renderGoTemplate } from '../../../src/templates/gotemplate/index.ts'
import { TemplateEnvironment } from '../../../src/policy/template/index.ts'
import { renderJet } from '../../../src/templates/jet/index.ts'

const plain = fromPlain({ list: [3, 1], nothing: null, port: 80, tiny: 1e-7, name: 'web', map: { a: 1 } })
const data = isGoMap(plain) ? plain : new Map<GoValue, GoValue>()
const environment = new TemplateEnvironment({
  facts: () => new Map(),
  data,
  environ: new Map(),
  workingDirectory: '',
  readFile: () => '',
  jet: renderJet,
})

/** What is printed, or undefined where the template fails. */
function answer(run: () => string): string | undefined {
  try {
    return run()
  } catch (error) {
    if (error instanceof TemplateError) return undefined
    throw error
  }
}

// Answers of expr-lang 1.17.8.
test.each([
  ['{k: 1, k: 2}', 'map[k:1]'],
  [String.raw`"\udfff"`, '\ufffd'],
  ['float("2_500.5")', '2500.5'],
  ['get([1], "0")', undefined],
  ['get([1], 5)', '<nil>'],
  ['groupBy([1, 2], # > 1)[nil]', '[]'],
  ['groupBy([1, 2], #)[3]', '[]'],
  ['groupBy([1, 2], #)?.[3] ?? "none"', 'none'],
  ['concat([], []) ?? "none"', 'none'],
  ['concat([], []) == nil', 'true'],
  ['toJSON(concat([], []))', 'null'],
  ['Data.map[0]', undefined],
  ['0 in Data.map', undefined],
  ['groupBy(["x"], 1)[1]', '[x]'],
  ['fromPairs([[1, "one"]])[2]', '<nil>'],
  ['Data.port in ["a", "b"]', undefined],
  ['Data.port in ["a", 80]', 'true'],
  ['Data.nothing in ["a", "b"]', 'false'],
  ['Data.list | sort()[0]', undefined],
  ['(Data.list | sort())[0]', '1'],
  ['Data.nope?.list[0]', undefined],
  ['Data.nope?.list?.[0]', '<nil>'],
  ['sum([1, 2],)', undefined],
  ['map([1, 2], # + 1,)', '[2 3]'],
  ['sum(["a", "b", "c"])', 'abc'],
  ['sum(["a", 1])', undefined],
  ['max(duration("1h"), duration("90m"))', '1h30m0s'],
  ['10 ** 255', '1.0000000000000004e+255'],
  ['0.1 ** 10', '1.0000000000000011e-10'],
  ['7 ^ 1.5', '18.520259177452136'],
  ['2 ** -1074', '5e-324'],
  ['2 ** -1075', '0'],
  ['(-2) ** 3', '-8'],
  ['(-8) ** (1/3)', 'NaN'],
  ['2 ** 0.5', '1.4142135623730951'],
  ['2 ** 1024', '+Inf'],
  ['lookup("data.tiny")', '0'],
])('Expr: %s gives %s', (source, wanted) => {
  expect(answer(() => formatGoValue(environment.evaluate(source)))).toBe(wanted)
})

// Answers of jet 6.3.2.
test.each([
  ['[[ len(repeat("ab", 1000000)) ]]', '2000000'],
  ['[[ Data.port == 80.5 ]] [[ Data.port == 81.5 ]] [[ 80.5 == Data.port ]]', 'true false false'],
  ['[[ range slice(2000000, 1.5) ]][[ . ]] [[ end ]]', '2e+06 1.5 '],
  ['[[ if 0/-1 ]]true[[ else ]]false[[ end ]]', 'false'],
])('Jet: %s gives %s', (source, wanted) => {
  expect(answer(() => environment.renderJet(source, { left: '[[', right: ']]' }))).toBe(wanted)
})

describe('text/template with sprig 3.3, cast 1.10 and semver 3.5', () => {
  test.each([
    ['{{ int "22.04" }} {{ int "-1.7" }} {{ int ".5" }} {{ int "1.x" }} {{ int64 "2.0" }}', '22 -1 0 0 2'],
    ['{{ until (add 1 2) }}', undefined],
    ['{{ until (int (add 1 2)) }}', '[0 1 2]'],
    ['{{ range $i := add 1 1 }}{{ $i }} {{ end }}', '0 1 '],
    ['{{ index (list "a" "b") (sub 2 1) }}', 'b'],
    ['{{ has 3 (list (add 1 2)) }} {{ has 3 (list (int (add 1 2))) }}', 'false true'],
    ['{{ uniq (list 3 (add 1 2) (int64 3) 3) }} {{ without (list 1 2) (int64 1) }}', '[3 3] [1 2]'],
    ['{{ typeOf (add 1) }} {{ kindOf (max 1 2) }} {{ typeOf (int 1) }} {{ kindOf (len "a") }}', 'int64 int64 int int'],
    ['{{ deepEqual 1 (int64 1) }} {{ deepEqual (int64 1) (div 3 2) }} {{ eq 1 (int64 1) }}', 'false true true'],
    ['{{ lt 1 (int64 2) }} {{ if sub 1 1 }}yes{{ else }}no{{ end }}', 'true no'],
    ['{{ printf "%T %d %s %*d" (add 1) (add 2) (add 3) (add 4) 5 }}', 'int64 2 %!s(int64=3)    5'],
    ['{{ list (add 1) (dict "a" (add 2)) | toJson }} {{ add (add 1) 1.5 }}', '[1,{"a":2}] 2'],
    ['{{ lookup "data.port" | add 1 }} {{ .data.port | add 1 | printf "%v" }}', '81 81'],
    ['{{ duration 95 }} {{ duration "95" }} {{ duration (int64 95) }}', '0s 1m35s 1m35s'],
    ['{{ keys (split "," "a,b") }}', undefined],
    ['{{ (split "," "a,b")._1 }} {{ typeOf (split "," "") }}', 'b map[string]string'],
    ['{{ keys (semver "1.2.3") }}', undefined],
    ['{{ len (semver "1.2.3") }}', undefined],
    ['{{ keys .data.nothing }}', undefined],
    ['{{ keys .data.missing }}', '[]'],
    ['{{ rest list | toJson }} {{ initial list | toJson }} {{ rest (list 1) | toJson }}', 'null null []'],
    ['{{ regexFindAll "b" "a" -1 | toJson }} {{ regexSplit "b" "a" 0 | toJson }} {{ rest list }}', 'null null []'],
    ['{{ semverCompare "!=1.2.3" "1.4.0-rc.1" }} {{ semverCompare "!=1.2.3" "1.4.0" }}', 'false true'],
    ['{{ semverCompare ">=1.2.3-0" "1.4.0-rc.1" }} {{ semverCompare ">=1, <2.0.0-0" "1.4.0-rc.1" }}', 'true true'],
  ])('%s gives %s', (source, wanted) => {
    const functions = [...environment.allFunctions().values()]
    const run = (): string =>
      renderGoTemplate(parseGoTemplate(source, { name: 't', functions }), new Map([['data', data]]))
    expect(answer(run)).toBe(wanted)
  })
})
