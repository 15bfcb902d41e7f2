import { TemplateError, withinMemory } from '../errors.ts'
import { Budget, type BudgetLimits } from '../govalue/budget.ts'
import { goTypeName } from '../govalue/type-name.ts'
import type { GoValue } from '../govalue/value.ts'
import { isBuiltinName } from './builtins/registry.ts'
import { checkExpression } from './check.ts'
import { evaluate } from './evaluate.ts'
import { parseExpression } from './parser.ts'
import type { ExprEnvironment } from './scope.ts'
import type { ExprNode } from './syntax.ts'
import { typeName, type ExprType } from './types.ts'

/** Known context of the evaluation. */
export interface CompileOptions {
  /** Names of variables with their known types; see `typeOfValue`. */
  readonly environment?: ReadonlyMap<string, ExprType>
  /** Names of host functions; each overrides the builtin of its name, which stays available as `::name()`. */
  readonly functionNames?: ReadonlySet<string>
  /** Whether an undeclared name is an error (default) or nil. */
  readonly undefinedNames?: 'error' | 'nil'
  /** `bool` requires a condition: nil is false, any type but bool is an error. Default `any`. */
  readonly result?: 'any' | 'bool'
  /** `none` leaves all errors to the evaluation. Default `types`. */
  readonly checks?: 'types' | 'none'
  readonly limits?: Partial<BudgetLimits>
}

/** Parsed and checked expression. Immutable: it can be cached and evaluated repeatedly. */
export interface CompiledExpression {
  readonly source: string
  readonly root: ExprNode
  readonly result: 'any' | 'bool'
  readonly checks: 'types' | 'none'
}

/**
 * Parses and checks an expr-lang expression. Throws a `TemplateError` with expr-lang's message including the location; `offset`
 * counts UTF-16 units of the expression, and `hint` may suggest a name.
 */
export function compileExpression(source: string, options: CompileOptions = {}): CompiledExpression {
  const { environment = new Map(), functionNames = new Set(), result = 'any', checks = 'types' } = options
  const names = {
    isBuiltin: isBuiltinName,
    isOverridden: (name: string) => functionNames.has(name) || environment.has(name),
  }
  return withinMemory(() => {
    const root = parseExpression(source, names, new Budget(options.limits))
    if (checks === 'types') {
      const undefinedNames = options.undefinedNames ?? 'error'
      const type = checkExpression(root, { source, environment, functionNames, undefinedNames })
      if (result === 'bool' && type.kind !== 'unknown' && type.kind !== 'bool') {
        throw new TemplateError(`expected bool, but got ${typeName(type)}`)
      }
    }
    return { source, root, result, checks }
  })
}

/** Evaluates a compiled expression. Throws a `TemplateError` with the location of the failure, a `BudgetError` at a limit. */
export function evaluateExpression(
  compiled: CompiledExpression,
  environment: ExprEnvironment,
  budget: Budget = new Budget(),
): GoValue {
  const { source, root, result, checks } = compiled
  const machine = { source, environment, budget, optimized: checks === 'types' }
  const value = withinMemory(() => evaluate(root, { machine, variables: undefined, pointer: undefined }))
  return result === 'bool' ? toBool(value) : value
}

function toBool(value: GoValue): boolean {
  if (value === null) return false
  if (typeof value === 'boolean') return value
  throw new TemplateError(`invalid operation: bool(${goTypeName(value)})`)
}
