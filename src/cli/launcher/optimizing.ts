import { setFlagsFromString } from 'node:v8'

/** V8's default budget: bytes of bytecode that a function runs before it may be optimised. */
const USUAL_BUDGET = 67_584
const LATE_BUDGET = 500_000

/** Above this number of resources, optimised code pays off. */
const MANY_RESOURCES = 1000

/**
 * Raises the budget: most runs end before optimised code pays off. Set only after the start, since V8 rejects cached
 * code with other flags.
 */
export function optimizeLate(): void {
  setFlagsFromString(`--interrupt-budget=${LATE_BUDGET}`)
}

/** Restores V8's default budget for policies with many resources. */
export function optimizeFor(resources: number): void {
  if (resources > MANY_RESOURCES) setFlagsFromString(`--interrupt-budget=${USUAL_BUDGET}`)
}
