import { BudgetError } from '../errors.ts'
import type { Budget } from '../govalue/index.ts'

// Blocks, parentheses and template calls that may be open at once. Each takes a handful of JavaScript stack frames.
const MAX_EVALUATION_DEPTH = 500

// A template that a function of the host renders shares its caller's budget and stack, so the depth belongs to the
// budget.
const depths = new WeakMap<Budget, number>()

/** Runs `work` one level deeper. Throws `BudgetError` before the JavaScript stack could overflow. */
export function nestedEvaluation<T>(budget: Budget, work: () => T): T {
  const depth = (depths.get(budget) ?? 0) + 1
  if (depth > MAX_EVALUATION_DEPTH) {
    throw new BudgetError(`evaluation is nested deeper than ${MAX_EVALUATION_DEPTH} levels`)
  }
  depths.set(budget, depth)
  try {
    return work()
  } finally {
    depths.set(budget, depth - 1)
  }
}
