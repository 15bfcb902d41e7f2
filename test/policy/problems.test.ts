import { expect, test } from 'vitest'
import { problemsOf } from './support.ts'

/** A policy of one list of files; the first body line is line 4. */
function files(...lines: readonly string[]): string {
  return ['ccm:', '  resources:', '    - file:', ...lines].join('\n')
}

/** A policy of one gadget in direct form; its properties start on line 4. */
function gadget(...lines: readonly string[]): string {
  return ['ccm:', '  resources:', '    - gadget:', ...['name: g', ...lines].map((line) => `        ${line}`)].join('\n')
}

const NESTED = (depth: number): string =>
  `x-deep: ${'['.repeat(depth)}${']'.repeat(depth)}\n${files('        - /a: {ensure: absent}')}`

test.each<[string, string, string[]]>([
  ['an empty file', '', ['1:1 the policy is empty']],
  ['comments only', '# nothing\n\n', ['1:1 the policy is empty']],
  ['null', '---\n', ['1:1 the policy is empty']],
  ['a list', '- a\n', ['1:1 a policy must be a map, found a list']],
  ['a scalar', 'hello', ['1:1 a policy must be a map, found text "hello"']],
  ['a second document', 'a: 1\n---\nb: 2\n', ['2:1 a policy must be one document, but a second one starts here']],
  ['tabs as indentation', 'ccm:\n\tresources: 1\n', ['2:1 indentation must be spaces, not tabs']],
  ['an unknown tag', 'a: !secret 1\n', ['1:4 unresolved tag: !secret']],
  ['an open quote', 'ccm: "abc\n', ['1:6 missing closing "']],
  ['a key that is a map', `? {a: 1}\n: 2\n${files('        - /a: {ensure: absent}')}`, ['1:3 a key must be text']],
  [
    'a map inside a line',
    'ccm: 1\n b: 2\n',
    ['1:6 a map cannot start after a key and value on the same line; quote a string that contains ": "'],
  ],
  ['a hundred levels', NESTED(100), []],
  ['one level more', NESTED(101), ['1:109 maps and lists are nested more than 100 levels deep']],
])('a text that is no policy: %s', (_title, text, problems) => {
  expect(problemsOf(text)).toEqual(problems)
})

test('a text nested deeper than any parser could follow is one problem', () => {
  const [first, ...others] = problemsOf('['.repeat(1_000_000))
  expect(first).toMatch(/^1:[0-9]{4} maps and lists are nested more than 100 levels deep$/)
  expect(others).toEqual([])
})

test('a text of more values than memory could hold is one problem', () => {
  // Counted are the pieces of a text. A comma is the one that is read in the least time.
  const [first, ...others] = problemsOf('[' + ','.repeat(5_000_001))
  expect(first).toBe('1:5000001 the policy has too many values: split it into several files')
  expect(others).toEqual([])
})

