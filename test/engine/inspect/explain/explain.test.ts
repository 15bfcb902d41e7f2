import { filesIn } from '../../../support/bundles.ts'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scan, type ScanOptions } from '../../../../src/engine/local.ts'
import { explain } from '../../../../src/engine/inspect/explain/index.ts'
import type { Explanation, ExplainedProperty, TemplateInput } from '../../../../src/engine/inspect/explain/model.ts'
import { loadDocuments, type LoadPolicyOptions } from '../../../../src/policy/load.ts'
import { resourceTypes } from '../../../support/resource-types.ts'
import { createLocalTarget } from '../../../../src/host/live/local-target.ts'
import { temporaryDirectory } from '../../../support/temporary.ts'

type Files = Readonly<Record<string, string>>

interface Options extends LoadPolicyOptions {
  readonly scan?: ScanOptions
}

/** What explaining a resource of `main.yaml` gives, the directory of the files left out of it. */
async function attempt(
  files: Files,
  reference: string,
  { scan: scanOptions, ...options }: Options = {},
): Promise<Explanation | string> {
  const directory = filesIn(files)
  const target = createLocalTarget()
  const loaded = await loadDocuments([join(directory, 'main.yaml')], {
    environ: {},
    target,
    beside: '',
    ...options,
  })
  if (!loaded.ok) throw new Error(loaded.problems.map(({ message }) => message).join('\n'))
  const [document] = loaded.value
  if (document === undefined) throw new Error('there is no policy')
  const explained = await explain(document, reference, {
    types: resourceTypes,
    target,
    audit: (policy) => scan(policy, { target, ...scanOptions }),
  })
  const told = explained.ok ? explained.explanation : explained.problems.map(({ message }) => message).join('\n')
  return JSON.parse(JSON.stringify(told).replaceAll(`${directory}/`, ''))
}

async function explainIn(files: Files, reference: string, options?: Options): Promise<Explanation> {
  const told = await attempt(files, reference, options)
  if (typeof told === 'string') throw new Error(told)
  return told
}

function property(explanation: Explanation, name: string): ExplainedProperty {
  const found = explanation.properties.find((each) => each.name === name)
  if (found === undefined) throw new Error(`there is no property ${name}`)
  return found
}

function input(inputs: readonly TemplateInput[] | undefined, name: string): TemplateInput {
  const found = inputs?.find((each) => each.name === name)
  if (found === undefined)
    throw new Error(`there is no input ${name} among ${inputs?.map((each) => each.name).join(', ')}`)
  return found
}

/** The origins of an input as `name:line`. */
function origins({ from }: TemplateInput): readonly string[] {
  return from.map(({ name, position }) => (position === undefined ? name : `${name}:${position.line}`))
}

const APP = `data:
  port: 8080
  log: { level: info, keep: 7 }
  servers: [a]
  host: "{{ lookup('facts.name') }}"
hierarchy:
  order: ["role:{{ lookup('facts.role') }}"]
  merge: deep
overrides:
  role:web:
    port: 443
    servers: [b]
ccm:
  resources:
    - file:
        - defaults: { owner: root, group: root, mode: 0644, control: { unless: Facts.role == 'db' } }
        - /nowhere/app.conf:
            ensure: present
            mode: 0600
            control: { if: Data.port > 1 }
            content: |
              {{ Data.port }} {{ lookup('data.log.level') }} {{ join(Data.servers) }} {{ Data.host }}
              {{ Facts.role }} {{ Environ.STAGE }} {{ lookup('data.none', 'x') }}
        - /nowhere/gone: { ensure: absent }
`

