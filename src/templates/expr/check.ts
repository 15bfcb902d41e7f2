import { TemplateError } from '../errors.ts'
import { BUILTIN_NAMES, isBuiltinName } from './builtins/registry.ts'
import { checkBinary } from './check-binary.ts'
import { checkBuiltin, checkCall, elementType } from './check-calls.ts'
import { checkError, type CheckScope, type Declarations } from './check-context.ts'
import { findMethod } from './methods.ts'
import { placeError } from './position.ts'
import { PREDICATE_NAMES } from './predicate-shapes.ts'
import { checkPattern } from './regex.ts'
import type { BinaryNode, ConditionalNode, ExprNode, LetNode, MemberNode, SliceNode, UnaryNode } from './syntax.ts'
import {
  BOOL,
  functionType,
  isAssignable,
  isNumeric,
  LIST,
  listOf,
  MAP,
  NIL,
  typeName,
  UNKNOWN,
  type ExprType,
} from './types.ts'

/**
 * Checks an expression without evaluating it: unknown names, and operands and arguments of known wrong types. Returns the type of
 * the result. Throws a `TemplateError` for the first problem.
 */
export function checkExpression(root: ExprNode, declarations: Declarations): ExprType {
  return checkNode(root, { declarations, variables: new Map(), predicate: undefined })
}

function checkNode(node: ExprNode, scope: CheckScope): ExprType {
  switch (node.kind) {
    case 'nil':
    case 'bool':
    case 'int':
    case 'float':
    case 'string':
    case 'bytes':
      return { kind: node.kind }
    case 'identifier':
      return scope.variables.get(node.name) ?? checkName(node, node.name, scope)
    case 'pointer':
      return checkPointer(node, node.name, scope)
    case 'unary':
      return checkUnary(node, scope)
    case 'binary':
      return checkBinaryNode(node, scope)
    case 'chain':
    case 'predicate':
      return checkNode(node.body, scope)
    case 'member':
      return checkMember(node, scope)
    case 'slice':
      return checkSlice(node, scope)
    case 'call':
      return checkCall(node, scope, checkNode)
    case 'builtin':
      return checkBuiltin(node, scope, checkNode)
    case 'conditional':
      return checkConditional(node, scope)
    case 'let':
      return checkLet(node, scope)
    case 'sequence':
      return node.items.reduce<ExprType>((_, item) => checkNode(item, scope), UNKNOWN)
    case 'list':
      return checkList(node.items, scope)
    case 'map':
      for (const { key, value } of node.entries) {
        checkNode(key, scope)
        checkNode(value, scope)
      }
      return MAP
  }
}

function checkName(node: ExprNode, name: string, scope: CheckScope): ExprType {
  const { environment, functionNames } = scope.declarations
  if (name === '$env') return UNKNOWN
  const declared = environment.get(name)
  if (declared !== undefined) return declared
  if (functionNames.has(name) || isBuiltinName(name)) return functionType()
  return checkUndeclared(node, name, scope)
}

function checkUndeclared(node: ExprNode, name: string, scope: CheckScope): ExprType {
  const { environment, functionNames, undefinedNames } = scope.declarations
  if (undefinedNames === 'nil') return UNKNOWN
  const known = [
    ...scope.variables.keys(),
    ...environment.keys(),
    ...functionNames,
    ...BUILTIN_NAMES,
    ...PREDICATE_NAMES,
  ]
  const near = suggestName(name, known)
  throw checkError(node, scope, `unknown name ${name}`, near === undefined ? undefined : `did you mean "${near}"?`)
}

function checkPointer(node: ExprNode, name: string, scope: CheckScope): ExprType {
  const { predicate } = scope
  if (predicate === undefined) throw checkError(node, scope, 'cannot use pointer accessor outside predicate')
  if (name === '') return elementType(predicate.collection)
  const known = predicate.pointers.get(name)
  if (known === undefined) throw checkError(node, scope, `unknown pointer #${name}`)
  return known
}

function checkUnary(node: UnaryNode, scope: CheckScope): ExprType {
  const operand = checkNode(node.operand, scope)
  const isLogic = node.operator === 'not' || node.operator === '!'
  if (operand.kind === 'unknown') return isLogic ? BOOL : UNKNOWN
  if (isLogic ? operand.kind === 'bool' : isNumeric(operand)) return operand
  const message = `invalid operation: ${node.operator} (mismatched type ${typeName(operand)})`
  throw checkError(node, scope, message)
}

function checkBinaryNode(node: BinaryNode, scope: CheckScope): ExprType {
  const left = checkNode(node.left, scope)
  const right = checkNode(node.right, scope)
  if (node.operator === 'matches' && node.right.kind === 'string') checkConstantPattern(node, node.right.value, scope)
  const result = checkBinary(node.operator, left, right)
  if ('message' in result) throw checkError(node, scope, result.message)
  const isZero = node.right.kind === 'int' && node.right.value === 0n
  if (node.operator === '%' && node.left.kind === 'int' && isZero) {
    throw checkError(node, scope, 'integer divide by zero')
  }
  return result.type
}

function checkConstantPattern(node: ExprNode, pattern: string, scope: CheckScope): void {
  try {
    checkPattern(pattern)
  } catch (error) {
    if (error instanceof TemplateError) throw placeError(error, scope.declarations.source, node.offset)
    throw error
  }
}

