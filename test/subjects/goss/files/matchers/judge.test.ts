import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { sourceText } from '../../../../../src/policy/document/lines.ts'
import { judgeResource, measureMatching } from '../../../../../src/subjects/goss/files/judge.ts'
import { judge } from '../../../../../src/subjects/goss/files/matchers/judge.ts'
import { judgePatterns, parsePattern } from '../../../../../src/subjects/goss/files/patterns.ts'
import { readGossTree } from '../../../../../src/subjects/goss/files/read-tree.ts'
import type { GossResource } from '../../../../../src/subjects/goss/files/read.ts'
import { textFromBytes } from '../../../../../src/host/byte-text.ts'

const fixture = (name: string): string => readFileSync(new URL(`../fixtures/${name}`, import.meta.url), 'utf8')

const { resources } = readGossTree(sourceText('matching.yaml', fixture('matching.yaml')))

/** What Goss 0.4.9 says of each: `error` fails a check, too. */
const { verdicts }: { readonly verdicts: Readonly<Record<string, string>> } = JSON.parse(fixture('matching.json'))

/** Where driftgate says something else, and what. Each is a line of docs/guide/goss.md. */
const OTHERS: Readonly<Record<string, string>> = {
  // A value that cannot be judged proves nothing, its opposite neither.
  'not-element-partly-unfit': 'unknown',
  'not-element-unfit': 'unknown',
  'not-length-of-number': 'unknown',
  'not-list-of-text': 'unknown',
  'not-unfit': 'unknown',
  // One alternative that cannot judge the value leaves the others.
  'or-first-unfit': 'pass',
  // 5 is 5, whether it stands in JSON or in YAML, and a large number has all its digits.
  'gjson-equal-number': 'pass',
  'text-of-large-float': 'fail',
  'number-of-list': 'pass',
  // Octal numbers of YAML 1.1: a file says "0o10" or quotes them.
  'yaml-octal-of-1.1': 'fail',
  // Wildcards in ranges mean what they say.
  'semver-not-wildcard-or': 'pass',
  'semver-not-wildcard-outside': 'pass',
  'semver-or-without-spaces': 'pass',
  'semver-two-wildcards': 'pass',
}

function verdictOf(resource: GossResource | undefined): string | undefined {
  if (resource === undefined) return undefined
  return judgeResource(resource, measureMatching(resource))[0]?.kind
}

describe('matchers', () => {
  test.each(Object.entries(verdicts))('%s', (name, recorded) => {
    const expected = OTHERS[name] ?? (recorded === 'pass' ? 'pass' : 'fail')
    expect(verdictOf(resources.find(({ key }) => key === name))).toBe(expected)
  })

  test('every difference is one of a case', () => {
    const same = Object.entries(OTHERS).filter(([name, verdict]) => verdicts[name] === verdict)
    expect(same).toEqual([])
    expect(Object.keys(OTHERS).filter((name) => verdicts[name] === undefined)).toEqual([])
  })
})

describe('the reason why a value does not match', () => {
  test.each([
    ['consists-extra', 'extra "c"'],
    ['elements-twice', 'missing "a"'],
    ['gjson-several', 'the value at b is not greater than 2'],
    ['number-of-text-that-is-none', 'is not a number'],
    ['reader-all-missing', 'does not meet the patterns "!a", "!a", "b"'],
    ['reader-inverse-found', 'does not meet the pattern "!b"'],
    ['semver-list-one-outside', '"2.9.0" is outside the range'],
    ['word-prefix-fails', 'does not have the prefix "oo"'],
  ])('%s', (name, why) => {
    const resource = resources.find(({ key }) => key === name)
    if (resource === undefined) throw new Error(`no case ${name}`)
    expect(judgeResource(resource, measureMatching(resource))).toMatchObject([{ kind: 'fail', why }])
  })
})

test('a line too long to search makes its patterns unknown', () => {
  const patterns = ['a', '!b'].map(parsePattern).filter((pattern) => typeof pattern !== 'string')
  expect(judgePatterns(patterns, `a\n${'x'.repeat(1024 * 1024)}\n`)).toMatchObject({ kind: 'unknown' })
  for (const character of ['x', textFromBytes(Buffer.of(0xe9))]) {
    expect(judgePatterns(patterns, `a\n${character.repeat(1024 * 1024 - 1)}\n`)).toEqual({ kind: 'judged', unmet: [] })
  }
})

// Flags came to Goss after 0.4.9. @see https://github.com/goss-org/goss/pull/1057
test.each([
  ['/ERROR/i', 'an error', []],
  ['!/ERROR/i', 'an error', ['!/ERROR/i']],
  ['/(?=a)/', '', 'is not a regular expression'],
])('the pattern %s', (written, text, expected) => {
  const pattern = parsePattern(written)
  const unmet = typeof pattern === 'string' ? pattern : judgePatterns([pattern], text)
  expect(unmet).toEqual(
    Array.isArray(expected) ? { kind: 'judged', unmet: expected } : expect.stringContaining(String(expected)),
  )
})

test('a byte that is not UTF-8 is one byte of a length, as in Go', () => {
  const content = textFromBytes(Buffer.from([0x63, 0x61, 0x66, 0xe9, 0xf0, 0x9f, 0x98, 0x80]))
  const kinds = [7, 8, 10].map((length) => judge({ kind: 'have-len', wanted: length }, content).kind)
  expect(kinds).toEqual(['fail', 'pass', 'fail'])
})