test('every property says where it was set: in the body, in the defaults with their line, or by the type', async () => {
  const explanation = await explainIn({ 'main.yaml': APP }, 'file#/nowhere/app.conf', { fact: ['role=web', 'name=x'] })
  expect(explanation.resource).toMatchObject({ id: 'file#/nowhere/app.conf', source: { line: 17, column: 11 } })
  const told = explanation.properties
    .filter(({ name }) => name !== 'content')
    .map(({ name, value, from }) => [name, value, from.kind, 'position' in from ? from.position.line : undefined])
  expect(told).toEqual([
    ['name', '/nowhere/app.conf', 'resource', 17],
    ['ensure', 'present', 'resource', 18],
    ['owner', 'root', 'defaults', 16],
    ['group', 'root', 'defaults', 16],
    ['mode', '0600', 'resource', 19],
    ['if_absent', 'create', 'type', undefined],
    ['force', false, 'type', undefined],
  ])
  expect(property(explanation, 'owner').from).toMatchObject({ block: { line: 16, column: 11 } })
  expect(explanation.unset).toContain('source')
  expect(explanation.unset).not.toContain('owner')
})

test('a template says what it reads, with the value and the layer that decided', async () => {
  const files = { 'main.yaml': APP, 'site.yaml': 'log: { level: warn }\n', 'f.yaml': 'name: given\n' }
  const directory = filesIn(files)
  writeFileSync(join(directory, '.env'), 'STAGE=test\n')
  const explanation = await explainIn(files, '/nowhere/app.conf', {
    fact: ['role=web'],
    facts: [join(directory, 'f.yaml')],
    data: [join(directory, 'site.yaml')],
    set: ['servers=[c]'],
    envFile: join(directory, '.env'),
  })
  const { value, template } = property(explanation, 'content')
  expect(value).toBe('443 warn abc given\nweb test x\n')
  expect(template?.written).toContain('{{ Data.port }}')
  const read = (name: string): TemplateInput => input(template?.inputs, name)
  expect(template?.inputs.map(({ kind, name, value: each }) => [kind, name, each])).toEqual([
    ['data', 'data.port', 443],
    ['data', 'data.log.level', 'warn'],
    ['data', 'data.servers', ['a', 'b', 'c']],
    ['data', 'data.host', 'given'],
    ['fact', 'facts.role', 'web'],
    ['environment', 'environ.STAGE', 'test'],
    ['data', 'data.none', undefined],
  ])
  expect(read('data.port')).toMatchObject({ over: [{ name: 'data', position: { line: 2, column: 3 } }] })
  expect(origins(read('data.port'))).toEqual(['overrides.role:web:11'])
  expect(origins(read('data.log.level'))).toEqual([`--data ${directory}/site.yaml`])
  expect(origins(read('data.servers'))).toEqual(['data:4', 'overrides.role:web:12', '--set servers'])
  expect(origins(read('facts.role'))).toEqual(['--fact role'])
  expect(origins(read('environ.STAGE'))).toEqual([`--env-file ${directory}/.env`])
  expect(read('data.none').message).toContain('default')
  expect(read('data.host')).toMatchObject({
    written: "{{ lookup('facts.name') }}",
    inputs: [{ kind: 'fact', name: 'facts.name', value: 'given' }],
  })
  expect(origins(input(read('data.host').inputs, 'facts.name'))).toEqual([`--facts ${directory}/f.yaml`])
})

test('a fact of the machine says so', async () => {
  const policy = 'ccm: {resources: [{file: {name: "/nowhere/{{ Facts.host.info.os }}", ensure: absent}}]}\n'
  const explanation = await explainIn({ 'main.yaml': policy }, 'file#/nowhere/linux')
  const { template, value } = property(explanation, 'name')
  expect(value).toBe('/nowhere/linux')
  expect(template?.inputs).toEqual([
    { kind: 'fact', name: 'facts.host.info.os', value: 'linux', from: [{ name: 'machine' }] },
  ])
})

test('inputs of templates in other files are listed below the file', async () => {
  const files = {
    'main.yaml': `data: { a: 1, b: 2, c: 3 }
ccm:
  resources:
    - file: { name: /nowhere/x, ensure: present, owner: root, group: root, mode: "0644", content: "{{ template('x.templ') }}" }
`,
    'x.templ': "{{ Data.a }} {{ jet('y.jet') }} {{ template('none.templ') ?? '' }}",
    'y.jet': '[[ data.b ]] [[ lookup("data.c") ]]',
  }
  const { template } = property(await explainIn(files, 'file#/nowhere/x'), 'content')
  const inner = input(template?.inputs, 'x.templ').inputs
  expect(input(inner, 'data.a').value).toBe(1)
  expect(input(inner, 'y.jet').inputs?.map(({ name, value }) => [name, value])).toEqual([
    ['data.b', 2],
    ['data.c', 3],
  ])
  expect(input(inner, 'none.templ').message).toContain('no such file')
})