test.each<[string, string, string[]]>([
  ['no ccm section', 'data: {}\n', ['1:1 a policy needs a "ccm" section with its resources']],
  ['ccm without a value', 'ccm:\n', ['1:5 ccm must be a map, found nothing']],
  ['no resources', 'ccm: {}\n', ['1:6 the ccm section needs a list of resources']],
  ['an empty list', 'ccm: {resources: []}', ['1:18 ccm.resources must not be empty']],
  ['only defaults', files('        - defaults: {owner: root}'), ['3:5 the policy has no resources']],
  ['a map for a list', 'ccm:\n  resources:\n    file: {}\n', ['3:5 ccm.resources must be a list, found a map']],
  [
    'a list for a map',
    'data: [1]\nccm: []\n',
    ['1:7 data must be a map, found a list', '2:6 ccm must be a map, found a list'],
  ],
  [
    'unknown keys at the top',
    `dta: {}\nextra: 1\nx-mine: 1\n${files('        - /a: {ensure: absent}')}`,
    ['1:1 unknown key "dta", did you mean "data"?', '2:1 unknown key "extra"'],
  ],
  [
    'a misspelt key that is needed',
    'ccm:\n  resorces: []\n',
    ['2:3 unknown key "resorces" in ccm, did you mean "resources"?'],
  ],
  [
    'the messages and switches of ccm',
    'ccm:\n  resources: [{file: {name: /a, ensure: absent}}]\n  fail_on_error: "yes"\n  pre_message: {a: 1}\n',
    [
      '3:18 ccm.fail_on_error must be true or false, found text "yes"',
      '4:16 ccm.pre_message must be text, found a map',
    ],
  ],
  [
    'a template for the resources',
    'ccm:\n  resources_jet_file: a.jet\n',
    ['2:3 resources_jet_file cannot be rendered here'],
  ],
  [
    'a template and resources',
    'ccm:\n  resources: [{file: {name: /a, ensure: absent}}]\n  resources_jet_file: a.jet\n',
    ['3:3 resources and resources_jet_file cannot be used together'],
  ],
  [
    'hierarchy and overrides',
    `hierarchy:\n  merge: depe\noverrides: {a: [1]}\n${files('        - /a: {ensure: absent}')}`,
    [
      '2:3 order is required',
      '2:10 hierarchy.merge must be one of "first" or "deep", found text "depe", did you mean "deep"?',
      '3:16 overrides.a must be a map, found a list',
    ],
  ],
  [
    'an order that is no list',
    `hierarchy: {order: a}\n${files('        - /a: {ensure: absent}')}`,
    ['1:20 hierarchy.order must be a list, found text "a"'],
  ],
])('the shape of a policy: %s', (_title, text, problems) => {
  expect(problemsOf(text)).toEqual(problems)
})

test('every broken item of the list of resources is told', () => {
  const items = [
    'fiel: x',
    'file',
    'file: x',
    'file:',
    'file: []',
    'file: [x]',
    '{}',
    'file: {}',
    'file: {name: }',
    'file: {name: [a]}',
    'file: [{}]',
  ]
  const text = `ccm:\n  resources:\n${items.map((item) => `    - ${item}\n`).join('')}`
  expect(problemsOf(text)).toEqual([
    '3:7 unknown resource type "fiel", did you mean "file"?',
    '4:7 an item of resources must be a map, found text "file"',
    '5:13 file must be a list of named resources, or a map with a name, found text "x"',
    '6:12 file must be a list of named resources, or a map with a name, found nothing',
    '7:13 file must not be empty',
    '8:14 an item of file must be a map of a name to its properties, found text "x"',
    '9:7 a resource type is missing',
    '10:13 name is required',
    '11:20 name must be text, found nothing',
    '12:20 name must be text, found a list',
    '13:14 a name is missing',
  ])
})

