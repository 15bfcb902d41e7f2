import { TemplateError, unlessMissing } from '../errors.ts'
import { goTypeName, isGoMap, memberOf, type GoValue } from '../govalue/index.ts'
import type {
  ChainNode,
  CommandNode,
  FieldNode,
  IdentifierNode,
  NumberNode,
  Operand,
  PipelineNode,
  TemplateNode,
  VariableNode,
} from './ast.ts'
import { quoteGoString } from './go-quote.ts'
import { fitsParameter, NIL_MAP, TYPE_NAMES, type ParameterType, type TemplateFunction } from './functions.ts'
import { findMethod } from './methods.ts'
import { nestedEvaluation } from './nesting.ts'
import { printNode } from './print-node.ts'
import {
  assignVariable,
  declareVariable,
  executionError,
  failAt,
  NOT_PIPED,
  variableValue,
  type Piped,
  type Scope,
  type Value,
} from './scope.ts'
import { chargeValue, ownText } from './text-value.ts'
import { isTrue } from './truth.ts'

/** Evaluates a pipeline and stores its value in the declared or assigned variables. */
export function evaluatePipeline(scope: Scope, dot: Value, node: PipelineNode): Value {
  let value: Value
  let piped: Piped = NOT_PIPED
  for (const [index, command] of node.commands.entries()) {
    const evaluateNow = (): Value => evaluateCommand(scope, dot, command, piped)
    const isAsked = asksOnPurpose(node.commands[index + 1]?.operands[0])
    value = (isAsked ? unlessMissing(evaluateNow) : evaluateNow()) ?? undefined
    piped = value
  }
  for (const name of node.variables) {
    if (node.assigns) assignVariable(scope, node, name, value)
    else declareVariable(scope, name, value)
  }
  return value
}

/** Functions that handle missing values: a value that certainly does not exist is nil for them. */
const ASKING: ReadonlySet<string> = new Set(['default', 'coalesce', 'empty'])

function asksOnPurpose(callee: Operand | undefined): boolean {
  return callee?.kind === 'identifier' && ASKING.has(callee.name)
}

function evaluateCommand(scope: Scope, dot: Value, command: CommandNode, piped: Piped): Value {
  scope.evaluation.context.budget.step()
  const [first, ...args] = command.operands
  if (first.kind === 'identifier') return callNamed(scope, dot, { node: first, place: command, args, piped })
  if (first.kind === 'field' || first.kind === 'chain' || (first.kind === 'variable' && first.fields.length > 0)) {
    return evaluateFields(scope, dot, first, { args, piped })
  }
  if (args.length > 0 || piped !== NOT_PIPED) {
    const place = first.kind === 'pipeline' ? command : first
    const text = first.kind === 'pipeline' ? `(${printNode(first)})` : printNode(first)
    throw failAt(scope, place, `can't give argument to non-function ${text}`)
  }
  if (first.kind === 'nil') throw failAt(scope, first, 'nil is not a command')
  return evaluateConstant(scope, dot, first)
}

/** Value of an operand other than a call with arguments. */
function evaluateConstant(scope: Scope, dot: Value, node: Operand): Value {
  switch (node.kind) {
    case 'boolean':
      return node.value
    case 'string':
      return node.text
    case 'number':
      return numberValue(scope, node)
    case 'dot':
      return dot
    case 'nil':
      return null
    case 'variable':
    case 'field':
    case 'chain':
      return evaluateFields(scope, dot, node, { args: [], piped: NOT_PIPED })
    case 'identifier':
      return callNamed(scope, dot, { node, place: node, args: [], piped: NOT_PIPED })
    case 'pipeline':
      return nestedEvaluation(scope.evaluation.context.budget, () => evaluatePipeline(scope, dot, node))
  }
}