test.each([
  { facts: ['role=web'], outcome: 'managed', values: [true, false], verdict: 'drifted' },
  { facts: ['role=db'], outcome: 'not-managed', values: [true, true], verdict: 'not-applicable' },
  {
    facts: ['role=web'],
    set: ['port=0'],
    outcome: 'not-managed',
    values: [false, undefined],
    verdict: 'not-applicable',
  },
  { facts: ['role=web'], set: ['port=x'], outcome: 'failed', values: [undefined, undefined], verdict: 'error' },
])('the gate is $outcome with $facts and $set', async ({ facts, set, outcome, values, verdict }) => {
  const options = { fact: [...facts, 'name=x'], environ: { STAGE: 'test' }, ...(set === undefined ? {} : { set }) }
  const explanation = await explainIn({ 'main.yaml': APP }, 'file#/nowhere/app.conf', options)
  const { control, result } = explanation
  expect(control?.outcome).toBe(outcome)
  expect(control?.conditions.map(({ key, value, from }) => [key, value, from.kind])).toEqual([
    ['if', values[0], 'resource'],
    ['unless', values[1], 'defaults'],
  ])
  expect(control?.conditions.map(({ from }) => from)).toMatchObject([
    { position: { line: 20, column: 28 } },
    { position: { line: 16, column: 80 } },
  ])
  expect(control?.conditions[0]?.inputs.map(({ name }) => name)).toEqual(['data.port'])
  expect(result?.verdict).toBe(verdict)
  const { value, message, template } = property(explanation, 'content')
  expect([value === undefined, message === undefined]).toEqual(outcome === 'managed' ? [false, true] : [true, false])
  expect(template?.inputs).toHaveLength(7)
})

test('a property whose template fails hides no other one', async () => {
  const policy = `ccm:
  resources:
    - file: { name: /nowhere/x, ensure: present, owner: "{{ Data.a.b }}", group: "{{ 'ro' + 'ot' }}", mode: "0644" }
`
  const explanation = await explainIn({ 'main.yaml': policy }, 'file#/nowhere/x')
  expect(property(explanation, 'owner')).not.toHaveProperty('value')
  expect(property(explanation, 'owner').message).toMatch(/^main\.yaml:3:\d+ no data key "a"/)
  expect(property(explanation, 'group').value).toBe('root')
  expect(explanation.result).toMatchObject({ verdict: 'error', reason: 'template' })
})

const RELATED = `policy:
  controls:
    - { id: c-1, title: One, severity: high, resources: [file#conf] }
    - { id: c-2, severity: low, resources: [file#conf] }
ccm:
  resources:
    - exec: { name: first, command: /bin/false }
    - file: { name: /nowhere/conf, alias: conf, ensure: absent, require: [exec#first] }
    - exec: { name: last, command: /bin/false, refreshonly: true, subscribe: [file#conf], require: [exec#first] }
`

test('controls, requirements and subscriptions are told in both directions', async () => {
  const explanation = await explainIn({ 'main.yaml': RELATED }, 'file#conf')
  expect(explanation.controls).toEqual([
    { id: 'c-1', title: 'One', severity: 'high' },
    { id: 'c-2', severity: 'low' },
  ])
  expect(explanation.resource).toMatchObject({ severity: 'high', alias: 'conf' })
  const lines = (resources: Explanation['require']): unknown => resources.map(({ id, source }) => [id, source.line])
  expect(lines(explanation.require)).toEqual([['exec#first', 7]])
  expect(lines(explanation.subscribedBy)).toEqual([['exec#last', 9]])
  const first = await explainIn({ 'main.yaml': RELATED }, 'first')
  expect(lines(first.requiredBy)).toEqual([
    ['file#/nowhere/conf', 8],
    ['exec#last', 9],
  ])
  expect(lines((await explainIn({ 'main.yaml': RELATED }, 'exec#last')).subscribe)).toEqual([['file#/nowhere/conf', 8]])
})

