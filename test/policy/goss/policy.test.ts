import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadPolicy, type LoadPolicyOptions } from '../../../src/policy/load.ts'
import { scan } from '../../../src/engine/local.ts'
import { runInProcess } from '../../support/command-line.ts'
import { put } from '../../support/contract.ts'
import { temporaryDirectory } from '../../support/temporary.ts'

interface Loaded {
  readonly names: readonly string[]
  /** `file:line message`, warnings behind errors. */
  readonly problems: readonly string[]
}

async function load(files: Readonly<Record<string, string>>, options: LoadPolicyOptions = {}): Promise<Loaded> {
  const directory = temporaryDirectory()
  put(directory, files)
  const [first = ''] = Object.keys(files)
  const loaded = await loadPolicy(join(directory, first), options)
  const told = (loaded.ok ? loaded.warnings : loaded.problems).map(({ position, message }) => {
    const place = position === undefined ? '' : `${position.file}:${position.line} `
    return `${place}${message}`.replaceAll(`${directory}/`, '')
  })
  const names = loaded.ok ? loaded.value.flatMap(({ resources }) => resources.map(({ name }) => name)) : []
  return { names, problems: told }
}

const says = (key: string, content = key): string => `matching: {${key}: {content: ${content}, matches: ${content}}}\n`

describe('a file of Goss', () => {
  test.each([
    ['by what stands in it', { 'a.yaml': says('x') }],
    ['as JSON', { 'a.json': JSON.stringify({ matching: { x: { content: 'x', matches: 'x' } } }, undefined, 2) }],
    [
      'by its name, though it is all template',
      { 'web.goss.yaml': '{{ printf "%s" "matching: {x: {content: 1, matches: 1}}" }}\n' },
    ],
    ['behind a template', { 'a.yaml': `{{ if true }}\n${says('x')}{{ end }}\n` }],
  ])('is recognised %s', async (_, files) => {
    expect(await load(files)).toEqual({ names: ['matching:x'], problems: [] })
  })

  test('that asks for nothing is refused, as a mistake', async () => {
    const { problems } = await load({ 'goss.yaml': '{{ if false }}matching: {}{{ end }}\n' })
    expect(problems).toEqual(['goss.yaml (rendered):1 this Goss file has no checks, so nothing would be evaluated'])
  })

  test('is no policy with another name', async () => {
    const { problems } = await load({ 'goss.yaml': 'ccm: {resources: [exec: [x: {}]]}\n' })
    expect(problems.join()).not.toMatch(/Goss/)
  })
})

