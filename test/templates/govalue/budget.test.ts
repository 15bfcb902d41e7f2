import { expect, test } from 'vitest'
import { BudgetError, TemplateError } from '../../../src/templates/errors.ts'
import { Budget } from '../../../src/templates/govalue/index.ts'

test.each<[string, (budget: Budget) => void]>([
  ['source', (budget) => budget.checkSource('x'.repeat(11))],
  ['nodes', (budget) => Array.from({ length: 11 }).forEach(() => budget.node(3))],
  ['steps', (budget) => budget.step(11)],
  ['elements', (budget) => budget.produce(10)],
  ['one long text', (budget) => budget.text(11)],
  ['all text', (budget) => Array.from({ length: 5 }).forEach(() => budget.text(9))],
  ['output', (budget) => Array.from({ length: 2 }).forEach(() => budget.output('sixsix'))],
  ['nesting', (budget) => budget.nested(() => budget.nested(() => budget.nested(() => null)))],
])('more %s than allowed is an error no template can catch', (_, use) => {
  const ten = { sourceLength: 10, nodes: 10, steps: 10, elements: 10, textLength: 40, outputLength: 10, nesting: 2 }
  expect(() => use(new Budget(ten))).toThrow(BudgetError)
  expect(() => use(new Budget())).not.toThrow()
})

test('the clock is looked at only now and then', () => {
  const budget = new Budget({ wallClockMs: -1 })
  expect(() => budget.step(4095)).not.toThrow()
  expect(() => budget.step()).toThrow('evaluation takes longer than -1 ms')
})

test('a level that was left counts no more', () => {
  const budget = new Budget({ nesting: 1 })
  expect([budget.nested(() => 1), budget.nested(() => 2)]).toEqual([1, 2])
})

test('a budget error is a template error', () => {
  expect(new BudgetError('x')).toBeInstanceOf(TemplateError)
})
