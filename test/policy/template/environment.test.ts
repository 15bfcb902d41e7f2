import { describe, expect, test } from 'vitest'
import { fromPlain, type GoValue } from '../../../src/templates/govalue/index.ts'
import {
  BudgetError,
  expandMatch,
  expandString,
  expandTyped,
  factsOfSource,
  factsOfString,
  TemplateEnvironment,
  TemplateError,
  type EnvironmentOptions,
  type JetRenderer,
  type ValueMap,
} from '../../../src/policy/template/index.ts'

const mapOf = (data: Record<string, unknown>): ValueMap => {
  const value = fromPlain(data)
  return value instanceof Map ? value : new Map()
}

const files = new Map([
  ['policies/motd.templ', 'Welcome to {{ Facts.host.name }}'],
  ['policies/port.templ', '{{ Data.port }}\n'],
  ['policies/loop.templ', "{{ template('loop.templ') }}"],
  ['policies/broken.templ', 'some text before {{ nope }}'],
  ['policies/list.jet', '[[ data.name ]]'],
])

const options: EnvironmentOptions = {
  facts: () => mapOf({ host: { name: 'web01', cpus: 4 }, evil: '{{ Data.secret }}' }),
  data: mapOf({ port: 8080, ratio: 1.5, list: [1, 2, 3], secret: 's3cret', none: null, 'a.b': 'dotted' }),
  environ: new Map([['HOME', '/root']]),
  workingDirectory: 'policies',
  readFile: (path) => {
    const text = files.get(path)
    if (text === undefined) throw new Error('no such file')
    return text
  },
}
const environment = new TemplateEnvironment(options)

