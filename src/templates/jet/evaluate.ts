import { TemplateError } from '../errors.ts'
import type { AccessExpression, AccessStep, BinaryExpression, Expression, FieldsStep, SliceStep } from './ast.ts'
import { resolveIndex, resolveSlice } from './access.ts'
import { BUILTINS } from './builtins.ts'
import { failAt, isCatchable, withPlace } from './errors.ts'
import { applyOperator, applySign } from './operators.ts'
import { printAccess } from './print-expression.ts'
import type { Runtime } from './runtime.ts'
import { scopeOf } from './scope.ts'
import { isNotNil, isSpecial, isTrue, jetTypeName, toGoValue, type JetArgument, type JetValue } from './values.ts'

/** Evaluates an expression. Throws a `TemplateError` (`Jet Runtime Error ("name":line): …`). */
export function evaluate(runtime: Runtime, expression: Expression): JetValue {
  runtime.budget.step()
  switch (expression.kind) {
    case 'nil':
      return undefined
    case 'bool':
    case 'number':
    case 'string':
      return expression.value
    case 'identifier':
      return resolveName(runtime, expression.name, expression.offset)
    case 'context':
      return runtime.context
    case 'slot':
      return failAt(runtime, expression.offset, "'_' stands for a piped value, but nothing is piped here")
    case 'access':
      return evaluateAccess(runtime, expression)
    case 'binary':
      return evaluateBinary(runtime, expression)
    case 'sign': {
      const operand = evaluate(runtime, expression.operand)
      return withPlace(runtime, expression.offset, () => applySign(expression.sign, operand))
    }
    case 'not':
      return !isTrue(evaluate(runtime, expression.operand))
    case 'ternary':
      return evaluate(runtime, isTrue(evaluate(runtime, expression.condition)) ? expression.yes : expression.no)
  }
}

const FAILURE_STEPS = 100

function findName(runtime: Runtime, name: string): { readonly value: JetValue } | undefined {
  const scope = scopeOf(runtime.scope, name)
  if (scope !== undefined) return { value: scope.variables.get(name) }
  const value = runtime.functions.get(name) ?? BUILTINS.get(name)
  return value === undefined ? undefined : { value }
}

function resolveName(runtime: Runtime, name: string, offset: number): JetValue {
  const found = findName(runtime, name)
  if (found !== undefined) return found.value
  // The message lists the data; a loop of caught failures must still reach its limit.
  runtime.budget.step(FAILURE_STEPS)
  const known = [...runtime.scope.variables].map(([key, value]) => `${key}:<${jetTypeName(value)} Value>`)
  const places = `current (map[${known.toSorted().join(' ')}]) or parent scope, global, or default variables`
  return failAt(runtime, offset, `identifier ${JSON.stringify(name)} not available in ${places}`)
}

// Long sums nest to the left; a loop over that side avoids recursion.
function evaluateBinary(runtime: Runtime, expression: BinaryExpression): JetValue {
  const pending = [expression]
  let first = expression.left
  while (first.kind === 'binary') {
    runtime.budget.step()
    pending.push(first)
    first = first.left
  }
  let value = evaluate(runtime, first)
  for (const node of pending.toReversed()) value = combine(runtime, node, value)
  return value
}

function combine(runtime: Runtime, { operator, right, offset }: BinaryExpression, left: JetValue): JetValue {
  if (operator === '&&') return isTrue(left) && isTrue(evaluate(runtime, right))
  if (operator === '||') return isTrue(left) || isTrue(evaluate(runtime, right))
  const other = evaluate(runtime, right)
  return withPlace(runtime, offset, () => applyOperator(operator, left, other, runtime.budget))
}

function evaluateAccess(runtime: Runtime, { base, steps }: AccessExpression): JetValue {
  let value = evaluate(runtime, base)
  for (const [index, step] of steps.entries()) {
    runtime.budget.step()
    value = takeStep(runtime, value, step, () => printAccess(base, steps.slice(0, index + 1)))
  }
  return value
}

