import { BudgetError } from '../errors.ts'
import type { Budget } from '../govalue/index.ts'

// Maximum depth of open blocks, parentheses and template calls. Each takes a few JavaScript stack frames.
const MAX_EVALUATION_DEPTH = 500

// A template rendered by a host function shares its caller's budget and stack, so the depth is stored per budget.
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