// Without a parameter type, the syntax decides the type: a point or exponent makes a float. A sign before `0x` hides the prefix,
// so `-0xe` is a float, as in Go.
function numberValue(scope: Scope, node: NumberNode): GoValue {
  const { text, integer, float } = node
  const isHexInteger = /^0[xX]/.test(text) && !/[pP]/.test(text)
  if (float !== undefined && !isHexInteger && !text.startsWith("'") && /[.eEpP]/.test(text)) return float
  if (integer !== undefined) return integer
  if (float !== undefined) throw failAt(scope, node, `${text} overflows int`)
  throw failAt(scope, node, `complex numbers such as ${text} are not supported`)
}

interface Arguments {
  readonly args: readonly Operand[]
  readonly piped: Piped
}

function fieldBase(scope: Scope, dot: Value, node: FieldNode | VariableNode | ChainNode): Value {
  if (node.kind === 'field') return dot
  if (node.kind === 'variable') return variableValue(scope, node, node.name)
  if (node.base.kind === 'nil') {
    throw failAt(scope, node, `indirection through explicit nil in ${printNode(node)}`)
  }
  return evaluateConstant(scope, dot, node.base)
}

function evaluateFields(scope: Scope, dot: Value, node: FieldNode | VariableNode | ChainNode, last: Arguments): Value {
  let receiver = fieldBase(scope, dot, node)
  const none: Arguments = { args: [], piped: NOT_PIPED }
  for (const [index, field] of node.fields.entries()) {
    const given = index === node.fields.length - 1 ? last : none
    receiver = evaluateField(scope, dot, { receiver, field, node, ...given })
  }
  return receiver
}

interface FieldAccess extends Arguments {
  readonly receiver: Value
  readonly field: string
  readonly node: FieldNode | VariableNode | ChainNode
}

function evaluateField(scope: Scope, dot: Value, access: FieldAccess): Value {
  const { receiver, field, node } = access
  if (receiver === undefined) return undefined
  if (receiver === null) throw failAt(scope, node, `nil pointer evaluating interface {}.${field}`)
  const method = findMethod(receiver, field)
  if (method !== undefined) return callFunction(scope, dot, method, { ...access, place: node, node })
  if (!isGoMap(receiver) || ownText(receiver) !== undefined)
    throw failAt(scope, node, `can't evaluate field ${field} in type ${goTypeName(receiver)}`)
  if (access.args.length > 0 || access.piped !== NOT_PIPED) {
    throw failAt(scope, node, `${field} is not a method but has arguments`)
  }
  const found = memberAt(scope, receiver, access)
  if (found !== undefined || scope.evaluation.missingKey === 'nil') return found
  throw failAt(scope, node, `map has no entry for key ${quoteGoString(field)}`)
}

function memberAt(scope: Scope, map: ReadonlyMap<GoValue, GoValue>, { field, node }: FieldAccess): Value {
  try {
    return memberOf(map, field)
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    throw executionError(scope.body, node, error.message, error)
  }
}

/** Call: `node` is the name, `place` the location for errors of the function itself. */
interface Call extends Arguments {
  readonly node: IdentifierNode | FieldNode | VariableNode | ChainNode
  readonly place: TemplateNode
}

function callNamed(scope: Scope, dot: Value, call: Call & { readonly node: IdentifierNode }): Value {
  const { name } = call.node
  const found = scope.evaluation.findFunction(name)
  if (found === undefined) throw failAt(scope, call.node, `"${name}" is not a defined function`)
  return callFunction(scope, dot, found, call)
}

function callFunction(scope: Scope, dot: Value, callee: TemplateFunction, call: Call): Value {
  checkCount(scope, callee, call)
  if (callee.shortCircuit !== undefined) return shortCircuit(scope, dot, callee.shortCircuit, call)
  const { budget } = scope.evaluation.context
  const args = call.args.map((arg, index) => {
    const evaluateNow = (): GoValue => evaluateArgument(scope, dot, typeOfArgument(callee, index), arg)
    return ASKING.has(callee.name) ? (unlessMissing(evaluateNow) ?? null) : evaluateNow()
  })
  if (call.piped !== NOT_PIPED) {
    args.push(checkType(scope, call.node, call.piped, typeOfArgument(callee, args.length)))
  }
  try {
    for (const arg of args) chargeValue(budget, arg)
    const result = callee.call(args, scope.evaluation.context)
    chargeValue(budget, result)
    return result
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    throw executionError(scope.body, call.place, `error calling ${callee.name}: ${error.message}`, error)
  }
}

