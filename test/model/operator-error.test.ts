import { expect, test } from 'vitest'
import { OperatorError } from '../../src/model/operator-error.ts'

test('an error for the operator carries the help and the problems that go with it, or none', () => {
  const problems = [{ message: 'no', severity: 'error' }] as const
  const cause = new Error('why')
  expect(new OperatorError('wrong', { helpOf: 'scan', problems, cause })).toMatchObject({
    name: 'OperatorError',
    message: 'wrong',
    helpOf: 'scan',
    problems,
    cause,
  })
  expect(new OperatorError('wrong').problems).toEqual([])
})
