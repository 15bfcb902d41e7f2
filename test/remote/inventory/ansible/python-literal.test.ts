import { expect, test } from 'vitest'
import { pythonLiteral } from '../../../../src/remote/inventory/ansible/python-literal.ts'

// Whatever else there is, the comparison with Ansible has.
test.each([
  ["b'x'", 'python'],
  ['{1, 2}', 'python'],
  ['{(1, 2): 3}', 'python'],
  ['1j', 'python'],
  ['1+2j', 'python'],
  ['-1.5 - .5e3j', 'python'],
  [String.raw`'\N{BULLET}'`, 'python'],
  ['1+2', 'none'],
  ['[[1]', 'none'],
  ["'a", 'none'],
  [`${'['.repeat(60)}${']'.repeat(60)}`, 'none'],
])('%j is %s', (text, kind) => {
  expect(pythonLiteral(text)).toEqual({ kind })
})
