import type { Assignment, Expression } from './ast.ts'
import { failAt } from './errors.ts'
import { evaluate } from './evaluate.ts'
import { printExpression } from './print-expression.ts'
import type { Runtime } from './runtime.ts'
import { scopeOf } from './scope.ts'
import type { JetValue } from './values.ts'

/**
 * Executes an assignment; declarations go into the current scope. Values are evaluated and stored in order, so `a, b = b, a` does
 * not swap, as in Jet.
 */
export function executeAssignment(runtime: Runtime, { declares, lookup, targets, values }: Assignment): void {
  const store = declares ? declareTarget : assignTarget
  const [first, second] = targets
  const [looked] = values
  if (lookup && first !== undefined && second !== undefined && looked !== undefined) {
    const value = evaluate(runtime, looked)
    store(runtime, first, value)
    store(runtime, second, value !== undefined)
    return
  }
  for (const [index, target] of targets.entries()) {
    const value = values[index]
    if (value !== undefined) store(runtime, target, evaluate(runtime, value))
  }
}

/** Declares a variable in the current scope; `_` discards the value. */
export function declareTarget(runtime: Runtime, target: Expression, value: JetValue): void {
  if (target.kind === 'identifier') runtime.scope.variables.set(target.name, value)
}

/**
 * Assigns to the nearest variable of the name. Throws a `TemplateError` for an unknown variable, and for fields: their data is
 * shared.
 */
export function assignTarget(runtime: Runtime, target: Expression, value: JetValue): void {
  if (target.kind === 'slot') return
  if (target.kind !== 'identifier') {
    failAt(runtime, target.offset, `cannot assign to ${printExpression(target)}: data is read-only`)
  }
  const scope = scopeOf(runtime.scope, target.name)
  if (scope === undefined) {
    const name = JSON.stringify(target.name)
    failAt(runtime, target.offset, `could not assign ${name} because variable ${name} is uninitialised`)
  }
  scope.variables.set(target.name, value)
}