test('the audit is that of the resource alone: what it requires is neither run nor counted', async () => {
  const directory = temporaryDirectory()
  const policy = `ccm:
  resources:
    - exec: { name: first, command: /bin/true, unless: "/usr/bin/touch ${directory}/guard" }
    - file: { name: ${directory}/guard, ensure: absent, require: [exec#first] }
`
  const explanation = await explainIn({ 'main.yaml': policy }, `file#${directory}/guard`)
  // The guard of the requirement would have made the file.
  expect(explanation.result?.verdict).toBe('compliant')
  expect(explanation.notEvaluated).toEqual(['exec#first'])
})

test('providers say why they were not chosen, and commands stay away where they are forbidden', async () => {
  const options = { scan: { runCommands: false } }
  const explanation = await explainIn({ 'main.yaml': RELATED }, 'exec#first', options)
  expect(explanation.providers).toEqual([
    { name: 'posix', outcome: 'chosen' },
    { name: 'shell', outcome: 'later' },
  ])
  const named = RELATED.replace('command: /bin/false }', 'command: "false", unless: "false", provider: shell }')
  const shell = await explainIn({ 'main.yaml': named }, 'exec#first', options)
  expect(shell.providers.map(({ outcome }) => outcome)).toEqual(['not-named', 'chosen'])
  expect(shell.result).toMatchObject({ verdict: 'error', reason: 'not-observable' })
})

const TREE: Files = {
  'main.yaml': `policy:
  controls: [{ id: top, severity: low, resources: [apply#base.yaml] }]
data: { motd: top, only: "{{ 1 + 1 }}" }
ccm:
  resources:
    - apply: { name: base.yaml }
    - apply: { name: own.yaml, data: { motd: "own {{ Data.only }}" } }
    - apply: { name: never.yaml, control: { if: "false" } }
    - file: { name: /nowhere/top, ensure: absent }
`,
  'base.yaml': `data: { motd: base }
ccm: { resources: [{ file: { name: "/nowhere/{{ Data.motd }}", alias: motd, ensure: absent } }] }
`,
  'own.yaml': `ccm: { resources: [{ file: { name: "/nowhere/{{ Data.motd }}", alias: motd, ensure: absent } }] }
`,
}

test.each([
  ['apply#base.yaml > file#motd', 'file#/nowhere/top', ['apply#base.yaml']],
  ['apply#base.yaml > file#/nowhere/top', 'file#/nowhere/top', ['apply#base.yaml']],
  ['file#/nowhere/top', 'file#/nowhere/top', undefined],
  ['file#/nowhere/own 2', 'file#/nowhere/own 2', ['apply#own.yaml']],
  ['/nowhere/own 2', 'file#/nowhere/own 2', ['apply#own.yaml']],
  ['apply#base.yaml', 'apply#base.yaml', undefined],
])('%s is found', async (reference, id, path) => {
  const { resource, result } = await explainIn(TREE, reference)
  expect(resource.id).toBe(id)
  expect(resource.path).toEqual(path)
  expect(result).toMatchObject({ id, verdict: 'compliant' })
})

test.each([
  [
    'file#motd',
    'names 2 resources, use one of: apply#base.yaml > file#/nowhere/top, apply#own.yaml > file#/nowhere/own 2',
  ],
  ['file#/nowhere/tpo', 'did you mean "file#/nowhere/top"?'],
  ['apply#base.yaml > file#moot', 'did you mean "apply#base.yaml > file#motd"?'],
  ['file#/etc/x', 'the manifest of apply#never.yaml was not read: control.if is false'],
  ['', 'no resource ""'],
])('%s is not found, with a word of help', async (reference, message) => {
  expect(await attempt(TREE, reference)).toContain(message)
})

