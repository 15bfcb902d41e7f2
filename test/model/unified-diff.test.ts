import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { unifiedDiff } from '../../src/model/unified-diff.ts'

const header = '--- observed\n+++ desired\n'
const noNewline = '\\ No newline at end of file\n'

/** What GNU diffutils' `diff -u` prints for these files, headers aside. */
test.each([
  ['equal', 'a\n', 'a\n', ''],
  [
    'two hunks',
    'a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl\n',
    'a\nb\nX\nd\ne\nf\ng\nh\ni\nj\nk\nL2\n',
    `${header}@@ -1,6 +1,6 @@\n a\n b\n-c\n+X\n d\n e\n f\n@@ -9,4 +9,4 @@\n i\n j\n k\n-l\n+L2\n`,
  ],
  [
    'six lines between two changes, which are in one hunk',
    'a\n1\n2\n3\n4\n5\n6\nb\n',
    'A\n1\n2\n3\n4\n5\n6\nB\n',
    `${header}@@ -1,8 +1,8 @@\n-a\n+A\n 1\n 2\n 3\n 4\n 5\n 6\n-b\n+B\n`,
  ],
  [
    'seven lines between two changes, which are in two',
    'a\n1\n2\n3\n4\n5\n6\n7\nb\n',
    'A\n1\n2\n3\n4\n5\n6\n7\nB\n',
    `${header}@@ -1,4 +1,4 @@\n-a\n+A\n 1\n 2\n 3\n@@ -6,4 +6,4 @@\n 5\n 6\n 7\n-b\n+B\n`,
  ],
  ['added line feed', 'one\ntwo', 'one\ntwo\n', `${header}@@ -1,2 +1,2 @@\n one\n-two\n${noNewline}+two\n`],
  ['from nothing', '', 'x\ny\n', `${header}@@ -0,0 +1,2 @@\n+x\n+y\n`],
  ['to nothing', 'x\ny\n', '', `${header}@@ -1,2 +0,0 @@\n-x\n-y\n`],
  ['one line to three', 'x', 'x\ny\nz\n', `${header}@@ -1 +1,3 @@\n-x\n${noNewline}+x\n+y\n+z\n`],
])('%s', (_name, observed, desired, expected) => {
  expect(unifiedDiff(observed, desired)).toBe(expected)
})

/** Applies a patch as patch(1) does, checking every context and removed line. */
function applyPatch(text: string, patch: string): string {
  const source = text === '' ? [] : text.split(/(?<=\n)/)
  const result: string[] = []
  let next = 0
  const lines = patch.split('\n').slice(2, -1)
  lines.forEach((line, index) => {
    const content = lines[index + 1]?.startsWith('\\') === true ? line.slice(1) : `${line.slice(1)}\n`
    if (line.startsWith('@@')) {
      const [, from = '0', count = '1'] = /^@@ -(\d+)(?:,(\d+))?/.exec(line) ?? []
      const start = count === '0' ? Number(from) : Number(from) - 1
      result.push(...source.slice(next, start))
      next = start
    } else if (line.startsWith('+')) {
      result.push(content)
    } else if (!line.startsWith('\\')) {
      expect(source[next]).toBe(content)
      if (line.startsWith(' ')) result.push(content)
      next++
    }
  })
  return [...result, ...source.slice(next)].join('')
}

describe('applying the difference to the first text gives the second', () => {
  const line = fc.constantFrom('a\n', 'b\n', 'c\n', '\n', '+d\n', '-e\n', '@@ -1 +1 @@\n', ' \r\n')
  const text = fc
    .tuple(fc.array(line, { maxLength: 40 }), fc.constantFrom('', 'a', 'last'))
    .map(([lines, last]) => lines.join('') + last)

  test.each([0, 1, 3])('with %i lines of context', (contextLines) => {
    fc.assert(
      fc.property(text, text, (observed, desired) => {
        const patch = unifiedDiff(observed, desired, { contextLines, maxLines: 10_000 })
        expect(applyPatch(observed, patch)).toBe(desired)
      }),
      { numRuns: 300 },
    )
  })

  test('also for texts too far apart for the shortest script', () => {
    const numbered = (word: string): string => Array.from({ length: 1500 }, (_, index) => `${word} ${index}\n`).join('')
    const [observed, desired] = [`same\n${numbered('a')}end\n`, `same\n${numbered('b')}end\n`]
    const patch = unifiedDiff(observed, desired, { contextLines: 3, maxLines: 10_000 })
    expect(applyPatch(observed, patch)).toBe(desired)
  })
})

test('a script is shortest: one changed line among many gives one removal and one addition', () => {
  const lines = Array.from({ length: 500 }, (_, index) => `${index}\n`)
  const patch = unifiedDiff(lines.join(''), lines.with(250, 'x\n').join(''))
  expect(patch.split('\n').filter((line) => /^[-+](?![-+])/.test(line))).toEqual(['-250', '+x'])
})

test('the output is bounded and counts the hidden lines', () => {
  const desired = Array.from({ length: 50 }, (_, index) => `${index}\n`).join('')
  // Two header lines, one hunk line and 50 additions make 53 lines.
  const patch = unifiedDiff('', desired, { contextLines: 3, maxLines: 10 })
  expect(patch.trimEnd().split('\n')).toHaveLength(11)
  expect(patch.endsWith('... 43 more lines\n')).toBe(true)
})
