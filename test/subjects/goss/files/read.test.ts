import { describe, expect, test } from 'vitest'
import { sourceText } from '../../../../src/policy/document/lines.ts'
import { readGossTree } from '../../../../src/subjects/goss/files/read-tree.ts'
import { judgeResource, wantedOf } from '../../../../src/subjects/goss/files/judge.ts'
import { known, unknown } from '../../../../src/model/observation.ts'
import type { Measured } from '../../../../src/subjects/goss/files/resource.ts'

function problemsOf(text: string): readonly string[] {
  const { problems } = readGossTree(sourceText('goss.yaml', text))
  return problems.map(({ position, message }) => `${position?.line}:${position?.column} ${message}`)
}

describe('problems of a document of Goss', () => {
  test.each<[string, string, string]>([
    // Goss passes over it, and the checks are gone.
    ['an unknown type', 'fil: {}', '1:1 fil: Goss has no such type, did you mean "file"?'],
    [
      'a key that is like no type',
      'release: {a: 1}',
      '1:1 release: Goss has no such type; a key that only holds anchors begins with "x-"',
    ],
    // It would hide a check, with any value of the alias.
    [
      'a slip in a type whose resource is repeated',
      'fil: {/x: &x {exists: true}}\nfile: {/y: *x}',
      '1:1 fil: Goss has no such type, did you mean "file"?',
    ],
    [
      'a key that repeats what stands above',
      'file: {/x: &x {exists: true}}\nrelease: {/y: *x}',
      '2:1 release: Goss has no such type; a key that only holds anchors begins with "x-"',
    ],
    [
      'a type of Windows',
      'registry: {x: {exists: true}}',
      '1:1 registry: is for Windows, which driftgate does not support',
    ],
    ['a list of resources', 'file: [a]', '1:1 file: must be a map from resource names to attributes'],
    ['a text for a resource', 'file: {/x: yes}', '1:8 file: /x: must be a map of the attributes of file /x'],
    [
      'an unknown attribute',
      'file: {/x: {exists: true, mod: "0644"}}',
      '1:27 file: /x: mod: file has no attribute "mod", did you mean "mode"?',
    ],
    ['a gate that is missing', 'file: {/x: {mode: "0644"}}', '1:8 file: /x: exists is required'],
    [
      'a service that has to be nothing',
      'service: {x: {}}',
      '1:11 service: x: has no checks: set at least one of enabled, running, runlevels',
    ],
    [
      'a parameter of another kind',
      'command: {x: {exit-status: 0, timeout: 5s}}',
      '1:31 command: x: timeout: must be a whole number, 0 or more',
    ],
    ['a skip that is text', 'file: {/x: {exists: true, skip: "Yes"}}', '1:27 file: /x: skip: must be true or false'],
    [
      'an empty "contain-elements"',
      'user: {x: {exists: true, groups: {contain-elements: []}}}',
      '1:35 user: x: groups: contain-elements: is empty and checks nothing: list at least one, or use {have-len: 0} to require an empty value',
    ],
    [
      'an empty "have-patterns"',
      'file: {/x: {exists: true, contents: {have-patterns: []}}}',
      '1:38 file: /x: contents: have-patterns: is empty and checks nothing: list at least one, or use {have-len: 0} to require an empty value',
    ],
    [
      'an empty list below a matcher',
      'user: {x: {exists: true, groups: {or: [[], [a]]}}}',
      '1:40 user: x: groups: or: 0: is empty and checks nothing: list at least one, or use {have-len: 0} to require an empty value',
    ],
    // As Goss writes them; they are said, and the file is scanned.
    [
      'an empty list of patterns',
      'command: {x: {exit-status: 0, stdout: []}}',
      "1:31 command: x: stdout: an empty list checks nothing; write '' to require empty text",
    ],
    [
      'an empty list',
      'user: {x: {exists: true, groups: []}}',
      '1:26 user: x: groups: an empty list checks nothing; write {have-len: 0} to require an empty list',
    ],
    [
      'an unknown matcher',
      'file: {/x: {exists: true, mode: {match: x}}}',
      '1:27 file: /x: mode: unknown matcher "match"',
    ],
    [
      'a matcher that is not judged',
      'file: {/x: {exists: true, contents: {xml: {xpath: /a}}}}',
      '1:27 file: /x: contents: driftgate does not support "xml": compare the text or use a command',
    ],
    [
      'two matchers at one level',
      'file: {/x: {exists: true, size: {gt: 1, lt: 5}}}',
      '1:27 file: /x: size: contains several matchers (gt, lt): put them in a list below "and" or "or"',
    ],
    [
      'a number in quotes',
      'file: {/x: {exists: true, size: {gt: "1"}}}',
      '1:34 file: /x: size: gt: must be a number, without quotes',
    ],
    [
      'a pattern that is a number',
      'command: {x: {exit-status: 0, stdout: [5]}}',
      '1:40 command: x: stdout: 0: must be text: quote it',
    ],
    [
      'an invalid range',
      'package: {x: {installed: true, versions: {semver-constraint: "~1.2"}}}',
      '1:43 package: x: versions: semver-constraint: must be a range of semantic versions, such as ">=1.2.0 <2.0.0"',
    ],
    ['an empty "or"', 'file: {/x: {exists: {or: []}}}', '1:22 file: /x: exists: or: needs at least one matcher'],
    [
      'an attribute of an include',
      'gossfile: {a.yaml: {skp: true}}',
      '1:21 gossfile: a.yaml: skp: gossfile has no attribute "skp", did you mean "skip"?',
    ],
  ])('%s', (_, text, problem) => {
    expect(problemsOf(text)).toEqual([problem])
  })

  test('an expression that RE2 does not know', () => {
    const [problem] = problemsOf('matching: {x: {content: a, matches: {match-regexp: "(?=a)"}}}')
    expect(problem).toMatch(/^1:38 matching: x: matches: match-regexp: is not a regular expression \(RE2\): /)
  })

  test('older names and sections that a template left empty are no problems', () => {
    expect(problemsOf('dns: {x: {resolveable: true}}\nfile: {/x: {exists: true, contains: [a]}}\nuser:\n')).toEqual([])
  })
})

