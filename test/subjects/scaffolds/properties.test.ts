import { expect, test } from 'vitest'
import { decodeProperties } from '../../../src/resource-type/decode.ts'
import { scaffold } from '../../../src/subjects/scaffolds/index.ts'
import { problemsOf } from '../../policy/support.ts'

const valid = { name: '/etc/app', ensure: 'present', source: 'templates' }

function problems(values: Record<string, unknown>): readonly string[] {
  const decoded = decodeProperties(scaffold, { ...valid, ...values })
  return decoded.ok ? [] : decoded.violations.map(({ message }) => message)
}

test('the defaults are those of the documentation', () => {
  expect(decodeProperties(scaffold, valid)).toEqual({
    ok: true,
    values: { ...valid, engine: 'jet', skip_empty: false, purge: false },
  })
})

test.each<[string, Record<string, unknown>]>([
  ['all of them', { engine: 'go', left_delimiter: '<<', right_delimiter: '>>', skip_empty: true, purge: true }],
  ['post', { post: [{ '*.go': 'go fmt {}', 'a?[b-c]': "x 'y z'" }, { '*': 'true' }] }],
  ['data', { data: { port: 80, nested: { list: [1, 'x', null] } } }],
  ['a URL', { source: 'https://example.org/app.tar.gz' }],
  ['empty delimiters', { left_delimiter: '', right_delimiter: '' }],
])('%s', (_name, values) => {
  expect(problems(values)).toEqual([])
})

test.each<[string, Record<string, unknown>, string]>([
  ['relative name', { name: 'etc/app' }, 'name must be an absolute path'],
  ['name that is not clean', { name: '/etc/../app' }, 'name must be a canonical path, write "/app"'],
  ['other ensure', { ensure: 'directory' }, 'invalid ensure value "directory": must be one of "present" or "absent"'],
  ['no source', { source: '' }, 'source cannot be empty'],
  ['other engine', { engine: 'erb' }, 'invalid engine value "erb": must be one of "go" or "jet"'],
  ['left delimiter alone', { left_delimiter: '<<' }, 'both left_delimiter and right_delimiter must be set'],
  ['right delimiter alone', { right_delimiter: '>>' }, 'both left_delimiter and right_delimiter must be set'],
  ['empty pattern', { post: [{ '': 'x' }] }, 'post keys cannot be empty'],
  ['empty command', { post: [{ a: 'b' }, { k: '' }] }, 'post value for key "k" cannot be empty'],
  ['blank command', { post: [{ k: ' \t' }] }, 'post value for key "k" cannot be empty'],
  ['bad pattern', { post: [{ '[a': 'x' }] }, 'post key "[a": syntax error in pattern'],
  ['open quote', { post: [{ k: "a 'b" }] }, 'post value for key "k": Unterminated single-quoted string'],
])('%s is refused', (_name, values, message) => {
  expect(problems(values)).toEqual([message])
})

test.each(scaffold.examples.map(({ title, yaml }) => [title, yaml] as const))(
  'the example "%s" is a policy',
  (_title, yaml) => {
    const item = yaml.split('\n').map((line, index) => `${index === 0 ? '    - ' : '      '}${line}`)
    expect(problemsOf(['ccm:', '  resources:', ...item, ''].join('\n'))).toEqual([])
  },
)

test('a policy with templates in its properties is checked as far as it can be', () => {
  const policy = (lines: readonly string[]): string =>
    [
      'ccm:',
      '  resources:',
      '    - scaffold:',
      '        - /etc/app:',
      ...lines.map((line) => `            ${line}`),
      '',
    ].join('\n')
  const sound = [
    'ensure: present',
    'source: "{{ Data.source }}"',
    'data: { "port": "{{ Data.port }}" }',
    'post: [{ "*": "{{ Data.check }}" }]',
  ]
  expect(problemsOf(policy(sound))).toEqual([])
  const faulty = [...sound, 'engine: "{{ Data.engine }}"', 'left_delimiter: "<<"']
  expect(problemsOf(policy(faulty))).toEqual([
    expect.stringContaining('engine'),
    expect.stringContaining('both left_delimiter and right_delimiter must be set'),
  ])
})
