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

/** What is known about the place an expression will be evaluated in. */
export interface CompileOptions {
  /** Names of variables and what is known about their values; see `typeOfValue`. */
  readonly environment?: ReadonlyMap<string, ExprType>
  /** Names of host functions; each overrides the builtin of its name, which `::name()` still reaches. */
  readonly functionNames?: ReadonlySet<string>
  /** Whether an undeclared name is an error (default) or nil. */
  readonly undefinedNames?: 'error' | 'nil'
  /** `bool` demands a condition: nil is false, everything else than a bool is an error. Default `any`. */
  readonly result?: 'any' | 'bool'
  /** `none` leaves every mistake to the evaluation. Default `types`. */
  readonly checks?: 'types' | 'none'
  readonly limits?: Partial<BudgetLimits>
}

/** A parsed and checked expression. Immutable: it can be kept and evaluated any number of times. */
export interface CompiledExpression {
  readonly source: string
  readonly root: ExprNode
  readonly result: 'any' | 'bool'
  readonly checks: 'types' | 'none'
}

/**
 * Parses and checks an expr-lang expression. Throws `TemplateError` whose message is expr-lang's, place included, whose
 * `offset` counts UTF-16 units of the expression, and whose `hint` may name what was meant.
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

/** Evaluates a compiled expression. Throws `TemplateError` with the place of the failure, `BudgetError` at a limit. */
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
