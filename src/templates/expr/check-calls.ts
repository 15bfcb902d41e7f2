import { TemplateError } from '../errors.ts'
import type { Builtin } from './builtins/builtin.ts'
import { findBuiltin } from './builtins/registry.ts'
import { checkError, type Check, type CheckScope } from './check-context.ts'
import { placeError } from './position.ts'
import { predicateShape } from './predicate-shapes.ts'
import type { BuiltinNode, CallNode, ExprNode } from './syntax.ts'
import {
  anyKeyMap,
  BOOL,
  INT,
  isAssignable,
  LIST,
  listOf,
  MAP,
  typeName,
  UNKNOWN,
  type ExprType,
  type Signature,
} from './types.ts'

/** Checks a call of a host function or a method. Arguments of unknown functions are not checked, as in expr-lang. */
export function checkCall(node: CallNode, scope: CheckScope, check: Check): ExprType {
  if (node.callee.kind === 'identifier' && node.callee.name === '$env') {
    throw checkError(node, scope, `${typeName(MAP)} is not callable`)
  }
  const callee = check(node.callee, scope)
  if (callee.kind === 'unknown') return UNKNOWN
  const name = calleeName(node.callee)
  if (callee.kind === 'nil') throw checkError(node, scope, `${name} is nil; cannot call nil as function`)
  if (callee.kind !== 'function') throw checkError(node, scope, `${typeName(callee)} is not callable`)
  if (callee.signature !== undefined)
    return checkArguments(callee.signature, { name, node, args: node.args }, scope, check)
  for (const argument of node.args) check(argument, scope)
  return UNKNOWN
}

function calleeName(node: ExprNode): string {
  if (node.kind === 'identifier') return node.name
  return node.kind === 'member' && node.property.kind === 'string' ? node.property.value : 'function'
}

interface CalledFunction {
  readonly name: string
  readonly node: ExprNode
  readonly args: readonly ExprNode[]
}

function checkArguments(signature: Signature, called: CalledFunction, scope: CheckScope, check: Check): ExprType {
  const { name, node, args } = called
  const { parameters, result } = signature
  if (args.length > parameters.length) throw checkError(node, scope, `too many arguments to call ${name}`)
  if (args.length < parameters.length) throw checkError(node, scope, `not enough arguments to call ${name}`)
  for (const [index, argument] of args.entries()) {
    const wanted = parameters[index] ?? UNKNOWN
    const given = check(argument, scope)
    const message = argumentProblem(given, wanted)
    if (message !== undefined) throw checkError(argument, scope, `${message} to call ${name}${blankAfter(given)}`)
  }
  return result
}

/** expr-lang's message ends with a blank, except for nil. */
function blankAfter(given: ExprType): string {
  return given.kind === 'nil' ? '' : ' '
}

function argumentProblem(given: ExprType, wanted: ExprType): string | undefined {
  if (wanted.kind === 'unknown' || given.kind === 'unknown') return undefined
  if (wanted.kind === 'float' && given.kind === 'int') return undefined
  if (given.kind !== 'nil' && isAssignable(given, wanted)) return undefined
  return `cannot use ${typeName(given)} as argument (type ${typeName(wanted)})`
}

export function checkBuiltin(node: BuiltinNode, scope: CheckScope, check: Check): ExprType {
  if (predicateShape(node.name) !== undefined) return checkPredicateCall(node, scope, check)
  const builtin = findBuiltin(node.name)
  if (builtin === undefined) throw checkError(node, scope, `unknown builtin ${node.name}`)
  if (builtin.check.kind === 'overloads') return checkOverloads(builtin.check.signatures, node, scope, check)
  if (node.name === 'get' && node.args.length === 2) checkIndexable(node, scope, check)
  return checkCustom(builtin.check, node, scope, check)
}

type CustomCheck = Extract<Builtin['check'], { kind: 'custom' }>

function checkCustom(custom: CustomCheck, node: BuiltinNode, scope: CheckScope, check: Check): ExprType {
  const types = node.args.map((argument) => check(argument, scope))
  try {
    return custom.check(types)
  } catch (error) {
    if (error instanceof TemplateError) throw placeError(error, scope.declarations.source, node.offset)
    throw error
  }
}