test('data of a child manifest is followed to the policy that sets it', async () => {
  const inherited = await explainIn(TREE, 'apply#base.yaml > file#motd')
  const motd = input(property(inherited, 'name').template?.inputs, 'data.motd')
  expect(motd).toEqual({
    kind: 'data',
    name: 'data.motd',
    value: 'top',
    from: [{ name: 'data', position: { file: 'main.yaml', line: 3, column: 9 } }],
    over: [{ name: 'data', position: { file: 'base.yaml', line: 1, column: 9 } }],
  })
  expect(inherited.controls).toEqual([{ id: 'top', severity: 'low', through: 'apply#base.yaml' }])
  const own = await explainIn(TREE, '/nowhere/own 2')
  const given = input(property(own, 'name').template?.inputs, 'data.motd')
  expect(given).toMatchObject({
    from: [{ name: 'apply#own.yaml', position: { file: 'main.yaml', line: 7 } }],
    written: 'own {{ Data.only }}',
    inputs: [{ name: 'data.only', value: 2 }],
  })
})

test('an apply resource is explained with what is below it, or with why that was not read', async () => {
  const base = await explainIn(TREE, 'apply#base.yaml')
  expect(base.below?.map(({ id, verdict }) => [id, verdict])).toEqual([['file#/nowhere/top', 'compliant']])
  const never = await explainIn(TREE, 'apply#never.yaml')
  expect(never.result).toMatchObject({ verdict: 'not-applicable', message: 'control.if is false: false' })
})

test('secrets are nowhere in an explanation: not in values, templates, inputs, conditions or below', async () => {
  const files = {
    'main.yaml': `data:
  # @sensitive
  password: hunter22
  # @sensitive
  pins: { main: 90210, "on": "{{ 'tok-' + lookup('facts.token') }}" }
ccm:
  resources:
    - file: { name: /nowhere/a, ensure: present, owner: root, group: root, mode: "0644", content: "pw {{ Data.password }} {{ Data.pins }} {{ Data }}", control: { if: "Data.password == 'hunter22'" } }
    - file: { name: /nowhere/b, sensitive: true, ensure: present, owner: root, group: "{{ 'ro' + 'ot' }}", mode: "0644", content: "literal-secret {{ Data.port }} {{ Facts.token }}" }
    - apply: { name: child.yaml, sensitive: true, data: { handed: handed-secret, made: "made-{{ Facts.token }}" } }
    - exec: { name: run, command: /bin/true, unless: /bin/false, sensitive: true, environment: ["A=env-secret"], health_checks: [{ command: "/bin/true check-secret" }] }
`,
    'child.yaml': `ccm: { resources: [{ file: { name: /nowhere/c, ensure: present, owner: root, group: root, mode: "0644", content: "{{ Data.handed }} {{ Data.made }} {{ Data }}" } }] }
`,
  }
  const secrets = [
    'hunter22',
    '90210',
    'tok-',
    'literal-secret',
    'handed-secret',
    'made-',
    'env-secret',
    'check-secret',
  ]
  const hidden = ['file#/nowhere/b', 'apply#child.yaml', 'exec#run', 'file#/nowhere/a', 'file#/nowhere/c']
  for (const reference of hidden) {
    const text = JSON.stringify(await explainIn(files, reference, { fact: ['token=fact-token'], set: ['port=8443'] }))
    for (const secret of secrets) expect(text, `${secret} of ${reference}`).not.toContain(secret)
    if (reference === 'file#/nowhere/b') expect(text).not.toMatch(/fact-token|8443/)
  }
})

test('resources that a template renders have their places in what was rendered', async () => {
  const files = {
    'main.yaml': 'ccm: { resources_jet_file: list.jet }\ndata: { names: [a, b] }\n',
    'list.jet': '[[ range i, n := data.names ]]- file: { name: "/nowhere/[[ n ]]", ensure: absent }\n[[ end ]]',
  }
  const { resource, properties } = await explainIn(files, '/nowhere/b')
  expect(resource.source).toMatchObject({ file: 'list.jet (rendered)', line: 2 })
  expect(properties.find(({ name }) => name === 'ensure')).toMatchObject({ from: { position: { line: 2 } } })
})

