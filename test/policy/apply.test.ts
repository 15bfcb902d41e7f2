import { filesIn } from '../support/bundles.ts'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Child, Policy } from '../../src/model/policy.ts'
import type { Problem } from '../../src/model/problem.ts'
import type { ResourceResult, Run } from '../../src/model/run.ts'
import { scan, type ScanOptions } from '../../src/engine/local.ts'
import { loadPolicy, type LoadPolicyOptions } from '../../src/policy/load.ts'

type Files = Readonly<Record<string, string>>

function loadIn(directory: string, options: LoadPolicyOptions = {}): ReturnType<typeof loadPolicy> {
  return loadPolicy(join(directory, 'main.yaml'), { environ: {}, ...options })
}

async function load(files: Files, options: LoadPolicyOptions = {}): Promise<Policy> {
  const loaded = await loadIn(filesIn(files), options)
  if (!loaded.ok) throw new Error(loaded.problems.map(({ message }) => message).join('\n'))
  const [policy] = loaded.value
  if (policy === undefined) throw new Error('there is no policy')
  return policy
}

/** The problems of `main.yaml` and everything below it, as `file:line:column message`, without the directory. */
async function problemsOf(files: Files, options: LoadPolicyOptions = {}): Promise<readonly string[]> {
  return problemsIn(filesIn(files), options)
}

async function problemsIn(directory: string, options: LoadPolicyOptions = {}): Promise<readonly string[]> {
  const loaded = await loadIn(directory, options)
  return (loaded.ok ? loaded.warnings : loaded.problems).map((problem) =>
    describe(problem).replaceAll(`${directory}/`, ''),
  )
}

function describe({ position, message }: Problem): string {
  return position === undefined ? message : `${position.file}:${position.line}:${position.column} ${message}`
}

async function audit(files: Files, options: LoadPolicyOptions & ScanOptions = {}): Promise<readonly ResourceResult[]> {
  return resultsOf(await scan(await load(files, options), options))
}

function resultsOf({ policies }: Run): readonly ResourceResult[] {
  return policies.flatMap(({ resources }) => resources)
}

function childOf(policy: Policy | undefined, id: string): Policy {
  const child: Child | undefined = policy?.children?.get(id)
  if (child?.kind !== 'loaded') throw new Error(`${id} is ${child?.kind ?? 'missing'}`)
  return child.policy
}

/** A policy that applies manifests, given as the lines of their bodies. */
function applying(...lines: readonly string[]): string {
  return ['ccm:', '  resources:', '    - apply:', ...lines.map((line) => `        ${line}`), ''].join('\n')
}

const LEAF = 'ccm: {resources: [{file: {name: /nowhere, ensure: absent}}]}\n'

test('a path starts from the directory of the manifest that names it, at every level', async () => {
  const policy = await load({
    'main.yaml': applying('- a/one.yaml:'),
    'a/one.yaml': applying('- b/two.yaml:', '- ../three.yaml:'),
    'a/b/two.yaml': LEAF,
    'three.yaml': LEAF,
  })
  const one = childOf(policy, 'apply#a/one.yaml')
  const two = childOf(one, 'apply#b/two.yaml')
  expect(two.workingDirectory).toBe(join(policy.workingDirectory, 'a/b'))
  const root = `${policy.workingDirectory}/`
  expect([one, two, childOf(one, 'apply#../three.yaml')].map(({ source }) => source.replace(root, ''))).toEqual([
    'a/one.yaml',
    'a/b/two.yaml',
    'three.yaml',
  ])
})

test('a source starts from the directory of its own manifest', async () => {
  const directory = filesIn({
    'main.yaml': applying('- sub/manifest.yaml:'),
    'sub/manifest.yaml':
      'ccm: {resources: [{file: {name: /nowhere, ensure: present, source: text, owner: root, group: root, mode: "0644"}}]}',
    'sub/text': 'below',
  })
  const loaded = await loadIn(directory)
  if (!loaded.ok) throw new Error('it is sound')
  const [, result] = resultsOf(await scan(loaded.value))
  expect(result).toMatchObject({ path: ['apply#sub/manifest.yaml'], verdict: 'drifted' })
  expect(result?.source.file).toBe(join(directory, 'sub/manifest.yaml'))
})