test('resources are in the order in which they are written, ports, too', () => {
  const text =
    'user: {"33": {exists: true}, a: {exists: true}, "1": {exists: true}}\nport: {8080: {listening: true}, 80: {listening: true}}'
  const { resources } = readGossTree(sourceText('goss.yaml', text))
  expect(resources.map(({ type, key }) => `${type} ${key}`)).toEqual([
    'user 33',
    'user a',
    'user 1',
    'port 8080',
    'port 80',
  ])
})

// Go's yaml.v3 reads them so; the space is that of the line end.
test.each([
  ['a text', 'command:\n  x:\n    exit-status: 0\n    stdout:\n      - "one\n"\n      - two', ['one ', 'two']],
  ['a list', 'command:\n  x:\n    exit-status: 0\n    stdout: [one,\ntwo,\n  three\n]', ['one', 'two', 'three']],
])('%s may go on in lines that are indented too little', (_, text, stdout) => {
  const { resources, problems } = readGossTree(sourceText('goss.yaml', text))
  expect(problems).toEqual([])
  expect(resources[0]?.given['stdout']).toEqual(stdout)
  expect(problemsOf(`${text}\nfil: {}`)).toEqual([expect.stringMatching(/^\d:1 fil: /)])
})

test.each([
  'release: &r {exists: true}\nfile: {/x: {<<: *r}}',
  'release:\n  deep: {er: &r {exists: true}}\nfile: {/x: *r}',
  'x-release: {exists: true}\nfile: {/x: {exists: true}}',
])('a key at the top may hold an anchor for use below: %j', (text) => {
  const { resources, problems } = readGossTree(sourceText('goss.yaml', text))
  expect([problems, resources.map(({ key }) => key)]).toEqual([[], ['/x']])
})

// What yaml.v3 takes for a bool where a field of Go is one; other spellings it refuses.
test.each([
  ['yes', true],
  ['on', true],
  ['y', true],
  ['"yes"', true],
  ['no', false],
  ['off', false],
])('skip: %s', (written, isSkipped) => {
  const { resources, problems } = readGossTree(
    sourceText(
      'goss.yaml',
      `file: {/x: {exists: true, skip: ${written}}}\nhttp: {x: {status: 200, allow-insecure: ${written}}}`,
    ),
  )
  expect(problems).toEqual([])
  expect(resources.map((resource) => resource.isSkipped)).toEqual([isSkipped, false])
  expect(resources[1]?.given['allow-insecure']).toBe(isSkipped)
})

const ABSENT: readonly (readonly [string, Measured])[] = [['exists', known(false)]]

function judged(text: string, measured: readonly (readonly [string, Measured])[]): readonly string[] {
  const [resource] = readGossTree(sourceText('goss.yaml', text)).resources
  if (resource === undefined) throw new Error('no resource')
  return judgeResource(resource, new Map(measured)).map(({ assertion, kind }) => `${assertion.attribute} ${kind}`)
}

describe('the gate', () => {
  const text = 'file: {/x: {mode: "0644", exists: true}}'

  test('comes first', () => {
    const [resource] = readGossTree(sourceText('goss.yaml', text)).resources
    expect(resource && wantedOf(resource)).toEqual(['exists', 'mode'])
  })

  test.each([
    ['an absent path has no mode', text, ABSENT, ['exists fail', 'mode skipped']],
    ['nor where it must not be there', 'file: {/x: {exists: false, mode: a}}', ABSENT, ['exists pass', 'mode skipped']],
    [
      'nor where it may be there',
      'file: {/x: {exists: {or: [true, false]}, mode: a}}',
      ABSENT,
      ['exists pass', 'mode skipped'],
    ],
    // Goss skips the rest in these cases, too.
    [
      'a path that must be absent is judged all the same',
      'file: {/x: {exists: false, mode: a}}',
      [
        ['exists', known(true)],
        ['mode', known('b')],
      ],
      ['exists fail', 'mode fail'],
    ],
    [
      'another status hides no body',
      'http: {a: {status: 200, body: [ok]}}',
      [
        ['status', known(500)],
        ['body', known({ text: 'no' })],
      ],
      ['status fail', 'body fail'],
    ],
    [
      'an unreadable path is unknown, not absent',
      text,
      [
        ['exists', unknown('permission-denied', 'no')],
        ['mode', unknown('permission-denied', 'no')],
      ],
      ['exists unknown', 'mode unknown'],
    ],
    ['an attribute that was not measured is unknown', text, [['exists', known(true)]], ['exists pass', 'mode unknown']],
  ] as const)('%s', (_, document, measured, expected) => {
    expect(judged(document, measured)).toEqual(expected)
  })
})

test('an empty list of patterns asks for nothing, as "goss add" writes it', () => {
  expect(
    judged('command: {x: {exit-status: 0, stdout: [], stderr: ""}}', [
      ['exit-status', known(0)],
      ['stderr', known({ text: '' })],
    ]),
  ).toEqual(['exit-status pass', 'stderr pass'])
})
