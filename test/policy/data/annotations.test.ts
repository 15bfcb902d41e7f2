import { expect, test } from 'vitest'
import { type Annotation, checkAnnotations, parseDirective } from '../../../src/policy/data/annotations.ts'
import { validators } from '../../../src/policy/data/validation.ts'
import type { DataMap } from '../../../src/policy/data/merge.ts'
import { fromPlain } from '../../../src/templates/govalue/index.ts'

const position = { file: 'policy.yaml', line: 3, column: 5 }

function data(plain: object): DataMap {
  const value = fromPlain(plain)
  if (!(value instanceof Map)) throw new Error('data must be a map')
  return value
}

function annotate(path: string, directive: Annotation['directive'], argument = ''): Annotation {
  return { path: path.split('.'), directive, argument, position }
}

test.each([
  [' @require', { kind: 'directive', directive: 'require', argument: '' }],
  [' @required ', { kind: 'directive', directive: 'require', argument: '' }],
  ['@sensitive', { kind: 'directive', directive: 'sensitive', argument: '' }],
  [
    ' @validate isIP(value) || isFQDN(value)',
    { kind: 'directive', directive: 'validate', argument: 'isIP(value) || isFQDN(value)' },
  ],
  [' @validate', { kind: 'unusable', message: '@validate needs an expression, such as: @validate isIPv4(value)' }],
  [' @requiired', { kind: 'unusable', message: 'unknown annotation @requiired, did you mean "required"?' }],
  [' @__proto__', { kind: 'unusable', message: 'unknown annotation @__proto__' }],
  [' the port, see ops@example.net', { kind: 'none' }],
])('the comment "%s" is read', (line, expected) => {
  expect(parseDirective(line)).toEqual(expected)
})

test('a required key needs a value; false and 0 are values', () => {
  const values = data({ empty: '', nothing: null, no: false, zero: 0, deep: { set: 'x' } })
  const keys = ['empty', 'nothing', 'no', 'zero', 'deep.set', 'deep.unset']
  const failures = checkAnnotations(
    keys.map((key) => annotate(key, 'require')),
    values,
    () => true,
  )
  expect(failures.map(({ message }) => message)).toEqual([
    'key "empty" is required but has no value',
    'key "nothing" is required but has no value',
    'key "deep.unset" is required but has no value',
  ])
  expect(failures[0]?.position).toEqual(position)
})

test('validation skips unset and null values, lists and maps', () => {
  const values = data({ list: ['x'], map: { k: 1 }, nothing: null, text: 'x' })
  const asked: unknown[] = []
  const annotations = ['list', 'map', 'nothing', 'unset', 'text'].map((key) => annotate(key, 'validate', 'no()'))
  const failures = checkAnnotations(annotations, values, (_expression, value) => {
    asked.push(value)
    return false
  })
  expect(asked).toEqual(['x'])
  expect(failures.map(({ message }) => message)).toEqual(['key "text" failed validation "no()"'])
})

test('an expression that cannot be evaluated is told with its reason', () => {
  const failures = checkAnnotations([annotate('a', 'validate', 'nope(value)')], data({ a: 1 }), () => ({
    message: 'unknown name nope',
  }))
  expect(failures.map(({ message }) => message)).toEqual(['key "a" validation "nope(value)" failed: unknown name nope'])
})

// Expectations are those of Go: net.ParseIP, strconv.Atoi, strconv.ParseFloat, and RFC 1123.
test.each<[string, readonly string[], readonly string[]]>([
  ['isIP', ['10.0.0.1', '::1', 'fe80::1'], ['10.0.0', '256.1.1.1', '', 'example.com']],
  ['isIPv4', ['10.0.0.1'], ['::1', '010.0.0.1']],
  ['isIPv6', ['::1', '2001:db8::'], ['10.0.0.1']],
  ['isInt', ['0', '-1', '+7', '9223372036854775807'], ['9223372036854775808', '1.0', '', '0x1', '1_000']],
  ['isFloat', ['1', '1.5', '.5', '1e3', '-Inf', 'nan', '0x1p-2'], ['', 'x', '1,5', '1e']],
  ['isDuration', ['1h30m', '90s', '1.5h', '2d', '1w'], ['', '10', 'h', '1 h']],
  ['isShellSafe', ['/usr/bin/thing --flag=1', '  x  '], ['a; b', '$(x)', 'a|b', 'a\nb', '`x`']],
  ['isHostname', ['web01', 'web01.example.net', 'a-b'], ['-a', 'a-', 'a_b', '', 'a..b', `${'x'.repeat(64)}`]],
  ['isFQDN', ['web01.example.net', 'example.net.'], ['web01', 'web01.', '']],
])('%s tells the form', (name, good, bad) => {
  const check = validators.get(name)
  for (const text of good) expect([text, check?.call([text])]).toEqual([text, true])
  for (const text of bad) expect([text, check?.call([text])]).toEqual([text, false])
})

test('every validator has both of its spellings', () => {
  expect([...validators.keys()].filter((name) => name.includes('_'))).toHaveLength(validators.size / 2)
})