test.each<[string, string, string[]]>([
  [
    'properties level with the name',
    files('        - /etc/motd:', '          ensure: present', '          owner: root'),
    ['5:11 a list item has one name: start a new item for "ensure", or indent it below the name'],
  ],
  [
    'two types in one item',
    'ccm:\n  resources:\n    - file:\n        - /a: {ensure: absent}\n      gadget:\n        - b: {}\n',
    ['5:7 a list item has one resource type: start a new item for "gadget"'],
  ],
  [
    'unknown properties and values',
    files('        - /etc/motd:', '            ensure: presnt', '            ownr: root', '            force: maybe'),
    [
      '5:21 invalid ensure value "presnt": must be one of "present", "absent" or "directory", did you mean "present"?',
      '6:13 unknown property "ownr" of type file, did you mean "owner"?',
      '7:20 force must be true or false, found text "maybe"',
    ],
  ],
  ['nothing set', files('        - /etc/motd:'), ['4:11 ensure is required']],
  ['nothing set, braces', files('        - /etc/motd: {}'), ['4:11 ensure is required']],
  [
    'missing attributes',
    files('        - /etc/motd: {ensure: present, owner: root}'),
    ['4:11 group is required', '4:11 mode is required'],
  ],
  [
    'two defaults',
    files('        - defaults: {ensure: absent}', '        - defaults: {owner: a}', '        - /a:'),
    ['5:11 a list of resources has one defaults block'],
  ],
  [
    'a name and an unknown key in defaults',
    files('        - defaults: {ensure: absent, name: /x, moed: 1}', '        - /a:'),
    ['4:44 defaults cannot give a name', '4:48 unknown property "moed" of type file, did you mean "mode"?'],
  ],
  [
    'a wrong value in defaults, told once',
    files('        - defaults: {ensure: gone}', '        - /a:', '        - /b:'),
    ['4:30 invalid ensure value "gone": must be one of "present", "absent" or "directory"'],
  ],
  [
    'another name inside',
    files('        - /a: {name: /b, ensure: absent}', '        - /c: {name: /c, ensure: absent}'),
    ['4:22 the name inside differs from the key "/a": remove one'],
  ],
  [
    'two names of one property',
    files(
      '        - /a:',
      '            ensure: present',
      '            content: a',
      '            contents: b',
      '            owner: r',
      '            group: r',
      '            mode: "0600"',
    ),
    ['7:13 "contents" and "content" are two names of one property: set only one'],
  ],
  [
    'a duplicate key',
    files('        - /a:', '            ensure: absent', '            ensure: absent'),
    ['6:13 key "ensure" is already set on line 5'],
  ],
  [
    'paths',
    files('        - a: {ensure: absent}', '        - /a/../b: {ensure: absent}'),
    ['4:11 name must be an absolute path', '5:11 name must be a canonical path, write "/b"'],
  ],
])('a resource: %s', (_title, text, problems) => {
  expect(problemsOf(text)).toEqual(problems)
})

test.each<[string, string, string[]]>([
  ['a list for text', 'version: [1]', ['5:18 version must be text, found a list']],
  ['a pattern', 'version: abc', ['5:18 invalid version value "abc": must be digits and dots']],
  [
    'a template where none is expanded',
    'version: "{{ 1 }}"',
    ['5:18 invalid version value "{{ 1 }}": must be digits and dots'],
  ],
  ['text for a number', 'size: "3"', ['5:15 size must be a whole number, found text "3"']],
  ['a fraction', 'size: 1.5', ['5:15 size must be a whole number, found the number 1.5']],
  ['too small', 'size: 0', ['5:15 size must be at least 1']],
  ['too large', 'size: 10', ['5:15 size must be at most 9']],
  ['a quoted boolean', 'loud: "true"', ['5:15 loud must be true or false, found text "true"']],
  [
    'a duration without unit',
    'timeout: 30',
    ['5:18 invalid timeout duration "30": write a number with its unit, such as "90s" or "1h30m"'],
  ],
  ['text for a list', 'environment: A=1', ['5:22 environment must be a list, found text "A=1"']],
  ['a map in a list', 'environment: [A=1, {b: 1}]', ['5:22 environment[1] must be text, found a map']],
  ['a list for a map', 'headers: [a]', ['5:18 headers must be a map, found a list']],
  ['a null in a map', 'headers: {a: }', ['5:18 headers.a must be text, found nothing']],
  ['a rule', 'size: 3\n        ensure: stopped', ['5:15 a stopped gadget has no size']],
  ['an unknown provider', 'provider: fanyc', ['5:19 unknown provider "fanyc" of type gadget, did you mean "fancy"?']],
  ['a boolean as text', 'sensitive: "yes"', ['5:20 sensitive must be true or false, found text "yes"']],
  [
    'control',
    'control: {fi: x, unless: [a]}',
    ['5:19 unknown key "fi" in control, did you mean "if"?', '5:34 control.unless must be text, found a list'],
  ],
  ['control as text', 'control: "a"', ['5:18 control must be a map, found text "a"']],
  ['require as text', 'require: gadget#g', ['5:18 require must be a list, found text "gadget#g"']],
  ['a secret is not quoted', 'password: hunter2', ['5:19 invalid password value: must be "sesame"']],
  [
    'a sensitive resource is not quoted',
    'size: "hunter2"\n        sensitive: true',
    ['5:15 size must be a whole number, found text'],
  ],
])('a property: %s', (_title, line, problems) => {
  expect(problemsOf(gadget(line))).toEqual(problems)
})

