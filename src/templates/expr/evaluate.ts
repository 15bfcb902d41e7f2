import { TemplateError, unlessMissing } from '../errors.ts'
import { NIL_LIST } from '../govalue/nil-list.ts'
import { goKind, goTypeName, isGoList } from '../govalue/type-name.ts'
import type { GoValue } from '../govalue/value.ts'
import { fetchMember, sliceValue, unassignableKey } from './access.ts'
import { applyBinary, negate } from './arithmetic.ts'
import { asBool, asString } from './builtins/builtin.ts'
import { findBuiltin } from './builtins/registry.ts'
import { constantBool, isEndIndex } from './constants.ts'
import { placeError } from './position.ts'
import { evaluatePredicateCall } from './predicates.ts'
import type { Scope } from './scope.ts'
import type {
  BinaryNode,
  BuiltinNode,
  CallNode,
  ConditionalNode,
  ExprNode,
  LetNode,
  MapNode,
  MemberNode,
  UnaryNode,
} from './syntax.ts'

/** Evaluates a node. Throws a `TemplateError` with the location of the innermost node that failed. */
export function evaluate(node: ExprNode, scope: Scope): GoValue {
  return evaluateLink(node, scope) ?? null
}

/** Like `evaluate`, but returns undefined if a `?.` found nil and the rest of its chain must be skipped. */
function evaluateLink(node: ExprNode, scope: Scope): GoValue | undefined {
  try {
    // Leaves are free: the nodes that repeat them are counted.
    if (node.depth > 1) scope.machine.budget.step()
    return evaluateNode(node, scope)
  } catch (error) {
    if (error instanceof TemplateError) throw placeError(error, scope.machine.source, node.offset)
    throw error
  }
}

function evaluateNode(node: ExprNode, scope: Scope): GoValue | undefined {
  switch (node.kind) {
    case 'nil':
      return null
    case 'bool':
    case 'int':
    case 'float':
    case 'string':
    case 'bytes':
      return node.value
    case 'identifier':
      return lookUp(node.name, scope)
    case 'pointer':
      return evaluatePointer(node.name, scope)
    case 'unary':
      return evaluateUnary(node, scope)
    case 'binary':
      return evaluateBinary(node, scope)
    case 'chain':
      return orNil(evaluate(node.body, scope))
    case 'member':
      return evaluateMember(node, scope)
    case 'slice': {
      const object = evaluate(node.object, scope)
      const to = node.to === undefined ? undefined : evaluate(node.to, scope)
      const from = node.from === undefined ? undefined : evaluate(node.from, scope)
      return scope.machine.budget.made(sliceValue(object, from, to))
    }
    case 'call':
      return evaluateCall(node, scope)
    case 'builtin':
      return evaluateBuiltin(node, scope)
    case 'predicate':
      return evaluate(node.body, scope)
    case 'conditional':
      return evaluateConditional(node, scope)
    case 'let':
      return evaluateLet(node, scope)
    case 'sequence':
      return node.items.reduce<GoValue>((_, item) => evaluate(item, scope), null)
    case 'list':
      scope.machine.budget.produce(node.items.length)
      return node.items.map((item) => evaluate(item, scope))
    case 'map':
      return evaluateMap(node, scope)
  }
}

function lookUp(name: string, scope: Scope): GoValue {
  for (let variable = scope.variables; variable !== undefined; variable = variable.outer) {
    if (variable.name === name) return variable.value
  }
  const { variables, functions } = scope.machine.environment
  if (name === '$env') return variables
  const value = variables.get(name)
  if (value !== undefined) return value
  return functions?.get(name) ?? builtinValue(name, scope)
}

/** A builtin without a call is a function value. */
function builtinValue(name: string, scope: Scope): GoValue {
  const builtin = findBuiltin(name)
  if (builtin === undefined) return null
  return { kind: 'function', name, call: (args) => builtin.call(args, scope.machine.budget) }
}

function evaluatePointer(name: string, scope: Scope): GoValue {
  if (scope.pointer === undefined) throw new TemplateError('cannot use pointer accessor outside predicate')
  switch (name) {
    case '':
      return scope.pointer.items.at(scope.pointer.index)
    case 'index':
      return BigInt(scope.pointer.index)
    case 'acc':
      return scope.pointer.accumulator
    default:
      throw new TemplateError(`unknown pointer ${name}`)
  }
}

function evaluateUnary(node: UnaryNode, scope: Scope): GoValue {
  const operand = evaluate(node.operand, scope)
  switch (node.operator) {
    case 'not':
    case '!':
      return !asBool(operand)
    case '-':
      return negate(operand)
    case '+':
      return operand
  }
}

