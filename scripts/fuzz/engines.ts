import { expandTyped, TemplateEnvironment, TemplateError } from '../../src/policy/template/index.ts'
import { compileExpression, evaluateExpression, typeOfValue } from '../../src/templates/expr/index.ts'
import { getJson, toGoValue } from '../../src/templates/gjson/index.ts'
import {
  Budget,
  type BudgetLimits,
  formatGoValue,
  fromPlain,
  goTypeName,
  type GoFunction,
  type GoValue,
  isGoMap,
} from '../../src/templates/govalue/index.ts'
import { renderJet } from '../../src/templates/jet/index.ts'
import { type Grammar, makeInput, piecesOf } from './inputs.ts'
import type { Random } from './random.ts'

/** A template language that is run with random inputs. */
export interface FuzzEngine {
  readonly name: string
  readonly grammar: Grammar
  /** Evaluates an input. Throws for anything that is a defect; a template's own error is not one. */
  readonly run: (input: string, random: Random) => void
}

/** Small limits, so that a budget that does not hold shows at once. */
export const LIMITS: Partial<BudgetLimits> = {
  sourceLength: 200_000,
  steps: 20_000,
  elements: 20_000,
  textLength: 4_000_000,
  nesting: 20,
  outputLength: 50_000,
}

const DATA = fromPlain({
  n: 3,
  f: 2.5,
  s: 'héllo wörld',
  yes: true,
  nothing: null,
  list: [1, 'two', 3.5, null, [4]],
  nums: [5, 3, 9, 1],
  map: { a: 1, 'b-c': { d: [true] }, __proto__: 'own', constructor: 2 },
  people: [
    { name: 'Ann', age: 40 },
    { name: 'bob', age: 7 },
  ],
  port: 80,
  nested: { x: 'y' },
})
const VARIABLES: ReadonlyMap<GoValue, GoValue> = isGoMap(DATA) ? DATA : new Map()
const TYPES = new Map([...VARIABLES].map(([name, value]) => [formatGoValue(name), typeOfValue(value)]))
const ECHO: GoFunction = { kind: 'function', name: 'echo', call: ([value = null]) => value }

const EXPR_WORDS = `n f s yes nothing list nums map people port # .name .age #index #acc $env true false nil not in and or
  matches contains startsWith endsWith let if else ( ) [ ] { } , ; : . ?. ?? ? | || && ! == != < <= > >= .. + - * / % **
  ^ = 0 1 2 -1 0x1f 1_000 9223372036854775807 1.5 1e3 "a" 'b' \`c\` b"x" "\\n" "(a+)+$" all( any( one( none( map( filter(
  find( findIndex( findLast( groupBy( countBy( sortBy( reduce( sum( mean( median( min( max( len( type( int( float( string(
  abs( ceil( floor( round( trim( upper( lower( split( replace( repeat( join( indexOf( hasPrefix( toJSON( fromJSON(
  toBase64( fromBase64( toPairs( fromPairs( keys( values( sort( reverse( uniq( concat( flatten( take( first( last( now()
  duration( date( timezone( bitand( bitshl( echo( ::len( // /* */`