const READING = `ccm:
  resources:
    - file: { name: /etc/passwd, alias: users, ensure: present, owner: root, group: root, mode: "0644" }
    - file: { name: /nowhere/first, alias: first, ensure: present, owner: root, group: root, mode: '{{ Resources["users"].mode }}' }
    - file: { name: /nowhere/second, ensure: present, owner: root, group: root, mode: "0644", content: '{{ lookup("resources.first.path") }} {{ lookup("resources.users.owner") }}', control: { if: 'Resources["file#/etc/passwd"].exists' } }
    - file: { name: /nowhere/third, ensure: present, owner: root, group: root, mode: '{{ Resources["first"].mode }}' }
`

test('values of other resources are read of an audit of these, and of what they read', async () => {
  const second = await explainIn({ 'main.yaml': READING }, '/nowhere/second')
  const { value, template } = property(second, 'content')
  expect(value).toBe('/nowhere/first root')
  expect(template?.inputs).toEqual([
    {
      kind: 'exported',
      name: 'resources.file#/nowhere/first.path',
      value: '/nowhere/first',
      from: [{ name: 'file#/nowhere/first', position: { file: 'main.yaml', line: 4, column: 21 } }],
    },
    {
      kind: 'exported',
      name: 'resources.file#/etc/passwd.owner',
      value: 'root',
      from: [{ name: 'file#/etc/passwd', position: { file: 'main.yaml', line: 3, column: 21 } }],
    },
  ])
  expect(second.control).toMatchObject({ outcome: 'managed', conditions: [{ value: true, inputs: [{ value: true }] }] })
  expect(second.result).toMatchObject({ id: 'file#/nowhere/second', verdict: 'drifted' })
  expect(second.reads.map(({ id }) => id)).toEqual(['file#/nowhere/first', 'file#/etc/passwd'])
  const users = await explainIn({ 'main.yaml': READING }, 'users')
  expect(users.readBy.map(({ id }) => id)).toEqual(['file#/nowhere/first', 'file#/nowhere/second'])
})

test('the result is that of the resource where ids are the same once their secrets are taken out', async () => {
  const files = {
    'main.yaml': `data:
  # @sensitive
  one: planted-one
  # @sensitive
  two: planted-two
ccm:
  resources:
    - file: { name: '/nowhere/{{ Data.one }}', alias: one, ensure: absent }
    - file: { name: '/nowhere/{{ Data.two }}', alias: two, ensure: present, owner: root, group: root, mode: "0644", content: '{{ lookup("resources.one.path") }}' }
`,
  }
  const { result } = await explainIn(files, 'two')
  expect(result).toMatchObject({ id: 'file#/nowhere/(secret)', alias: 'two', source: { line: 9 }, verdict: 'drifted' })
})

test('a value that another resource does not have is told with the reason', async () => {
  const third = await explainIn({ 'main.yaml': READING }, '/nowhere/third')
  const mode = property(third, 'mode')
  expect(mode).not.toHaveProperty('value')
  expect(mode.template?.inputs).toMatchObject([
    { kind: 'exported', message: 'has no value: file#/nowhere/first has no value before it is fixed' },
  ])
  expect(third.result).toMatchObject({ verdict: 'blocked', blockedBy: ['file#/nowhere/first'] })
})

test('a value derived from a secret of another resource is hidden', async () => {
  const secret = READING.replace('alias: users,', 'alias: users, sensitive: true,')
  const first = await explainIn({ 'main.yaml': secret }, '/nowhere/first')
  expect(first.resource.sensitive).toBe(true)
  const { value, template } = property(first, 'mode')
  expect([value, template?.inputs[0]?.value]).toEqual([
    expect.objectContaining({ redacted: true }),
    expect.objectContaining({ redacted: true }),
  ])
})