function takeStep(runtime: Runtime, value: JetValue, step: AccessStep, print: () => string): JetValue {
  switch (step.kind) {
    case 'fields':
      return withPlace(runtime, step.offset, () => resolveFields(runtime, value, step, print))
    case 'index': {
      const index = evaluate(runtime, step.index)
      return withPlace(runtime, step.offset, () => resolveIndex(value, index, runtime.budget))
    }
    case 'slice':
      return evaluateSlice(runtime, value, step)
    case 'call':
      return call(runtime, value, {
        offset: step.offset,
        args: step.args.map((expression) => ({ expression })),
        print: () => print().slice(0, print().lastIndexOf('(')),
      })
  }
}

function resolveFields(runtime: Runtime, value: JetValue, step: FieldsStep, print: () => string): JetValue {
  let current = value
  for (const [index, name] of step.names.entries()) {
    const field = resolveIndex(current, name, runtime.budget)
    const mayBeMissing = !step.strict && index === step.names.length - 1
    if (field === undefined && !mayBeMissing) {
      throw new TemplateError(`there is no field or method '${name}' in ${jetTypeName(current)} (${print()})`)
    }
    current = field
  }
  return current
}

function evaluateSlice(runtime: Runtime, value: JetValue, { from, to, offset }: SliceStep): JetValue {
  // A written bound must be a number; nil differs from an absent bound.
  const start = from === undefined ? undefined : (evaluate(runtime, from) ?? null)
  const end = to === undefined ? undefined : (evaluate(runtime, to) ?? null)
  return withPlace(runtime, offset, () => resolveSlice(value, start, end, runtime.budget))
}

/** Call site: its location, its arguments and the spelling of the function. */
export interface CallSite {
  readonly offset: number
  readonly args: readonly JetArgument[]
  readonly print: () => string
}

/** Calls a function of the host or of Jet. A nil result of a host function becomes `undefined`. */
export function call(runtime: Runtime, target: JetValue, site: CallSite): JetValue {
  const { budget } = runtime
  budget.step()
  if (isSpecial(target) && target.kind === 'builtin') {
    return withPlace(runtime, site.offset, () => {
      const result = target.call({
        count: site.args.length,
        budget,
        value: (index) => evaluateArgument(runtime, site.args[index]),
        isSet: (index) => isArgumentSet(runtime, site.args[index]),
        render: (path, request) => runtime.renderOther(runtime, path, request),
      })
      budget.made(isSpecial(result) && result.kind === 'rendered' ? result.text : result)
      return result
    })
  }
  const isHostFunction = typeof target === 'object' && target !== null && 'kind' in target && target.kind === 'function'
  if (!isHostFunction) {
    failAt(runtime, site.offset, `node ${JSON.stringify(site.print())} is not func kind "${jetTypeName(target)}"`)
  }
  const values = site.args.map((argument) => evaluateArgument(runtime, argument))
  return withPlace(runtime, site.offset, () => budget.made(target.call(values.map(toGoValue))) ?? undefined)
}

/** Evaluates an argument; `undefined` if it is absent. */
export function evaluateArgument(runtime: Runtime, argument: JetArgument | undefined): JetValue {
  if (argument === undefined) return undefined
  return 'piped' in argument ? argument.piped : evaluate(runtime, argument.expression)
}

function isArgumentSet(runtime: Runtime, argument: JetArgument | undefined): boolean {
  if (argument === undefined) return false
  return 'piped' in argument || isSet(runtime, argument.expression)
}

// Names, fields and elements are evaluated; all other expressions count as set without evaluation.
function isSet(runtime: Runtime, expression: Expression): boolean {
  if (expression.kind === 'identifier') return isNotNil(findName(runtime, expression.name)?.value)
  const last = expression.kind === 'access' ? expression.steps.at(-1)?.kind : expression.kind
  if (last !== 'context' && last !== 'fields' && last !== 'index') return true
  try {
    return isNotNil(evaluate(runtime, expression))
  } catch (error) {
    if (isCatchable(error)) return false
    throw error
  }
}
