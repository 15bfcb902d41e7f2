import { setFlagsFromString } from 'node:v8'

/** The budget of V8 itself, in bytes of bytecode that a function runs before it may be optimised. */
const USUAL_BUDGET = 67_584
const LATE_BUDGET = 500_000

/** A policy with more has every resource pay for code that is not optimised. */
const MANY_RESOURCES = 1000

/** Most runs end before code that V8 optimises has paid for that. Said after the start only: other flags have V8 refuse what was compiled before. */
export function optimizeLate(): void {
  setFlagsFromString(`--interrupt-budget=${LATE_BUDGET}`)
}

/** Has V8 optimise as it does of itself where there are so many resources that it pays. */
export function optimizeFor(resources: number): void {
  if (resources > MANY_RESOURCES) setFlagsFromString(`--interrupt-budget=${USUAL_BUDGET}`)
}