/** Expr, compiled with and without its checks. */
export const expr: FuzzEngine = {
  name: 'expr',
  grammar: {
    pieces: piecesOf(EXPR_WORDS),
    seeds: [
      'let x = n * 2; x > 4 ? map.a : list[0:2]',
      'filter(people, .age > 10 and .name matches "^A") | map(.name) | join(", ")',
      'reduce(1..n, #acc + # * #index, 0) ?? sum(nums)',
      'if s contains "lo" { upper(s) } else { s[1:-1] }',
      'map?.["b-c"].d[0] == true || not (n in nums) && !yes',
      'sortBy(people, .age, "desc")[0].name + string(f ** 2 % 1)',
      'date("2023-08-14T00:00:00Z") + duration("1h30m") - date("2023-08-14")',
      'toJSON({"a": [1, 2.5, nil], (s): fromJSON("[1]")})',
      'groupBy(1..20, # % 3) | keys() | sort() | first()',
      'nums | sort("desc") | take(2) | concat([1..3]) | flatten() | uniq()',
      'repeat("ab", n) | split("b") | len() /* comment */ // end',
      'findIndex(list, # == nil) + indexOf(s, "w") - count(nums, # > 2)',
    ],
  },
  run(input, random) {
    const options = {
      environment: TYPES,
      functionNames: new Set(['echo']),
      undefinedNames: random.pick(['error', 'nil'] as const),
      checks: random.pick(['types', 'types', 'none'] as const),
      result: random.pick(['any', 'any', 'bool'] as const),
      limits: LIMITS,
    }
    attempt(input, () => {
      const compiled = compileExpression(input, options)
      const budget = new Budget(LIMITS)
      const functions = new Map([['echo', ECHO]])
      const value = evaluateExpression(compiled, { variables: VARIABLES, functions }, budget)
      goTypeName(value)
      formatGoValue(value, new Budget(LIMITS))
    })
  },
}

const ENVIRONMENT = new TemplateEnvironment({
  facts: () => new Map([['host', VARIABLES]]),
  data: VARIABLES,
  environ: new Map([['HOME', '/root']]),
  workingDirectory: '/srv',
  readFile: (path) => {
    if (path.endsWith('gone')) throw new Error('no such file')
    return path.endsWith('.jet') ? '[[ .Data.n ]]' : "{{ template('self.templ') }} text"
  },
  jet: renderJet,
})

/** Whole strings with `{{ }}` and `${ }`, and the functions of policies. */
export const template: FuzzEngine = {
  name: 'template',
  grammar: {
    pieces: piecesOf(
      `{{ }} \${ } $\${ $ { } {{{ }}} " ' \` \\ Facts Data Environ WorkingDir .n .map .host.s lookup( readFile( template( jet(
       fileExists( kvGet( registrations( "data.n" 'facts.host.s' "data.people.#.name" "data.list|@reverse" "x" 1 , ) [ ] ?? ?. +`,
    ),
    seeds: [
      'port {{ Data.n + 1 }} of ${ Facts.host.s | upper() }',
      "{{ lookup('data.people.#(age>10).name', 'none') }} $${HOME} ${{ Data.f }}",
      "{{ jet('[[ .Data.s ]]') }}{{ template('a.templ') }}{{ template('b.jet') }}",
      '${ {"a": {"b": [Data.list]}}.a.b }',
      "{{ readFile('x') + file('gone') }} {{ fileExists('/etc') }}",
    ],
  },
  run: (input) => attempt(input, () => formatGoValue(expandTyped(input, ENVIRONMENT))),
}

const DOCUMENTS: readonly [string, ...string[]] = [
  '{"a":{"b":[1,2.5,{"c":null,"d.e":"x"}]},"people":[{"n":"Ann","age":40,"t":["x","y"]},{"n":"Bob","age":7}],"s":"h\\u00e9\\n"}',
  '[[1,[2]],{"a":true},"",-0.1e5,{}]',
  '{"a*b":1,"a":{"":{"x":9223372036854775807}},"\\u0000":"\\ud800"}',
  '"text"',
  ' { "broken" : [1, 2 , {"x": tru } , "open ',
]

/** GJSON paths on sound and broken documents. Nothing at all may be thrown. */
export const gjson: FuzzEngine = {
  name: 'gjson',
  grammar: {
    pieces: piecesOf(
      `a b c people n age . | # #. #( )# ) == != < <= > >= % !% * ? \\ \\. " "x" 0 1 -1 [ ] { } , : @reverse @keys @values @flatten
       @flatten:{"deep":true} @join @valid @pretty @ugly @this @tostr @fromstr @group @dig:n ~true ~null ! !"lit" .. s t`,
    ),
    seeds: [
      'people.#(age>10)#.n',
      'people.#.{n,"x":age}|@reverse|0',
      'a.b.#(d\\.e=="x").c',
      '{a.b.0,people.#,"k":s}',
      '[s,a.b.1]|@join',
      'people.#(t.#(=="x")).n|@tostr|@fromstr',
      '@this.@pretty:{"indent":"\\t","sortKeys":true}|@ugly',
      'a*.?.#',
      '..#(age%"4*").n',
    ],
  },
  run(input, random) {
    const document = random.below(3) === 0 ? cut(random.pick(DOCUMENTS), random) : random.pick(DOCUMENTS)
    const result = getJson(document, input)
    attempt(undefined, () => formatGoValue(toGoValue(result)))
  },
}