/** A manifest that says what it looks up: its only resource is named by it. */
function showing(expression: string, data = ''): string {
  return `${data}
ccm: {resources: [{file: {name: "/{{ ${expression} }}", ensure: absent}}]}
`
}

async function shown(files: Files, options: LoadPolicyOptions = {}): Promise<string | undefined> {
  return (await audit(files, options)).at(-1)?.name.slice(1)
}

test('a child without data of its own resource sees all data of the policy laid over its own', async () => {
  const files = {
    'main.yaml': `data: {list: [p], map: {p: 1, both: p}, word: parent}\n${applying('- child.yaml:')}`,
    'child.yaml': showing(
      "join(Data.list, '+') + ' ' + string(Data.map.p) + string(Data.map.c) + Data.map.both + ' ' + Data.word + Data.own",
      'data: {list: [c], map: {c: 2, both: c}, word: child, own: kept}',
    ),
  }
  // Lists are joined, maps merged key by key, everything else replaced.
  expect(await shown(files)).toBe('c+p 12p parentkept')
})

test('data of the resource takes the place of that of the policy', async () => {
  const child = showing(
    "Data.word + lookup('data.other', 'nothing') + join(map(Data.list, string(#)), '+')",
    'data: {list: [c]}',
  )
  const files = (data: string): Files => ({
    'main.yaml': `data: {word: parent, other: parent, number: 20}\n${applying(`- child.yaml: {data: ${data}}`)}`,
    'child.yaml': child,
  })
  expect(await shown(files('{word: given, list: [g]}'))).toBe('givennothingc+g')
  // An expression keeps its type, and templates see the data of the policy.
  expect(await shown(files(`{word: "{{ Data.word }}!", list: ["\${ Data.number + 1 }"]}`))).toBe('parent!nothingc+21')
  expect(await shown(files(`{word: x, list: "\${ [Data.number] }"}`))).toBe('xnothingc+20')
})

test('empty data is data: nothing is inherited', async () => {
  const files = {
    'main.yaml': `data: {word: parent}\n${applying('- child.yaml: {data: {}}')}`,
    'child.yaml': showing("lookup('data.word', 'nothing')"),
  }
  expect(await shown(files)).toBe('nothing')
})

test('data goes down through manifests that hold no template', async () => {
  const files = {
    'main.yaml': `data: {word: top}\n${applying('- middle.yaml:')}`,
    'middle.yaml': applying('- child.yaml:'),
    'child.yaml': showing('Data.word'),
  }
  expect(await shown(files)).toBe('top')
})

test('data of the operator overrides the data of every manifest, and lists are merged once', async () => {
  const files = {
    'main.yaml': `data: {list: [p], word: parent}\n${applying('- child.yaml: {data: {word: given}}', '- other.yaml:')}`,
    'child.yaml': showing('Data.word', 'data: {word: child}'),
    'other.yaml': showing("join(Data.list, '+')", 'data: {list: [c]}'),
  }
  const results = await audit(files, { set: ['word=operator', 'list=[o]'] })
  expect(results.filter(({ type }) => type === 'file').map(({ name }) => name)).toEqual(['/operator', '/c+p+o'])
})

test('facts and environment are those of the policy', async () => {
  const files = {
    'main.yaml': applying('- child.yaml:'),
    'child.yaml': showing('Facts.role + Environ.COLOUR'),
  }
  expect(await shown(files, { fact: ['role=web'], environ: { COLOUR: 'blue' } })).toBe('webblue')
})