function checkCount(scope: Scope, callee: TemplateFunction, call: Call): void {
  const given = call.args.length + (call.piped === NOT_PIPED ? 0 : 1)
  const wanted = callee.parameters.length
  if (callee.rest === undefined ? given === wanted : given >= wanted) return
  const want = callee.rest === undefined ? `want ${wanted}` : `want at least ${wanted}`
  throw failAt(scope, call.node, `wrong number of args for ${callee.name}: ${want} got ${given}`)
}

function typeOfArgument(callee: TemplateFunction, index: number): ParameterType {
  return callee.parameters[index] ?? callee.rest ?? 'any'
}

// `and` and `or` return the deciding operand and do not evaluate later ones.
function shortCircuit(scope: Scope, dot: Value, kind: 'and' | 'or', call: Call): Value {
  let value: Value
  for (const arg of call.args) {
    value = evaluateArgument(scope, dot, 'any', arg)
    if (isTrue(value) === (kind === 'or')) return value
  }
  return call.piped === NOT_PIPED ? value : call.piped
}

function evaluateArgument(scope: Scope, dot: Value, type: ParameterType, node: Operand): GoValue {
  scope.evaluation.context.budget.step()
  switch (node.kind) {
    case 'nil':
      if (type === 'any') return null
      if (type === 'map') return NIL_MAP
      throw failAt(scope, node, `cannot assign nil to ${TYPE_NAMES[type]}`)
    case 'number':
      return numberArgument(scope, type, node)
    case 'boolean':
      if (type === 'any' || type === 'boolean') return node.value
      throw unfitConstant(scope, type, node)
    case 'string':
      if (type === 'any' || type === 'string') return node.text
      throw unfitConstant(scope, type, node)
    default:
      return checkType(scope, node, evaluateConstant(scope, dot, node), type)
  }
}

function numberArgument(scope: Scope, type: ParameterType, node: NumberNode): GoValue {
  if (type === 'any') return numberValue(scope, node)
  const value = type === 'integer' ? node.integer : type === 'float' ? node.float : undefined
  if (value === undefined) throw unfitConstant(scope, type, node)
  return value
}

const CONSTANT_WORDS: Readonly<Partial<Record<ParameterType, string>>> = {
  string: 'string',
  integer: 'integer',
  float: 'float',
  boolean: 'bool',
}

function unfitConstant(scope: Scope, type: ParameterType, node: Operand): TemplateError {
  const wanted = CONSTANT_WORDS[type]
  if (wanted !== undefined) return failAt(scope, node, `expected ${wanted}; found ${printNode(node)}`)
  return failAt(scope, node, `can't handle ${printNode(node)} for arg of type ${TYPE_NAMES[type]}`)
}

/** Checks that a value fits a parameter; a missing value becomes an empty map for a map parameter. */
function checkType(scope: Scope, node: TemplateNode, value: Value, type: ParameterType): GoValue {
  if (value === undefined && type !== 'any' && type !== 'map') {
    throw failAt(scope, node, `invalid value; expected ${TYPE_NAMES[type]}`)
  }
  const given = value ?? null
  if (value === undefined && type === 'map') return NIL_MAP
  if (fitsParameter(given, type)) return given
  const typeName = given === null ? 'interface {}' : goTypeName(given)
  throw failAt(scope, node, `wrong type for value; expected ${TYPE_NAMES[type]}; got ${typeName}`)
}
