import { expect, test } from 'vitest'
import {
  CONTROL_VERDICTS,
  isAtLeast,
  isFailure,
  SEVERITIES,
  VERDICTS,
  worstSeverity,
  worstVerdict,
} from '../../src/model/verdict.ts'

test('the worst verdict of a group follows the documented order', () => {
  const worstFirst = [
    'fix-failed',
    'error',
    'drifted',
    'blocked',
    'waived',
    'fixed',
    'compliant',
    'not-applicable',
  ] as const
  expect([...worstFirst].toSorted()).toEqual([...VERDICTS].toSorted())
  for (const [index, verdict] of worstFirst.entries()) {
    expect(worstVerdict(worstFirst.slice(index).toReversed())).toBe(verdict)
  }
})

test('a group without members concerns nothing', () => {
  expect(worstVerdict([])).toBe('not-applicable')
})

test('severities are ordered from info to critical', () => {
  expect(SEVERITIES).toEqual(['info', 'low', 'medium', 'high', 'critical'])
  expect(isAtLeast('medium', 'medium')).toBe(true)
  expect(isAtLeast('low', 'medium')).toBe(false)
  expect(isAtLeast('critical', 'info')).toBe(true)
})

test('a resource counts with its gravest control, or medium without one', () => {
  expect(worstSeverity(['low', 'high', 'info'])).toBe('high')
  expect(worstSeverity(['info'])).toBe('info')
  expect(worstSeverity([])).toBe('medium')
})

test('only blocked, drifted, error and fix-failed are failures', () => {
  expect(CONTROL_VERDICTS.filter(isFailure).toSorted()).toEqual(['blocked', 'drifted', 'error', 'fix-failed'])
  expect(isFailure('known')).toBe(false)
})
