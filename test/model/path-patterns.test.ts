import { expect, test } from 'vitest'
import { compileWhole, patternOf, patternProblem } from '../../src/model/path-patterns.ts'

test.each([
  [['a'], 'a', true],
  [['a'], 'b/a', false],
  [['b/*'], 'b/a', true],
  [['b/*'], 'b/a/c', false],
  [['**'], 'b/a/c', true],
  [['b/**'], 'b', false],
  [['**/a'], 'b/c/a', true],
  [['a*b'], 'ab', true],
  [['ab*ba'], 'aba', false],
  [[], 'a', false],
])('of the whole path %j says of %s: %s', (patterns, path, isMatch) => {
  expect(compileWhole(patterns)(path)).toBe(isMatch)
})

test.each(['a', 'b/[a-z]', '*', '**', 'x**y/?', 'a\\x2db', '{a,b}', '[^a]', '[!a]', ']', '-'])(
  'the pattern of %s is for that alone',
  (path) => {
    const pattern = patternOf(path)
    expect(patternProblem(pattern)).toBeUndefined()
    const isMatch = compileWhole([pattern])
    const others = ['a', 'b/b', 'b/x', 'xzy/z', 'ax2db', 'b', '!', 'z'].filter((each) => each !== path)
    expect([path, ...others].filter(isMatch)).toEqual([path])
  },
)
