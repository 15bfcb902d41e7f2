import { posix } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { absolutePathProblem, cleanPath } from '../../src/model/path-rules.ts'

// The examples of Go's documentation and tests of path.Clean.
test.each([
  ['', '.'],
  ['abc', 'abc'],
  ['/', '/'],
  ['..', '..'],
  ['../..', '../..'],
  ['abc/', 'abc'],
  ['/abc/', '/abc'],
  ['./', '.'],
  ['abc//def//ghi', 'abc/def/ghi'],
  ['///abc', '/abc'],
  ['abc/./../def', 'def'],
  ['abc/def/../../..', '..'],
  ['/abc/def/../../..', '/'],
  ['abc/../../././../def', '../../def'],
])('%s is %s', (path, clean) => {
  expect(cleanPath(path)).toBe(clean)
})

test('a path is cleaned as Node does it, but for the slash at the end that Node keeps', () => {
  const part = fc.constantFrom('', '.', '..', 'a', 'b c', '...')
  fc.assert(
    fc.property(fc.array(part), fc.boolean(), (parts, rooted) => {
      const path = `${rooted ? '/' : ''}${parts.join('/')}`
      const expected = posix.normalize(path)
      expect(cleanPath(path)).toBe(expected === '/' ? '/' : expected.replace(/\/$/, ''))
    }),
  )
})

test.each([
  ['/etc/motd', undefined],
  ['/', undefined],
  ['/a b#\n', undefined],
  ['', 'must be an absolute path'],
  ['etc', 'must be an absolute path'],
  ['/a\0', 'must not contain a NUL character'],
  ['/a/', 'must be a canonical path, write "/a"'],
  ['//a', 'must be a canonical path, write "/a"'],
  ['/a/../b', 'must be a canonical path, write "/b"'],
])('%j: %s', (path, problem) => {
  expect(absolutePathProblem(path)).toBe(problem)
})