/** Jet with blocks, ranges, try and includes. */
export const jet: FuzzEngine = {
  name: 'jet',
  grammar: {
    pieces: piecesOf(
      `[[ ]] [[- -]] {* *} if else range end try catch block yield content include return extends import nil true not and or _
       . .port .nested.x data data.list data.missing x y e raw isset( len( ints( map( slice( json repeat( exec( b() b(a=1) 1 0
       -1 2.5 "s" \`r\` "other" ( ) [ ] , ; : := = == != < >= + - * / % ? | ! && || text "[[if " "[[end]]" "[[try]]"`,
    ),
    seeds: [
      '[[ x := data.port ]][[ if x > 80 && isset(data.list) ]]yes [[ x + 1 | json ]][[ else ]]no[[ end ]]',
      '[[ range i, v := data.list ]][[ i ]]=[[ v | upper | raw ]],[[ else ]]none[[ end ]]',
      '[[ block b(a=1, c="x") . ]][[ yield content ]][[ a ]][[ content ]]in[[ end ]][[ yield b(a=2) content ]]out[[ end ]]',
      '[[ try ]][[ include "other" .nested ]][[ nope ]][[ catch e ]][[ e.Error() ]][[ end ]][[ v, ok := data["port"] ]]',
      '[[- echo: 1, data.list[0:1] | repeat("ab", len(_)) -]] {* comment *} [[ return slice(1, map("a", nil)) ]]',
    ],
  },
  run(input) {
    attempt(input, () => {
      const text = renderJet(input, {
        delimiters: ['[[', ']]'],
        variables: new Map<string, GoValue>([['data', VARIABLES]]),
        context: VARIABLES,
        functions: new Map([['echo', ECHO]]),
        budget: new Budget(LIMITS),
        loader: (path) => (path === '/other' ? '[[ . ]][[ include "other" ]]' : undefined),
      })
      if (text.length > (LIMITS.outputLength ?? 0)) throw new Error(`the output has ${text.length} characters`)
    })
  },
}

/** The engines whose sources are always there. */
export const engines: readonly FuzzEngine[] = [expr, template, gjson, jet]

/** Runs an engine with inputs of a seed. An input that shows a defect is in the message of what is thrown. */
export function fuzz(engine: FuzzEngine, runs: number, random: Random, onSlow?: SlowListener): void {
  for (let run = 0; run < runs; run++) {
    const input = makeInput(engine.grammar, random)
    const start = performance.now()
    try {
      engine.run(input, random)
    } catch (error) {
      throw new Error(`${engine.name} fails with ${JSON.stringify(input)}`, { cause: error })
    }
    onSlow?.(input, performance.now() - start)
  }
}

/** Told how long every input took, in milliseconds. */
export type SlowListener = (input: string, elapsedMs: number) => void

/** Lets a template's own error pass, if its place is one in the input. */
function attempt(input: string | undefined, work: () => unknown): void {
  try {
    work()
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    const { offset } = error
    if (offset === undefined || input === undefined) return
    if (!Number.isInteger(offset) || offset < 0 || offset > input.length) {
      throw new Error(`the error is at ${offset} of ${input.length}: ${error.message}`, { cause: error })
    }
  }
}

function cut(text: string, random: Random): string {
  const at = random.below(text.length)
  return text.slice(0, at) + text.slice(at + random.below(4))
}