test('annotations of a child judge the data it gets', async () => {
  const child = `data:\n  # @require\n  port:\n${LEAF}`
  const main = (data: string): string => applying(`- child.yaml: {data: ${data}}`)
  expect(await problemsOf({ 'main.yaml': main('{port: 80}'), 'child.yaml': child })).toEqual([])
  expect(await problemsOf({ 'main.yaml': main('{}'), 'child.yaml': child })).toEqual([
    'child.yaml:2:5 key "port" is required but has no value (reached through apply#child.yaml at main.yaml:4)',
  ])
})

test('names of apply resources may hold templates', async () => {
  const policy = await load({
    'main.yaml': `data: {which: child}\n${applying('- "{{ Data.which }}.yaml":')}`,
    'child.yaml': LEAF,
  })
  expect(childOf(policy, 'apply#child.yaml').id).toBe('child')
})

test('flags of an apply resource come with its child', async () => {
  const policy = await load({
    'main.yaml': applying('- a.yaml: {noop: true}', '- b.yaml: {health_check_only: true}', '- c.yaml:'),
    'a.yaml': LEAF,
    'b.yaml': LEAF,
    'c.yaml': LEAF,
  })
  expect([...(policy.children?.values() ?? [])]).toMatchObject([
    { noop: true, healthCheckOnly: false },
    { noop: false, healthCheckOnly: true },
    { noop: false, healthCheckOnly: false },
  ])
})

test('the problems of all manifests come together, each in its own file', async () => {
  const problems = await problemsOf({
    'main.yaml': `x: 1\n${applying('- sub/a.yaml:', '- missing.yaml:')}`,
    'sub/a.yaml': applying('- b.yaml:', '- broken.yaml:', '- gone.yaml:'),
    'sub/b.yaml': 'ccm: {resources: [{file: {name: /nowhere, ensure: absent, mod: "0644"}}]}\n',
    'sub/broken.yaml': 'ccm: [\n',
  })
  const through = 'reached through apply#sub/a.yaml at main.yaml:5'
  expect(problems).toEqual([
    'main.yaml:1:1 unknown key "x"',
    'sub/b.yaml:1:59 unknown property "mod" of type file, did you mean "mode"? ' +
      `(${through}, apply#b.yaml at sub/a.yaml:4)`,
    expect.stringMatching(
      /^sub\/broken\.yaml:2:1 .*\(reached through apply#sub\/a\.yaml at main\.yaml:5, apply#broken/,
    ),
    `sub/a.yaml:6:11 the child manifest cannot be read: no such file or directory (${through})`,
    'main.yaml:6:11 the child manifest cannot be read: no such file or directory',
  ])
})

test('a problem shows the line it is on', async () => {
  const loaded = await loadIn(filesIn({ 'main.yaml': applying('- missing.yaml:') }))
  expect(loaded).toMatchObject({ ok: false, problems: [{ sourceLine: '        - missing.yaml:', severity: 'error' }] })
})

test('a problem reached through several resources is reported once', async () => {
  const files = {
    'main.yaml': applying('- a.yaml:', '- ./a.yaml:'),
    'a.yaml': 'ccm: {resources: [{file: {name: /nowhere, ensure: abscent}}]}\n',
  }
  expect(await problemsOf(files)).toEqual([expect.stringMatching(/^a\.yaml:1:51 .*at main\.yaml:4\)$/)])
})