describe('includes', () => {
  test('come after the including file, by the order of their names, and relative to it', async () => {
    const { names, problems } = await load({
      'goss.yaml': `gossfile: {z.yaml: {}, label: {file: sub/*.yaml}, gone.yaml: {skip: true}}\n${says('own')}`,
      'z.yaml': says('z'),
      'sub/b.yaml': says('b'),
      'sub/a.yaml': `gossfile: {../deep.yaml: {}}\n${says('a')}`,
      'deep.yaml': says('deep'),
    })
    expect(names.map((name) => name.replace('matching:', ''))).toEqual(['own', 'a', 'deep', 'b', 'z'])
    expect(problems).toEqual([])
  })

  test('take the place of what came before, and say so', async () => {
    const loaded = await load({ 'goss.yaml': `gossfile: {a.yaml: {}}\n${says('x', '1')}`, 'a.yaml': says('x', '2') })
    expect(loaded).toEqual({
      names: ['matching:x'],
      problems: ['a.yaml:1 matching:x replaces the one at goss.yaml:2 entirely'],
    })
  })

  test.each<[string, Readonly<Record<string, string>>, string]>([
    [
      'of a missing file',
      { 'goss.yaml': 'gossfile: {a.yaml: {}}' },
      'goss.yaml:1 gossfile: a.yaml: cannot be read: no such file or directory',
    ],
    [
      'without a matching file',
      { 'goss.yaml': 'gossfile: {"a*.yaml": {}}' },
      'goss.yaml:1 gossfile: a*.yaml: no file matches',
    ],
  ])('%s', async (_, files, problem) => {
    expect((await load(files)).problems[0]).toBe(problem)
  })

  test.each<[string, string, string]>([
    [
      'in a circle',
      'gossfile: {./goss.yaml: {}}',
      'a.yaml:1:12 gossfile: ./goss.yaml: includes itself: goss.yaml -> a.yaml -> goss.yaml',
    ],
    ['with a mistake', `fil: {}\n${says('lost')}`, 'a.yaml:1:1 fil: Goss has no such type, did you mean "file"?'],
    ['with a broken template', '{{ nope }}', 'a.yaml:1:4 template: a.yaml:1: function "nope" not defined'],
  ])('%s are an error of that file, and the rest is scanned', async (_, text, message) => {
    const directory = temporaryDirectory()
    put(directory, {
      'goss.yaml': `gossfile: {a.yaml: {}, b.yaml: {}}\n${says('own')}`,
      'a.yaml': text,
      'b.yaml': says('other'),
    })
    const loaded = await loadPolicy(join(directory, 'goss.yaml'))
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems))
    const { policies, exit } = await scan(loaded.value)
    expect(policies[0]?.resources).toMatchObject([
      { id: 'goss#matching:own', verdict: 'compliant' },
      { id: 'goss#matching:other', verdict: 'compliant' },
      { id: expect.stringMatching(/^goss#gossfile:.*a\.yaml$/), verdict: 'error' },
    ])
    const [, , broken] = policies[0]?.resources ?? []
    expect(JSON.stringify(broken).replaceAll(`${directory}/`, '').replaceAll('\\"', '"')).toContain(message)
    expect(exit.code).toBe(3)
    const validated = await runInProcess('validate', join(directory, 'goss.yaml'))
    expect(validated.code).toBe(1)
    expect(validated.stderr).toContain('a.yaml:1:')
  })

  test.each<[string, (path: string) => void, string]>([
    ['are directories', (path) => mkdirSync(path), 'cannot be read: it is a directory'],
    ['are devices', (path) => symlinkSync('/dev/zero', path), 'cannot be read'],
    ['are not UTF-8', (path) => writeFileSync(path, Buffer.of(0x61, 0xe9)), 'is not valid UTF-8'],
  ])('that %s are an error of that include, and the rest is scanned', async (_, make, reason) => {
    const directory = temporaryDirectory()
    put(directory, {
      'goss.yaml': `gossfile: {deep.yaml: {}, 'parts/*.yaml': {}}\n${says('own')}`,
      'deep.yaml': `gossfile: {bad.yaml: {}}\n${says('deep')}`,
      'parts/b.yaml': says('b'),
    })
    for (const name of ['bad.yaml', 'parts/a.yaml']) make(join(directory, name))
    const loaded = await loadPolicy(join(directory, 'goss.yaml'))
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems))
    const { policies, exit } = await scan(loaded.value)
    expect(policies[0]?.resources).toMatchObject([
      ...['own', 'deep', 'b'].map((name) => ({ id: `goss#matching:${name}`, verdict: 'compliant' })),
      {
        id: `goss#gossfile:${directory}/bad.yaml`,
        verdict: 'error',
        message: expect.stringContaining(`deep.yaml:1:12 gossfile: bad.yaml: ${reason}`),
        source: { file: `${directory}/deep.yaml`, line: 1 },
      },
      {
        id: `goss#gossfile:${directory}/parts/a.yaml`,
        verdict: 'error',
        message: expect.stringContaining(`goss.yaml:1:27 gossfile: parts/*.yaml: ${reason}`),
      },
    ])
    expect(exit.code).toBe(3)
    const validated = await runInProcess('validate', join(directory, 'goss.yaml'))
    expect([validated.code, validated.stderr]).toEqual([1, expect.stringContaining(reason)])
  })

  test('of a policy of others stay beside it', async () => {
    const directory = temporaryDirectory()
    put(directory, { 'own/goss.yaml': 'gossfile: {../other.yaml: {}}\n', 'other.yaml': says('x') })
    const loaded = await loadPolicy(join(directory, 'own/goss.yaml'), { untrusted: true })
    expect(loaded.ok ? [] : loaded.problems.map(({ message }) => message)).toEqual([
      "gossfile: ../other.yaml: is outside the policy's directory, to which --untrusted confines it",
    ])
  })
})