test.each([
  ['size: "{{ 1 }}"', 'a rule that reads a template waits'],
  ['size: "${ 1 }"', 'so does a number'],
  ['ensure: "{{ x }}"\n        size: 3', 'and a choice'],
  ['environment: ["A={{ 1 }}", B=2]', 'and a list'],
  ['data: [1, {a: null}]', 'free data is free'],
  ['size: null\n        password:', 'null is not set'],
])('is fine: %s (%s)', (line) => {
  expect(problemsOf(gadget(line))).toEqual([])
})

test.each<[string, string[], string[]]>([
  ['both', ['{command: x, goss_rules: {}}'], ["6:15 'command' or 'goss_rules' are mutually exclusive"]],
  ['neither', ['{}'], ["6:15 one of 'command' or 'goss_rules' is required"]],
  [
    'wrong format',
    ['{command: x, format: goss}', '{goss_rules: {}, format: nagios}'],
    ["6:15 'format' must be 'nagios' when using 'command'", "7:15 'format' must be 'goss' when using 'goss_rules'"],
  ],
  [
    'durations',
    ['{command: x, timeout: zz, try_sleep: "{{ 1 }}"}'],
    ['6:37 invalid timeout duration "zz": invalid duration', '6:52 try sleep durations cannot contain templates'],
  ],
  [
    'shape',
    ['x', '{command: x, tries: 0}', '{comand: x}'],
    [
      '6:15 health_checks[0] must be a map, found text "x"',
      '7:35 tries must be a whole number of at least 1, found the number 0',
      "8:15 one of 'command' or 'goss_rules' is required",
      '8:16 unknown key "comand" in health_checks[2], did you mean "command"?',
    ],
  ],
  [
    'goss rules',
    ['{goss_rules: {}}', '{goss_rules: {fil: {}}}', '{goss_rules: {file: {/x: {exists: true, mod: a}}}}'],
    [
      '6:28 goss_rules: check nothing: set at least one resource that is not skipped',
      '7:29 goss_rules: fil: Goss has no such type, did you mean "file"?',
      '8:55 goss_rules: file: /x: mod: file has no attribute "mod", did you mean "mode"?',
    ],
  ],
  [
    'invalid commands',
    ["{command: check 'x}", '{command: "  "}'],
    ['6:25 invalid health check command: Unterminated single-quoted string', '7:25 empty health check command'],
  ],
  ['sound', ['{command: /usr/bin/check -w 1, tries: 3, try_sleep: 2s, timeout: 1m, format: nagios}'], []],
])('health checks: %s', (_title, checks, problems) => {
  expect(problemsOf(gadget('health_checks:', ...checks.map((check) => `    - ${check}`)))).toEqual(problems)
})

test('registrations are checked for their shape', () => {
  expect(problemsOf(gadget('register_when_stable:', '  - {cluster: 5, service: a, port: 0, address: "::1"}'))).toEqual([
    '6:13 protocol is required',
    '6:13 priority is required',
    '6:23 cluster must be a name of letters, digits, _ and - that starts with a letter, found the number 5',
    '6:44 port must be a whole number between 1 and 65535, found the number 0',
  ])
})