const errorOf = (run: () => unknown): TemplateError => {
  try {
    run()
  } catch (error) {
    if (error instanceof TemplateError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

describe('the variables of expressions', () => {
  test.each<[string, GoValue]>([
    ['Data.port + 1', 8081n],
    ['Data.ratio * 2', 3],
    ['Facts.host.name', 'web01'],
    ['Data.missing', null],
    ['Data.none', null],
    ['Environ.HOME', '/root'],
    ['Environ.MISSING', ''],
    ['WorkingDir', 'policies'],
    ["lookup('data.port')", 8080n],
    [String.raw`lookup('data.a\\.b')`, 'dotted'],
    ["lookup('facts.host.cpus')", 4n],
    ["lookup('environ.HOME')", '/root'],
    ["lookup('data.list.#')", 3n],
    ["type(lookup('data.list')[0])", 'int'],
    ["lookup('data.missing', 'x')", 'x'],
    ["lookup('data.none', 'x')", null],
    ['map(Data.list, # * 2)', [2n, 4n, 6n]],
    ["file('port.templ')", '{{ Data.port }}\n'],
    ["template('motd.templ')", 'Welcome to web01'],
    ["template('port.templ')", 8080n],
    ["template('{{ Data.port }}')", 8080n],
    ["template('port {{ Data.port }}')", 'port 8080'],
  ])('%s', (source, value) => {
    expect(environment.evaluate(source)).toEqual(value)
  })
})

test.each([
  ['Facts.host.cpus > 2', true],
  ['Data.missing', false],
  ["lookup('data.none')", false],
  ["Facts.host.name matches '^web[0-9]+$'", true],
])('the condition %s is %s', (source, truth) => {
  expect(environment.evaluateCondition(source)).toBe(truth)
})

test('an expression that is not a condition is refused, before evaluation if its type is known', () => {
  expect(() => environment.evaluateCondition('Data.port')).toThrow(/invalid operation: bool\(int\)/)
  expect(() => environment.check('1 + 1', 'bool')).toThrow(/expected bool, but got int/)
  expect(() => environment.check('1 + 1', 'any')).not.toThrow()
})

test('the content of facts is not evaluated', () => {
  expect(expandString('{{ Facts.evil }}', environment)).toBe('{{ Data.secret }}')
  expect(expandTyped('{{ Facts.evil }}', environment)).toBe('{{ Data.secret }}')
})

describe('errors', () => {
  test('a mistake in an expression names the expression and its place in the string', () => {
    const error = errorOf(() => expandString('port: {{ Data.port nope }}', environment))
    expect(error.message).toMatch(/^expr compile error for 'Data.port nope': unexpected token Identifier/)
    // "port: {{ " has 9 characters, "Data.port " has 10.
    expect(error.offset).toBe(9 + 10)
  })

  test.each([
    ['facts.host', 'Facts'],
    ['data.port', 'Data'],
    ['environ.HOME', 'Environ'],
    ['lokup("x")', 'lookup'],
  ])('for %s, %s is suggested', (source, suggestion) => {
    expect(errorOf(() => environment.evaluate(source)).hint).toContain(suggestion)
  })

  test('a missing path is an error where the lookup stands', () => {
    const error = errorOf(() => expandString("a {{ 1 + lookup('data.nope') }}", environment))
    expect(error.message).toMatch(/^missing key 'data.nope' in environment/)
    expect(error.offset).toBe(9)
  })

  test('an error inside a nested template has the place of the call', () => {
    const error = errorOf(() => expandString("{{ 'x' + template('broken.templ') }}", environment))
    expect(error.message).toContain("expr compile error for 'nope': unknown name nope")
    expect(error.offset).toBe(9)
  })

  test('templates that include themselves come to an end', () => {
    expect(errorOf(() => environment.evaluate("template('loop.templ')"))).toBeInstanceOf(BudgetError)
  })

  test('after an error the environment goes on', () => {
    errorOf(() => environment.evaluate("template('loop.templ')"))
    expect(environment.evaluate("template('motd.templ')")).toBe('Welcome to web01')
  })

  test('all expressions of a string share one budget', () => {
    const costly = '{{ len(map(1..200000, #)) }}'
    expect(expandString(costly, environment)).toBe('200000')
    expect(errorOf(() => expandString(costly.repeat(20), environment))).toBeInstanceOf(BudgetError)
  })
})

describe('hierarchies', () => {
  const hierarchy = new TemplateEnvironment({
    ...options,
    data: new Map(),
    environ: new Map(),
    functions: 'lookup-only',
    onMissing: 'empty',
  })

  test('a level without a value does not match', () => {
    expect(expandMatch("role:{{ lookup('facts.role') }}", hierarchy)).toEqual({ text: 'role:', matched: false })
    expect(expandMatch("host:{{ lookup('facts.host.name') }}", hierarchy)).toEqual({
      text: 'host:web01',
      matched: true,
    })
    expect(expandMatch('env:${ Data.v }', hierarchy).matched).toBe(false)
  })

  test.each(['file', 'readFile', 'template', 'jet', 'kvGet', 'registrations'])('%s does not exist', (name) => {
    expect(() => hierarchy.evaluate(`${name}('x')`)).toThrow(`unknown name ${name}`)
  })
})

describe('facts', () => {
  const counting = (): { readonly environment: TemplateEnvironment; readonly count: () => number } => {
    let count = 0
    const facts = (): ValueMap => {
      count += 1
      return mapOf({ host: { name: 'web01' } })
    }
    return { environment: new TemplateEnvironment({ ...options, facts }), count: () => count }
  }

  test('are not gathered for templates that read none', () => {
    const { environment: lazy, count } = counting()
    expandString("{{ Data.port }} {{ lookup('data.port') }} {{ Environ.HOME }} {{ file('port.templ') }}", lazy)
    expect(count()).toBe(0)
  })

  test('are gathered once for templates that read some', () => {
    const { environment: lazy, count } = counting()
    for (const source of ['Facts.host', "lookup('facts.host')", "template('motd.templ')", 'len($env)'])
      lazy.evaluate(source)
    expect(count()).toBe(1)
  })

  test('that a string or a condition may read are known before evaluation', () => {
    expect(factsOfString('{{ Facts.host.name }} ${ lookup("facts.memory.total") }')).toEqual(
      new Set(['host', 'memory']),
    )
    expect(factsOfString('{{ Facts }}')).toBe('all')
    expect(factsOfString('plain $${ Facts.x }')).toEqual(new Set())
    expect(factsOfString('{{ broken + }}')).toEqual(new Set())
    expect(factsOfSource('Facts.cpu.count > 2')).toEqual(new Set(['cpu']))
  })
})

describe('Jet', () => {
  // Shows what a renderer is given.
  const jet: JetRenderer = (source, { delimiters, variables, functions, context }) =>
    [
      source,
      delimiters.join(' '),
      [...variables.keys()].join(),
      [...functions.keys()].toSorted().join(),
      context instanceof Map ? [...context.keys()].join() : '',
    ].join(';')
  const withJet = new TemplateEnvironment({ ...options, jet })
  const rest =
    'facts,Facts,data,Data,environ,Environ;file,fileExists,kvGet,lookup,readFile,registrations,template;Facts,Data,Environ,WorkingDir'

  test('gets the variables of the policy, its functions except itself, and the delimiters', () => {
    expect(withJet.evaluate("jet('x')")).toBe(`x;[[ ]];${rest}`)
    expect(withJet.evaluate("jet('list.jet', '<<', '>>')")).toBe(`[[ data.name ]];<< >>;${rest}`)
    expect(withJet.evaluate("template('list.jet')")).toBe(`[[ data.name ]];[[ ]];${rest}`)
  })

  test('says that it is missing where it is', () => {
    expect(() => environment.evaluate("jet('x')")).toThrow(/jet templates are not available/)
  })
})
