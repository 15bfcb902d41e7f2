import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { toPlainValue } from '../../../src/policy/document/tree.ts'
import { parsePolicy, readPolicyDocument } from '../../../src/policy/read/policy.ts'
import { resourceTypes } from '../../support/resource-types.ts'
import { parse, policyOf } from '../support.ts'

const OPTIONS = { file: 'dir/web.yaml', workingDirectory: '/srv/dir', types: resourceTypes }

test('a whole policy', () => {
  const text = `data: {port: 80}
policy:
  id: ssh
  title: OpenSSH
  version: 1.20
  controls:
    - id: 9.10
      title: Belongs to root
      severity: high
      references: {cis: [5.10, "6"]}
      tags: [ssh, 1.0]
      resources: [file#conf, file#/b]
    - {id: 9.1, manual: true}
ccm:
  fail_on_error: true
  pre_message: before
  post_message: after
  resources:
    - file:
        - /etc/ssh/sshd_config:
            ensure: present
            alias: conf
            owner: root
            group: 0
            mode: 0600
            provider: posix
            sensitive: true
            control:
              if: facts.x
        - /b: {ensure: absent, require: [file#conf]}
`
  const result = parsePolicy(text, OPTIONS)
  expect(result).toMatchObject({ ok: true, warnings: [] })
  const policy = result.ok ? result.value : undefined
  expect(policy).toMatchObject({
    id: 'ssh',
    title: 'OpenSSH',
    version: '1.20',
    source: 'dir/web.yaml',
    sha256: createHash('sha256').update(text).digest('hex'),
    workingDirectory: '/srv/dir',
    failOnError: true,
    preMessage: 'before',
    postMessage: 'after',
    notes: [],
    controls: [
      {
        id: '9.10',
        title: 'Belongs to root',
        severity: 'high',
        references: { cis: ['5.10', '6'] },
        tags: ['ssh', '1.0'],
        resources: ['file#/etc/ssh/sshd_config', 'file#/b'],
      },
      { id: '9.1', severity: 'medium', references: {}, tags: [], manual: true, resources: [] },
    ],
  })
  expect(policy?.resources).toEqual([
    {
      id: 'file#/etc/ssh/sshd_config',
      type: 'file',
      name: '/etc/ssh/sshd_config',
      alias: 'conf',
      provider: 'posix',
      properties: { name: '/etc/ssh/sshd_config', ensure: 'present', owner: 'root', group: '0', mode: '0600' },
      settled: {
        name: '/etc/ssh/sshd_config',
        ensure: 'present',
        owner: 'root',
        group: '0',
        mode: '0600',
        if_absent: 'create',
        force: false,
      },
      require: [],
      subscribe: [],
      control: { if: 'facts.x' },
      sensitive: true,
      position: { file: 'dir/web.yaml', line: 20, column: 11 },
    },
    expect.objectContaining({ id: 'file#/b', require: ['file#/etc/ssh/sshd_config'], sensitive: false }),
  ])
})

test.each([
  ['mode: 0644', '0644'],
  ['mode: 0o644', '0o644'],
  ['mode: "644"', '644'],
  ["content: '{}'", '{}'],
  ['content: 5.10', '5.10'],
  ['content: 1e3', '1e3'],
  ['content: true', 'true'],
  ['content: Null and void', 'Null and void'],
  ['content: 12345678901234567890', '12345678901234567890'],
  ['content: ""', ''],
  ['content: !!str 0x10', '0x10'],
  ['content: "a\\nb\\u00e9"', 'a\nbé'],
  [`content: "${'a\\n'.repeat(50)}"`, 'a\n'.repeat(50)],
  [`content: "${'a'.repeat(80)}\\x41"`, `${'a'.repeat(80)}A`],
  ['content: |\n                a: 1\n                  b', 'a: 1\n  b\n'],
])('text keeps the characters it was written with: %s', (line, text) => {
  const defaults = { mode: '"0600"', content: 'x' }
  const property = line.startsWith('mode') ? 'mode' : 'content'
  const other = property === 'mode' ? `content: ${defaults.content}` : `mode: ${defaults.mode}`
  const policy = policyOf(
    `ccm:\n  resources:\n    - file:\n        - /a:\n            ensure: present\n            owner: r\n            group: r\n            ${other}\n            ${line}\n`,
  )
  expect(policy.resources[0]?.properties[property]).toBe(text)
})

test('a property is typed by its definition', () => {
  const policy = policyOf(
    `ccm:
  resources:
    - gadget:
        name: 10
        size: 3
        loud: yes please
        timeout: 1h30m
        environment: [1.0, true]
        headers: {a: 010, 5: x}
        data: {n: 010, t: true, l: [1]}
`.replace('yes please', 'true'),
  )
  expect(policy.resources[0]?.properties).toEqual({
    name: '10',
    size: 3,
    loud: true,
    timeout: '1h30m',
    environment: ['1.0', 'true'],
    headers: { a: '010', '5': 'x' },
    data: { n: 10, t: true, l: [1] },
  })
})

test('defaults: scalars of the resource win, lists and maps whole, control key by key, null clears nothing', () => {
  const policy = policyOf(`ccm:
  resources:
    - gadget:
        - a:
            size: 1
            environment: [B=2]
            headers: {y: 2}
            loud: false
            version: null
            control: {unless: b, if: }
        - defaults:
            size: 2
            environment: [A=1]
            headers: {x: 1}
            loud: true
            version: 1.10
            control: {if: a, unless: x}
        - b:
        - c: {control: {if: c}}
        - d: {}
`)
  const [a, b, c, d] = policy.resources
  expect(a?.properties).toEqual({
    name: 'a',
    size: 1,
    environment: ['B=2'],
    headers: { y: '2' },
    loud: false,
    version: '1.10',
  })
  expect(a?.control).toEqual({ if: 'a', unless: 'b' })
  expect(c?.control).toEqual({ if: 'c', unless: 'x' })
  expect(b?.properties).toEqual({
    name: 'b',
    size: 2,
    environment: ['A=1'],
    headers: { x: '1' },
    loud: true,
    version: '1.10',
  })
  expect({ ...d?.properties, name: 'b' }).toEqual(b?.properties)
})