function checkMember(node: MemberNode, scope: CheckScope): ExprType {
  if (node.object.kind === 'identifier' && node.object.name === '$env') return checkEnvironmentMember(node, scope)
  const base = checkNode(node.object, scope)
  const property = checkNode(node.property, scope)
  if (base.kind === 'unknown') return UNKNOWN
  const name = node.property.kind === 'string' ? node.property.value : undefined
  if (name !== undefined && base.kind === 'nil') throw checkError(node, scope, `type nil has no field ${name}`)
  const method = name === undefined ? undefined : findMethod(base.kind, name)
  if (method !== undefined) return functionType(method)
  if (base.kind === 'map') {
    if (property.kind === 'unknown' || property.kind === 'nil' || isAssignable(property, base.key)) return base.value
    const message = `cannot use ${typeName(property)} to get an element from ${typeName(base)}`
    throw checkError(node.property, scope, message)
  }
  if (base.kind === 'list' || base.kind === 'bytes') {
    if (property.kind === 'int' || property.kind === 'unknown') return elementType(base)
    const message = `array elements can only be selected using an integer (got ${typeName(property)})`
    throw checkError(node.property, scope, message)
  }
  if (name === undefined) {
    throw checkError(node, scope, `type ${typeName(base)}[${typeName(property)}] is undefined`)
  }
  throw checkError(node, scope, `type ${typeName(base)} has no ${node.called ? 'method' : 'field'} ${name}`)
}

function checkEnvironmentMember(node: MemberNode, scope: CheckScope): ExprType {
  if (node.property.kind !== 'string') return UNKNOWN
  const name = node.property.value
  const declared = scope.declarations.environment.get(name)
  if (declared !== undefined) return declared
  return node.optional ? UNKNOWN : checkUndeclared(node, name, scope)
}

function checkSlice(node: SliceNode, scope: CheckScope): ExprType {
  const base = checkNode(node.object, scope)
  if (base.kind === 'unknown') return UNKNOWN
  if (!['string', 'list', 'bytes'].includes(base.kind)) throw checkError(node, scope, `cannot slice ${typeName(base)}`)
  for (const bound of [node.from, node.to]) {
    if (bound === undefined) continue
    const type = checkNode(bound, scope)
    if (type.kind !== 'int' && type.kind !== 'unknown') {
      throw checkError(bound, scope, `non-integer slice index ${typeName(type)}`)
    }
  }
  return base
}

function checkConditional(node: ConditionalNode, scope: CheckScope): ExprType {
  const condition = checkNode(node.condition, scope)
  if (condition.kind !== 'bool' && condition.kind !== 'unknown') {
    const message = `non-bool expression (type ${typeName(condition)}) used as condition`
    throw checkError(node.condition, scope, message)
  }
  const then = checkNode(node.then, scope)
  const otherwise = checkNode(node.otherwise, scope)
  if (then.kind === 'nil') return otherwise.kind === 'nil' ? NIL : otherwise
  if (otherwise.kind === 'nil') return then
  if (otherwise.kind === 'unknown' || !isAssignable(then, otherwise)) return UNKNOWN
  const isMixed =
    then.kind === 'list' && otherwise.kind === 'list' && typeName(then.element) !== typeName(otherwise.element)
  return isMixed ? LIST : then
}

function checkLet(node: LetNode, scope: CheckScope): ExprType {
  const { environment, functionNames } = scope.declarations
  if (environment.has(node.name)) throw checkError(node, scope, `cannot redeclare ${node.name}`)
  if (functionNames.has(node.name)) throw checkError(node, scope, `cannot redeclare function ${node.name}`)
  if (isBuiltinName(node.name)) throw checkError(node, scope, `cannot redeclare builtin ${node.name}`)
  if (scope.variables.has(node.name)) throw checkError(node, scope, `cannot redeclare variable ${node.name}`)
  const value = checkNode(node.value, scope)
  return checkNode(node.body, { ...scope, variables: new Map([...scope.variables, [node.name, value]]) })
}

function checkList(items: readonly ExprNode[], scope: CheckScope): ExprType {
  const types = items.map((item) => checkNode(item, scope))
  const [first] = types
  const last = types.at(-1)
  if (first === undefined || last === undefined) return LIST
  return types.every((type) => type.kind === first.kind) ? listOf(last) : LIST
}

/** Edit distance: insertions, deletions, substitutions and swaps of neighbours. */
function distance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1
      let best = Math.min((row[j - 1] ?? 0) + 1, (last[j] ?? 0) + 1, (last[j - 1] ?? 0) + cost)
      if (a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) best = Math.min(best, (beforeLast[j - 2] ?? 0) + 1)
      row.push(best)
    }
    beforeLast = last
    last = row
  }
  return last[b.length] ?? 0
}

const MAX_LENGTH = 64

/** Known name closest to a wrong one, ignoring case; undefined if no name is close. */
function suggestName(wrong: string, known: Iterable<string>): string | undefined {
  if (wrong.length > MAX_LENGTH) return undefined
  let best: string | undefined
  let bestDistance = Math.max(1, Math.floor(wrong.length / 3)) + 1
  for (const name of known) {
    if (Math.abs(name.length - wrong.length) >= bestDistance) continue
    const found = distance(wrong.toLowerCase(), name.toLowerCase())
    if (found < bestDistance) [best, bestDistance] = [name, found]
  }
  return best
}
