import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatProblem } from '../../src/model/format-problem.ts'

const position = { file: 'p.yaml', line: 3, column: 5 }

test.each([
  ['without a place', { message: 'no' }, 'no'],
  ['without its line', { message: 'no', position }, 'p.yaml:3:5 no'],
  ['with its line', { message: 'no', position, sourceLine: 'a:  b' }, 'p.yaml:3:5 no\n  3 | a:  b\n    |     ^'],
  ['at the end of its line', { message: 'no', position, sourceLine: 'a:' }, 'p.yaml:3:5 no\n  3 | a:\n    |   ^'],
  ['with a tab', { message: 'no', position, sourceLine: '\ta: b' }, 'p.yaml:3:5 no\n  3 | \\ta: b\n    |      ^'],
  // Two columns for each Chinese character, none for what combines.
  [
    'behind wide characters',
    { message: 'no', position, sourceLine: '配置: x' },
    `p.yaml:3:5 no\n  3 | 配置: x\n    | ${' '.repeat(6)}^`,
  ],
  [
    'behind combining characters',
    { message: 'no', position, sourceLine: 'e\u0301e\u0301x' },
    'p.yaml:3:5 no\n  3 | e\u0301e\u0301x\n    |   ^',
  ],
  [
    'with an escape sequence',
    { message: 'no \u001b[31m', position: { ...position, file: 'a\nb' }, sourceLine: '\u001b[2Jx' },
    'a\\nb:3:5 no \\x1b[31m\n  3 | \\x1b[2Jx\n    |        ^',
  ],
])('a problem %s', (_title, problem, text) => {
  expect(formatProblem({ severity: 'error', ...problem })).toBe(text)
})

test('a long line is shown around the place', () => {
  const sourceLine = `${'a'.repeat(500)}X${'b'.repeat(500)}`
  const [, line, caret] = formatProblem({
    severity: 'error',
    message: 'no',
    position: { ...position, column: 501 },
    sourceLine,
  }).split('\n')
  expect(line?.length).toBeLessThan(140)
  expect(line?.charAt((caret ?? '').indexOf('^'))).toBe('X')
  expect(line).toMatch(/^ {2}3 \| …a+Xb+…$/)
})

test('a command of a log is seen although the caret stands inside it', () => {
  const place = { file: 'p.yaml', line: 1, column: 2 }
  const text = formatProblem({ severity: 'error', message: 'no', position: place, sourceLine: '##[error]' })
  expect(text).toBe('p.yaml:1:2 no\n  1 | #\\x23[error]\n    |  ^')
})

test('nothing that a terminal obeys gets through', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), fc.nat(50), (message, sourceLine, at) => {
      const text = formatProblem({ severity: 'error', message, position: { ...position, column: at + 1 }, sourceLine })
      expect(text.split('\n').length).toBe(3)
      // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
      expect(text.replaceAll('\n', '')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/)
    }),
  )
})
