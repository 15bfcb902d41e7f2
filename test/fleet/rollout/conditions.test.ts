import { property, assert, constantFrom, integer, array, record, oneof } from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DEFAULT_STOP, isOver, limitWords, MEASURES, parseLimits } from '../../../src/fleet/rollout/conditions.ts'

test('conditions are read as they are written', () => {
  expect(parseLimits('--stop', 'error>0.5% or silent >= 3\nor new-drift>5%')).toEqual({
    ok: true,
    warnings: [],
    value: [
      { measure: 'error', comparison: '>', amount: 0.5, unit: 'percent' },
      { measure: 'silent', comparison: '>=', amount: 3, unit: 'hosts' },
      { measure: 'new-drift', comparison: '>', amount: 5, unit: 'percent' },
    ],
  })
  expect(parseLimits('--stop', DEFAULT_STOP).ok).toBe(true)
})

// The column is where the eye has to look: that of the first character that is wrong, or of the end where something is missing.
test.each([
  ['', 1, 'a measure is missing'],
  ['errors>1%', 1, '"errors" is not a measure, did you mean "error"?'],
  ['error>1% or', 12, 'a measure is missing'],
  ['or error>1%', 1, 'a measure is missing'],
  ['error', 6, 'error must be followed by > or >='],
  ['error<1%', 6, 'error must be followed by > or >='],
  ['error = 1%', 7, 'error must be followed by > or >='],
  ['error>', 7, 'the limit must be a number of hosts'],
  ['error>1.5', 7, 'the limit must be a number of hosts'],
  ['error>0.1234%', 7, 'the limit must be a number of hosts'],
  ['error>-1', 7, 'the limit must be a number of hosts'],
  ['error>=0', 6, 'error>=0 is always true'],
  ['error>=0.0%', 6, 'error>=0.0% is always true'],
  ['error>100%', 6, 'error>100% can never be true'],
  ['error>1% and silent>1%', 10, '"and" is unexpected'],
  ['error>1% silent>1%', 10, '"silent>1%" is unexpected'],
])('%j is told at column %i', (text, column, message) => {
  const read = parseLimits('--stop', text)
  const [problem] = read.ok ? [] : read.problems
  expect(problem).toMatchObject({
    position: { file: '--stop', line: 1, column },
    message: expect.stringContaining(message),
  })
})

test('everything that is wrong is told at once', () => {
  const read = parseLimits('--stop', 'mistake>1% or silent>1% or new-drift<5%')
  expect(read.ok ? [] : read.problems.map(({ position }) => position?.column)).toEqual([1, 37])
})

const limit = record({
  measure: constantFrom(...MEASURES),
  comparison: constantFrom('>' as const, '>=' as const),
  size: oneof(
    record({ unit: constantFrom('percent' as const), amount: integer({ min: 1, max: 99_999 }).map((n) => n / 1000) }),
    record({ unit: constantFrom('hosts' as const), amount: integer({ min: 1, max: 1_000_000 }) }),
  ),
}).map(({ measure, comparison, size }) => ({ measure, comparison, ...size }))

test('limits are read back as they are written', () => {
  assert(
    property(array(limit, { minLength: 1, maxLength: 5 }), (limits) => {
      expect(parseLimits('--stop', limits.map(limitWords).join(' or '))).toEqual({
        ok: true,
        value: limits,
        warnings: [],
      })
    }),
  )
})

describe('too many', () => {
  // 0.5 % of 200 hosts are 1, 0.07 % of 10,000 are 7; floating point would make the latter 7.000000000000001.
  test.each([
    ['error>0.5%', 1, 200, false],
    ['error>=0.5%', 1, 200, true],
    ['error>0.5%', 1, 199, true],
    ['error>=0.07%', 7, 10_000, true],
    ['error>0.07%', 7, 10_000, false],
    ['error>0%', 1, 1_000_000, true],
    ['error>0%', 0, 0, false],
    ['error>2', 2, 2, false],
    ['error>2', 3, 1_000_000, true],
    ['error>=100%', 3, 3, true],
  ])('%s with %i of %i hosts: %s', (text, hosts, of, isTooMany) => {
    const read = parseLimits('--stop', text)
    expect(read.ok && read.value.map((each) => isOver(each, { hosts, of }))).toEqual([isTooMany])
  })

  test('more hosts are never fewer than too many', () => {
    assert(
      property(limit, integer({ min: 0, max: 1000 }), integer({ min: 0, max: 1000 }), (each, hosts, others) => {
        const of = hosts + others
        if (isOver(each, { hosts, of })) expect(isOver(each, { hosts: hosts + 1, of: of + 1 })).toBe(true)
      }),
    )
  })
})