test('warnings of a child say how it was reached', async () => {
  const child = 'data:\n  # @requird\n  x: 1\nccm: {resources: [{file: {name: /nowhere, ensure: absent}}]}\n'
  const problems = await problemsOf({ 'main.yaml': applying('- a.yaml:'), 'a.yaml': child })
  expect(problems).toEqual([
    expect.stringMatching(/^a\.yaml:2:\d+ .*\(reached through apply#a\.yaml at main\.yaml:4\)$/),
  ])
})

test.each<[string, Files, readonly string[]]>([
  ['a directory', { 'main.yaml': applying('- sub:'), 'sub/x': '' }, ['cannot be read: it is a directory']],
  [
    'a path below a file',
    { 'main.yaml': applying('- main.yaml/x:') },
    ['cannot be read: a part of the path is not a directory'],
  ],
  ['itself', { 'main.yaml': applying('- main.yaml:') }, ['applies itself: main.yaml -> main.yaml']],
  [
    'itself through another',
    {
      'main.yaml': applying('- sub/a.yaml:'),
      'sub/a.yaml': applying('- b.yaml:'),
      'sub/b.yaml': applying('- ../main.yaml:'),
    },
    ['applies itself: main.yaml -> sub/a.yaml -> sub/b.yaml -> main.yaml'],
  ],
  [
    'a cycle below it',
    { 'main.yaml': applying('- a.yaml:'), 'a.yaml': applying('- b.yaml:'), 'b.yaml': applying('- ./a.yaml:') },
    ['applies itself: a.yaml -> b.yaml -> a.yaml'],
  ],
])('a policy cannot apply %s', async (_title, files, reasons) => {
  const problems = await problemsOf(files)
  expect(problems.map((text) => text.replace(/^\S+ the child manifest /, '').replace(/ \(reached .*$/, ''))).toEqual(
    reasons,
  )
})

test('a cycle through a symbolic link is one', async () => {
  const directory = filesIn({ 'main.yaml': applying('- link.yaml:') })
  symlinkSync('main.yaml', join(directory, 'link.yaml'))
  expect(await problemsIn(directory)).toEqual([
    'main.yaml:4:11 the child manifest applies itself: main.yaml -> link.yaml',
  ])
})

test('a manifest may be applied twice, which is no cycle', async () => {
  const results = await audit({
    'main.yaml': applying('- a.yaml: {data: {n: 1}}', '- b.yaml:'),
    'a.yaml': showing("lookup('data.n', 2)"),
    'b.yaml': applying('- a.yaml:'),
  })
  expect(results.map(({ id, path = [] }) => [...path, id].join(' > '))).toEqual([
    'apply#a.yaml',
    'apply#a.yaml > file#/1',
    'apply#b.yaml',
    'apply#b.yaml > apply#a.yaml',
    'apply#b.yaml > apply#a.yaml > file#/2',
  ])
})

/** A policy below which manifests are nested `levels` deep. */
function nested(levels: number): Files {
  const name = (level: number): string => (level === 0 ? 'main.yaml' : `${level}.yaml`)
  const files = Array.from({ length: levels }, (_, level) => [name(level), applying(`- ${name(level + 1)}:`)])
  return Object.fromEntries([...files, [name(levels), LEAF]])
}

test('manifests may be nested ten deep and no deeper', async () => {
  const results = await audit(nested(10))
  expect(results.at(-1)?.path).toHaveLength(10)
  const problems = await problemsOf(nested(11))
  expect(problems).toEqual([
    expect.stringMatching(/^10\.yaml:4:11 the child manifest is nested deeper than 10 levels \(reached/),
  ])
})

test('manifests that apply many others each do not multiply without end', async () => {
  const two = (level: number): string => applying(`- ${level}.yaml:`, `- ./${level}.yaml:`)
  const files = Object.fromEntries(Array.from({ length: 9 }, (_, level) => [`${level + 1}.yaml`, two(level + 2)]))
  // 2 + 4 + ... + 1024 manifests would be read.
  const problems = await problemsOf({ ...files, 'main.yaml': two(1), '10.yaml': LEAF })
  expect(problems[0]).toContain('the child manifest exceeds the limit of 1000 child manifests')
})

test('allow_apply: false keeps a manifest from applying others', async () => {
  const files = (flag: string): Files => ({
    'main.yaml': applying(`- a.yaml: {${flag}}`),
    'a.yaml': applying('- b.yaml:'),
    'b.yaml': LEAF,
  })
  expect(await problemsOf(files(''))).toEqual([])
  expect(await problemsOf(files('allow_apply: false'))).toEqual([
    'a.yaml:4:11 the child manifest is denied: allow_apply is false for this manifest ' +
      '(reached through apply#a.yaml at main.yaml:4)',
  ])
})

test('a manifest excluded by its control is not read', async () => {
  const gate = 'control: {if: "false"}'
  const files = {
    'main.yaml': applying(`- missing.yaml: {${gate}}`, `- main.yaml: {${gate}}`, '- a.yaml: {allow_apply: false}'),
    'a.yaml': applying(`- b.yaml: {${gate}}`),
  }
  const results = await audit(files)
  expect(results.map(({ id, verdict }) => `${id} ${verdict}`)).toEqual([
    'apply#missing.yaml not-applicable',
    'apply#main.yaml not-applicable',
    'apply#a.yaml not-applicable',
    'apply#b.yaml not-applicable',
  ])
  expect(results[0]?.message).toBe('control.if is false: false')
})

test.each([
  ['condition', 'control: {if: "Data.gone.deeper"}', 'template'],
  ['data', 'data: {x: "{{ Data.gone.deeper }}"}', 'template'],
  ['data that is no map', 'data: "${ 1 + 1 }"', 'invalid'],
])('a child whose %s cannot be evaluated is an error of its resource', async (_title, body, reason) => {
  const [result] = await audit({ 'main.yaml': applying(`- missing.yaml: {${body}}`) })
  expect(result).toMatchObject({ id: 'apply#missing.yaml', verdict: 'error', reason })
})

test.each([
  ['a URL', '- https://example.org/m.yaml:', '4:11 name must be a file path, not a URL'],
  ['another scheme', '- obj:x.yaml:', '4:11 name must be a file path, not a URL'],
  ['another state', '- a.yaml: {ensure: absent}', '4:28 invalid ensure value "absent": must be "present"'],
  ['a flag in words', '- a.yaml: {noop: "yes"}', '4:26 noop must be true or false, found text "yes"'],
  [
    'a flag from a template',
    '- a.yaml: {noop: "{{ true }}"}',
    '4:26 noop must be true or false, found text "{{ true }}"',
  ],
  ['another provider', '- a.yaml: {provider: puppet}', '4:30 unknown provider "puppet" of type apply'],
  ['data that is no map', '- a.yaml: {data: [1]}', '4:26 data must be a map, found a list'],
])('%s is refused', async (_title, line, problem) => {
  expect(await problemsOf({ 'main.yaml': applying(line), 'a.yaml': LEAF })).toEqual([`main.yaml:${problem}`])
})

test('a secret of the policy is a secret in the child', async () => {
  const main = `data:\n  # @sensitive\n  key: swordfish\n${applying('- a.yaml: {data: {key: "{{ Data.key }}"}}')}`
  const child = 'ccm: {resources: [{file: {name: "/{{ Data.key }}", ensure: abscent}}]}\n'
  const problems = await problemsOf({ 'main.yaml': main, 'a.yaml': child })
  expect(problems).toHaveLength(1)
  expect(problems.join()).not.toContain('swordfish')
  const run = await scan(await load({ 'main.yaml': main, 'a.yaml': child.replace('abscent', 'absent') }))
  expect(JSON.stringify(run)).not.toContain('swordfish')
  expect(resultsOf(run)[1]?.id).toBe('file#/(secret)')
})

test('data of a sensitive resource is secret in the child', async () => {
  const body = '{sensitive: true, data: {deep: {keys: [swordfish]}}}'
  const files = { 'main.yaml': applying(`- a.yaml: ${body}`), 'a.yaml': showing('Data.deep.keys[0]') }
  const run = await scan(await load(files))
  expect(JSON.stringify(run)).not.toContain('swordfish')
  expect(run.policies[0]?.resources[1]?.id).toBe('file#/(secret)')
})

test('resources of a rendered list may apply manifests', async () => {
  const results = await audit({
    'main.yaml': 'data: {names: [a]}\nccm: {resources_jet_file: list.jet}\n',
    'list.jet': '[[ range Data.names ]]- apply: [{sub/[[ . ]].yaml: }]\n[[ end ]]',
    'sub/a.yaml': LEAF,
  })
  expect(results.map(({ id }) => id)).toEqual(['apply#sub/a.yaml', 'file#/nowhere'])
})