function checkOverloads(
  signatures: readonly Signature[],
  node: BuiltinNode,
  scope: CheckScope,
  check: Check,
): ExprType {
  const [signature, ...others] = signatures
  if (signature === undefined) return UNKNOWN
  // Creating an error that is not shown is expensive.
  const isHopeless = others.length > 0 && signature.parameters.length !== node.args.length
  if (isHopeless) return checkOverloads(others, node, scope, check)
  try {
    return checkArguments(signature, { name: node.name, node, args: node.args }, scope, check)
  } catch (error) {
    // The error of the last overload is shown.
    if (others.length === 0 || !(error instanceof TemplateError)) throw error
    return checkOverloads(others, node, scope, check)
  }
}

function checkIndexable(node: BuiltinNode, scope: CheckScope, check: Check): void {
  const [object, key] = node.args
  if (object === undefined || key === undefined) return
  const base = check(object, scope)
  const index = check(key, scope)
  if (base.kind === 'unknown' || (object.kind === 'identifier' && object.name === '$env')) return
  if (base.kind === 'list' || base.kind === 'bytes') {
    if (index.kind === 'int' || index.kind === 'unknown') return
    throw checkError(key, scope, `non-integer slice index ${typeName(index)}`)
  }
  if (base.kind !== 'map') throw checkError(object, scope, `type ${typeName(base)} does not support indexing`)
  if (index.kind === 'unknown' || isAssignable(index, base.key)) return
  throw checkError(key, scope, `cannot use ${typeName(index)} to get an element from ${typeName(base)}`)
}

const POINTERS: ReadonlyMap<string, ReadonlyMap<string, ExprType>> = new Map([
  ['map', new Map([['index', INT]])],
  [
    'reduce',
    new Map([
      ['index', INT],
      ['acc', UNKNOWN],
    ]),
  ],
])

const BOOL_PREDICATES: ReadonlySet<string> = new Set([
  'all',
  'none',
  'any',
  'one',
  'filter',
  'count',
  'find',
  'findLast',
  'findIndex',
  'findLastIndex',
])

function checkPredicateCall(node: BuiltinNode, scope: CheckScope, check: Check): ExprType {
  const [list, predicate, extra] = node.args
  if (list === undefined) return UNKNOWN
  const collection = check(list, scope)
  if (!['list', 'bytes', 'unknown'].includes(collection.kind)) {
    throw checkError(list, scope, `builtin ${node.name} takes only array (got ${typeName(collection)})`)
  }
  const result = predicate === undefined ? undefined : checkPredicate(node, predicate, collection, { scope, check })
  if (extra !== undefined) check(extra, scope)
  return predicateCallType(node.name, collection, result)
}

interface Checking {
  readonly scope: CheckScope
  readonly check: Check
}

function checkPredicate(node: BuiltinNode, predicate: ExprNode, collection: ExprType, checking: Checking): ExprType {
  const { scope, check } = checking
  const inner = { ...scope, predicate: { collection, pointers: POINTERS.get(node.name) ?? new Map() } }
  const result = check(predicate, inner)
  if (result.kind === 'nil') {
    const inputs = node.name === 'reduce' ? 'two' : 'one'
    throw checkError(predicate, scope, `predicate should has ${inputs} input and one output param`)
  }
  if (BOOL_PREDICATES.has(node.name) && result.kind !== 'bool' && result.kind !== 'unknown') {
    throw checkError(predicate, scope, `predicate should return boolean (got ${typeName(result)})`)
  }
  return result
}

export function elementType(collection: ExprType): ExprType {
  if (collection.kind === 'list') return collection.element
  return collection.kind === 'bytes' ? INT : UNKNOWN
}

function predicateCallType(name: string, collection: ExprType, result: ExprType | undefined): ExprType {
  const element = elementType(collection)
  switch (name) {
    case 'all':
    case 'none':
    case 'any':
    case 'one':
      return BOOL
    case 'count':
    case 'findIndex':
    case 'findLastIndex':
      return INT
    case 'filter':
      return listOf(element)
    case 'map':
      return listOf(result ?? UNKNOWN)
    case 'find':
    case 'findLast':
      return element
    case 'groupBy':
      return anyKeyMap(LIST)
    case 'sortBy':
      return collection.kind === 'unknown' ? UNKNOWN : listOf(element)
    case 'sum':
      return result ?? element
    default:
      return result ?? UNKNOWN
  }
}