function evaluateBinary(node: BinaryNode, scope: Scope): GoValue {
  const { operator } = node
  switch (operator) {
    case 'and':
    case '&&':
      return evaluateLogic(node, scope, false)
    case 'or':
    case '||':
      return evaluateLogic(node, scope, true)
    case '??':
      // A value that certainly does not exist counts as nil.
      return orNil(unlessMissing(() => evaluate(node.left, scope)) ?? null) ?? evaluate(node.right, scope)
    default: {
      const left = evaluate(node.left, scope)
      if (operator === 'in' && scope.machine.optimized) checkNeedle(left, node.right)
      return applyBinary(operator, left, evaluate(node.right, scope), scope.machine.budget)
    }
  }
}

/** A nil list counts as nil in `??` and in optional chains. */
function orNil(value: GoValue): GoValue {
  return value === NIL_LIST ? null : value
}

/** expr-lang converts a list of strings to a map without keys of other types; nil is the empty string. */
function checkNeedle(needle: GoValue, haystack: ExprNode): void {
  if (haystack.kind !== 'list' || haystack.items.length === 0 || typeof needle === 'string') return
  if (needle === null || haystack.items.some((item) => item.kind !== 'string')) return
  throw unassignableKey(needle)
}

/** `decisive` is the left value that short-circuits the operator. The type of the right value is not checked. */
function evaluateLogic(node: BinaryNode, scope: Scope, decisive: boolean): GoValue {
  const constant = scope.machine.optimized ? constantBool(node.right) : undefined
  // expr-lang folds a constant right side: the left one is then not evaluated, or not checked.
  if (constant !== undefined) return constant === decisive ? decisive : evaluate(node.left, scope)
  return asBool(evaluate(node.left, scope)) === decisive ? decisive : evaluate(node.right, scope)
}

/** `?.` allows missing values on either side. */
function evaluateMember(node: MemberNode, scope: Scope): GoValue | undefined {
  const object = node.optional
    ? unlessMissing(() => evaluateLink(node.object, scope))
    : evaluateLink(node.object, scope)
  if (object === undefined || (node.optional && object === null)) return undefined
  const key = evaluate(node.property, scope)
  const isFilterEnd = scope.machine.optimized && node.object.kind === 'builtin' && node.object.name === 'filter'
  if (isFilterEnd && !node.optional && isEndIndex(node.property) && isGoList(object) && object.length === 0) {
    throw new TemplateError('reflect: slice index out of range')
  }
  return node.optional ? (unlessMissing(() => fetchMember(object, key)) ?? null) : fetchMember(object, key)
}

function evaluateCall(node: CallNode, scope: Scope): GoValue | undefined {
  const callee = evaluateLink(node.callee, scope)
  if (callee === undefined) return undefined
  const args = node.args.map((argument) => evaluate(argument, scope))
  if (callee === null) throw new TemplateError('invalid operation: cannot call nil')
  if (goKind(callee) !== 'function' || typeof callee !== 'object' || !('call' in callee)) {
    throw new TemplateError(`invalid operation: cannot call non-function of type ${goTypeName(callee)}`)
  }
  return scope.machine.budget.made(callee.call(args))
}

function evaluateBuiltin(node: BuiltinNode, scope: Scope): GoValue {
  const builtin = findBuiltin(node.name)
  if (builtin === undefined) return evaluatePredicateCall(node, scope, evaluate)
  const args = node.args.map((argument) => evaluate(argument, scope))
  const [fewest, most] = builtin.arity
  if (args.length < fewest) throw new TemplateError(`not enough arguments to call ${node.name}`)
  if (args.length > most) throw new TemplateError(`too many arguments to call ${node.name}`)
  return scope.machine.budget.made(builtin.call(args, scope.machine.budget))
}

function evaluateConditional(node: ConditionalNode, scope: Scope): GoValue {
  return evaluate(asBool(evaluate(node.condition, scope)) ? node.then : node.otherwise, scope)
}

function evaluateLet(node: LetNode, scope: Scope): GoValue {
  const value = evaluate(node.value, scope)
  return evaluate(node.body, { ...scope, variables: { name: node.name, value, outer: scope.variables } })
}

function evaluateMap(node: MapNode, scope: Scope): GoValue {
  scope.machine.budget.produce(node.entries.length)
  const map = new Map<GoValue, GoValue>()
  for (const { key, value } of node.entries) {
    const name = asString(evaluate(key, scope))
    const item = evaluate(value, scope)
    // The first of equal keys is used, as in expr-lang, which fills the map from its end.
    if (!map.has(name)) map.set(name, item)
  }
  return map
}