test.each<[string, string[], string[]]>([
  [
    'the same twice',
    ['/a: {ensure: absent}', '/a: {ensure: absent}'],
    ['5:11 file#/a was already declared on line 4, column 11: give each its own alias'],
  ],
  [
    'one alias for two',
    ['/a: {ensure: absent, alias: x}', '/a: {ensure: absent}'],
    ['5:11 file#/a was already declared on line 4, column 11: give each its own alias'],
  ],
  [
    'the same alias',
    ['/a: {ensure: absent, alias: x}', '/a: {ensure: absent, alias: x}'],
    ['5:11 file#x already refers to the resource on line 4, column 11'],
  ],
  [
    'an alias that is a name',
    ['/a: {ensure: absent, alias: /b}', '/b: {ensure: absent}'],
    ['5:11 file#/b already refers to the resource on line 4, column 11'],
  ],
  ['aliases of their own', ['/a: {ensure: absent, alias: x}', '/a: {ensure: absent, alias: y}'], []],
  ['requires itself', ['/a: {ensure: absent, require: [file#/a]}'], ['4:42 a resource cannot require itself']],
  [
    'requires a later one',
    ['/a: {ensure: absent, require: [file#/b]}', '/b: {ensure: absent}'],
    ['4:42 "file#/b" is declared later: a resource can only require earlier ones'],
  ],
  [
    'requires nothing there is',
    ['/abc: {ensure: absent}', '/b: {ensure: absent, require: [file#/abd, nothing]}'],
    [
      '5:42 no resource "file#/abd", did you mean "file#/abc"?',
      '5:53 "nothing" is not a reference: write type#name or type#alias',
    ],
  ],
  [
    'requires several',
    ['/a: {ensure: absent, alias: x}', '/a: {ensure: absent, alias: y}', '/b: {ensure: absent, require: [file#/a]}'],
    ['6:42 "file#/a" names 2 resources, use an alias: file#x, file#y'],
  ],
])('references: %s', (_title, entries, problems) => {
  expect(problemsOf(files(...entries.map((entry) => `        - ${entry}`)))).toEqual(problems)
})

test('the policy block', () => {
  const block = [
    'policy:',
    '  id: ""',
    '  controls:',
    '    - {id: a, severity: hihg, resources: [file#/b], foo: 1}',
    '    - {id: a, tags: x, references: [a]}',
    '    - {title: x}',
    '    - x',
  ]
  expect(problemsOf(`${block.join('\n')}\n${files('        - /a: {ensure: absent}')}`)).toEqual([
    '2:7 policy.id must not be empty, found text ""',
    '4:25 severity must be one of "info", "low", "medium", "high" or "critical", found text "hihg", did you mean "high"?',
    '4:43 no resource "file#/b", did you mean "file#/a"?',
    '4:53 unknown key "foo" in controls[0]',
    '5:12 control "a" is already defined on line 4',
    '5:12 control "a" has no resources, so nothing would be checked: add some, or set manual: true',
    '5:21 tags must be a list, found text "x"',
    '5:36 references must be a map, found a list',
    '6:7 id is required',
    '7:7 controls[3] must be a map, found text "x"',
  ])
})

const BOMB = `x-a: &a [x,x,x,x,x,x,x,x,x,x]
x-b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]
x-c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]
x-d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]
`

test.each<[string, string, string[]]>([
  ['an alias without anchor', 'x-a: *b\n', ['1:6 alias *b has no anchor &b above it']],
  ['an alias inside itself', 'x-a: &a [*a]\n', ['1:10 alias *a contains itself']],
  // b uses 10 aliases and c 10 * 11. With 111 for each in d, the eighth makes 10 + 110 + 8 * 111 = 1008.
  ['an alias bomb', BOMB, ['4:31 more than 1000 aliases are used']],
  ['something else than a map merged', 'x-a:\n  <<: [1]\n', ['2:8 only maps can be merged with "<<"']],
])('aliases: %s', (_title, text, problems) => {
  expect(problemsOf(`${text}${files('        - /a: {ensure: absent}')}`)).toEqual(problems)
})

test('a broken alias has no problem about the shape of its value', () => {
  expect(problemsOf('ccm: *body\n')).toEqual(['1:6 alias *body has no anchor &body above it'])
})

test('many aliases of a large value are refused before they are expanded', () => {
  const large = `[${Array.from({ length: 20_000 }, () => '1').join(',')}]`
  const text = `x-a: &a ${large}\nx-b: [${Array.from({ length: 60 }, () => '*a').join(',')}]\n`
  // 20001 values each: the fiftieth passes a million, in column 7 + 49 * 3.
  expect(problemsOf(`${text}${files('        - /a: {ensure: absent}')}`)).toEqual([
    '2:154 aliases expand to more than 1000000 values',
  ])
})