test('another name of a property gives way to defaults like the property itself', () => {
  const policy = policyOf(`ccm:
  resources:
    - file:
        - defaults: {ensure: present, owner: r, group: r, mode: "0600", contents: x}
        - /a: {content: y}
        - /b:
`)
  expect(policy.resources.map(({ properties }) => properties['content'])).toEqual(['y', 'x'])
})

test('anchors, aliases as bodies and merge keys load', () => {
  const policy = policyOf(`x-base: &base {ensure: present, owner: root, group: root, mode: "0600"}
x-other: &other {mode: "0644", content: c}
ccm:
  resources:
    - file:
        - /a: *base
        - /b:
            <<: *base
            mode: "0640"
        - /c:
            <<: [*base, *other]
    - file:
        <<: *base
        name: /d
`)
  expect(policy.resources.map(({ properties: { name, mode, content } }) => [name, mode, content])).toEqual([
    ['/a', '0600', undefined],
    ['/b', '0640', undefined],
    ['/c', '0600', 'c'],
    ['/d', '0600', undefined],
  ])
})

test('a JSON file is a policy like any other', () => {
  const text = JSON.stringify({ ccm: { resources: [{ file: [{ '/a': { ensure: 'absent' } }] }] } }, null, 2)
  expect(policyOf(text).resources.map(({ id, position }) => [id, position.line, position.column])).toEqual([
    ['file#/a', 7, 13],
  ])
})

test('resources that share type and name are told apart by their aliases', () => {
  const policy = policyOf(`ccm:
  resources:
    - file:
        - /a: {ensure: absent, alias: one}
        - /a: {ensure: absent, alias: two, require: [file#one]}
        - /b: {ensure: absent, alias: b, require: [file#two]}
`)
  expect(policy.resources.map(({ id, require }) => [id, require])).toEqual([
    ['file#one', []],
    ['file#two', ['file#one']],
    ['file#/b', ['file#two']],
  ])
})

test('keys that mean something to JavaScript are keys like any other', () => {
  const policy = policyOf(`ccm:
  resources:
    - gadget:
        - __proto__: {headers: {__proto__: x, constructor: y}}
`)
  expect(policy.resources[0]?.name).toBe('__proto__')
  expect(Object.entries(policy.resources[0]?.properties['headers'] ?? {})).toEqual([
    ['__proto__', 'x'],
    ['constructor', 'y'],
  ])
})

test.each([
  ['policies/web.yaml', 'web'],
  ['web.prod.yml', 'web.prod'],
  ['-', 'stdin'],
])('the id of a policy without one: %s', (file, id) => {
  const text = 'ccm: {resources: [{file: {name: /a, ensure: absent}}]}'
  expect(parsePolicy(text, { ...OPTIONS, file })).toMatchObject({ ok: true, value: { id } })
})

test('a document keeps the file and its resources as they are written, defaults joined', () => {
  const text = `data: {port: 010}
ccm:
  resources:
    - file:
        - defaults: {mode: 0644, owner: root, group: root}
        - /etc/motd: {ensure: present, mode: 0600}
`
  const read = readPolicyDocument(text, OPTIONS)
  if (!read.ok) throw new Error('the policy is sound')
  const { policy, root, written, evaluation } = read.value
  expect(policy.resources).toHaveLength(1)
  expect(toPlainValue(root)).toMatchObject({ data: { port: 10 } })
  const { name, body } = written.get('file#/etc/motd') ?? {}
  expect(name).toMatchObject({ text: '/etc/motd', offset: text.indexOf('/etc/motd') })
  expect([...(body ?? [])].map(([key, { value }]) => [key, toPlainValue(value)])).toEqual([
    ['mode', 600],
    ['owner', 'root'],
    ['group', 'root'],
    ['ensure', 'present'],
  ])
  expect(evaluation).toBeUndefined()
})

test.each([
  ['a wrong value', 'password: hunter2'],
  ['a wrong value on the line of another', '{name: g, password: hunter2, size: 0}'],
  ['a key that may be a secret misspelt', 'pasword: hunter2'],
  ['a sensitive resource', 'sensitive: true\n        size: hunter2'],
])('no problem shows a secret: %s', (_title, body) => {
  const text = body.startsWith('{')
    ? `ccm:\n  resources:\n    - gadget: ${body}\n`
    : `ccm:\n  resources:\n    - gadget:\n        name: g\n        ${body}\n`
  const result = parse(text)
  expect(result.ok).toBe(false)
  expect(JSON.stringify(result)).not.toContain('hunter2')
})

// Comparing each with all others took minutes.
test('thousands of namesakes are told apart by their aliases, and a reference to all of them stays short', () => {
  const one = (_: unknown, at: number): string => `{file: {name: /a, alias: a${at}, ensure: absent}}`
  const last = '{file: {name: /b, ensure: absent, require: [file#/a]}}'
  const read = parse(`ccm: {resources: [${[...Array.from({ length: 20_000 }, one), last].join(', ')}]}`)
  expect(read.ok).toBe(false)
  expect(read.ok || read.problems.map(({ message }) => message)).toEqual([
    '"file#/a" names 20000 resources, use an alias: file#a0, file#a1, file#a2, file#a3, file#a4, file#a5, file#a6, file#a7, file#a8, file#a9, …',
  ])
})