describe('templates', () => {
  const rendered = async (template: string, options: LoadPolicyOptions = {}): Promise<Loaded> => {
    const text = `matching:\n  '${template}': {content: 1, matches: 1}\n`
    return load({ 'goss.yaml': text, 'b.txt': ' read \n' }, { environ: { HERE: 'there', EMPTY: '' }, ...options })
  }

  // The second column is what `goss render` 0.4.9 makes of the first.
  test.each([
    ['{{ .Vars.a.b }}', '1'],
    ['{{ .Env.HERE }}', 'there'],
    ['{{ getEnv "HERE" }} {{ getEnv "EMPTY" "or" }} {{ getEnv "NOT" "or" }}', 'there or or'],
    ['{{ range mkSlice "a" "b" }}{{ . }},{{ end }}', 'a,b,'],
    ['{{ toUpper "a" }}{{ toLower "B" }}', 'Ab'],
    ['{{ regexMatch "^a+$" "aaa" }} {{ regexMatch "b" "aaa" }}', 'true false'],
    ['{{ get (findStringSubmatch "(a)(b)" "xab") "2" }}', 'b'],
    ['{{ (findStringSubmatch "(?P<one>a)" "xab").one }}', 'a'],
    ['{{ trimSuffix "b" "ab" }}', 'a'],
    ['{{ index .Vars "none" }}', '<no value>'],
  ])('%s', async (template, expected) => {
    const { names, problems } = await rendered(template, { varsInline: '{a: {b: 1}}' })
    expect([names, problems]).toEqual([[`matching:${expected}`], []])
  })

  test('read files beside the document', async () => {
    expect((await rendered('{{ readFile "b.txt" }}')).names).toEqual(['matching:read'])
  })

  test.each([
    ['{{ .Vars.none }}', 'map has no entry for key "none"'],
    ['{{ .Env.NONE }}', 'map has no entry for key "NONE"'],
    ['{{ .Vars.none | default "x" }}', 'map has no entry for key "none"'],
    ['{{ readFile "none" }}', 'none cannot be read'],
    ['{{ nope }}', 'function "nope" not defined'],
  ])('%s is a mistake', async (template, message) => {
    const { problems } = await rendered(template)
    expect(problems).toEqual([expect.stringMatching(/^goss\.yaml:2 /)])
    expect(problems[0]).toContain(message)
  })

  test('of others see no variables of the environment', async () => {
    expect((await rendered('{{ getEnv "HERE" }}', { untrusted: true })).problems[0]).toContain('--untrusted')
    expect((await rendered('{{ .Env.HERE }}', { untrusted: true })).problems[0]).toContain('no entry for key "Env"')
  })
})

test('variables of later files win, empty ones do not, and inline ones replace', async () => {
  const directory = temporaryDirectory()
  put(directory, {
    '1.yaml': '{map: {a: 1, b: 2}, list: [1, 2], flag: true, top: {x: 1, y: 1}}',
    '2.json': '{"map": {"b": 3}, "list": [3], "flag": false, "new": ""}',
  })
  const { names } = await load(
    { 'goss.yaml': 'matching:\n  \'{{ .Vars | toJson | replace "\\"" "" }}\': {content: 1, matches: 1}\n' },
    { vars: [join(directory, '1.yaml'), join(directory, '2.json')], varsInline: 'top: {x: 2}' },
  )
  expect(names).toEqual(['matching:{flag:true,list:[3],map:{a:1,b:3},new:,top:{x:2}}'])
})

// As yaml.v3 merges them; a loop over nothing would ask for nothing.
test.each([['vars'], ['varsInline']] as const)('merge keys of variables (%s) are merged', async (option) => {
  const text = 'a: &a {one: 1, two: 1}\nb: &b {two: 2}\nall: {<<: [*b, *a], three: 3}\nquoted: {"<<": 1}\n'
  const directory = temporaryDirectory()
  put(directory, { 'v.yaml': text })
  const { names, problems } = await load(
    {
      'goss.yaml':
        'matching:\n  \'{{ pick .Vars "all" "quoted" | toJson | replace "\\"" "" }}\': {content: 1, matches: 1}\n',
    },
    option === 'vars' ? { vars: [join(directory, 'v.yaml')] } : { varsInline: text },
  )
  expect([names, problems]).toEqual([['matching:{all:{one:1,three:3,two:2},quoted:{\\u003c\\u003c:1}}'], []])
})

test('a skipped test is not applicable', async () => {
  const directory = temporaryDirectory()
  put(directory, {
    'goss.yaml': 'matching: {a: {content: 1, matches: 1}, b: {content: 1, matches: 2, skip: true, title: later}}\n',
  })
  const loaded = await loadPolicy(join(directory, 'goss.yaml'))
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems))
  const run = await scan(loaded.value)
  expect(run.policies[0]?.resources).toMatchObject([
    { id: 'goss#matching:a', verdict: 'compliant' },
    { id: 'goss#matching:b', alias: 'later', verdict: 'not-applicable', message: 'skip is true' },
  ])
  expect(run.exit.code).toBe(0)
})
