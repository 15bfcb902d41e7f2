import { TemplateError } from '../errors.ts'
import {
  countBytes,
  goTypeName,
  isGoBytes,
  isGoList,
  isGoMap,
  missingValueOf,
  type Budget,
  type GoValue,
} from '../govalue/index.ts'
import { sliceBytes, toByteText } from './byte-text.ts'
import { equalsAny, isLess, isLessOrEqual } from './comparison.ts'
import { escapeHtml, escapeJavaScript, escapeQuery } from './escape.ts'
import { fixed, variadic, type CallContext, type TemplateFunction } from './functions.ts'
import { integerOf, isGoFunction } from './kinds.ts'
import { formatPrintf, print, printLine } from './printf/index.ts'
import { chargeText, ownText } from './text-value.ts'
import { isTrue } from './truth.ts'

function lengthOf(value: GoValue): number {
  if (typeof value === 'string') return countBytes(value)
  if (isGoList(value) || isGoBytes(value)) return value.length
  if (ownText(value) !== undefined) throw new TemplateError('len of type semver.Version')
  if (isGoMap(value)) return value.size
  if (value === null) throw new TemplateError('len of nil pointer')
  throw new TemplateError(`len of type ${goTypeName(value)}`)
}

/** Converts an index, which is at most `limit`, with the checks of Go's `indexArg`. */
function checkIndex(index: GoValue, limit: number): number {
  if (index === null) throw new TemplateError('cannot index slice/array with nil')
  const position = integerOf(index)
  if (position === undefined) throw new TemplateError(`cannot index slice/array with type ${goTypeName(index)}`)
  if (position < 0n || position > BigInt(limit)) throw new TemplateError(`index out of range: ${position}`)
  return Number(position)
}

function indexOnce(item: GoValue, index: GoValue): GoValue {
  if (isGoMap(item)) return indexMap(item, index)
  if (typeof item !== 'string' && !isGoList(item) && !isGoBytes(item)) {
    throw new TemplateError(`can't index item of type ${goTypeName(item)}`)
  }
  const bytes = typeof item === 'string' ? toByteText(item) : item
  const position = checkIndex(index, bytes.length)
  if (position === bytes.length) {
    throw new TemplateError(`reflect: ${typeof item === 'string' ? 'string' : 'slice'} index out of range`)
  }
  if (typeof bytes === 'string') return BigInt(bytes.charCodeAt(position))
  return isGoBytes(bytes) ? BigInt(bytes[position] ?? 0) : (bytes[position] ?? null)
}

function indexMap(map: ReadonlyMap<GoValue, GoValue>, key: GoValue): GoValue {
  const hasOtherKeys = map.size > 0 && [...map.keys()].some((known) => typeof known !== 'string')
  if (!hasOtherKeys && typeof key !== 'string') {
    if (key === null) throw new TemplateError('value is nil; should be of type string')
    throw new TemplateError(`value has type ${goTypeName(key)}; should be string`)
  }
  return map.has(key) ? (map.get(key) ?? null) : missingValueOf(map, key)
}

function index(item: GoValue, indexes: readonly GoValue[]): GoValue {
  if (item === null) throw new TemplateError('index of untyped nil')
  return indexes.reduce((inner, position) => {
    if (inner === null) throw new TemplateError('index of nil pointer')
    return indexOnce(inner, position)
  }, item)
}

function slice(item: GoValue, indexes: readonly GoValue[]): GoValue {
  if (item === null) throw new TemplateError('slice of untyped nil')
  if (indexes.length > 3) throw new TemplateError(`too many slice indexes: ${indexes.length}`)
  if (typeof item !== 'string' && !isGoList(item) && !isGoBytes(item)) {
    throw new TemplateError(`can't slice item of type ${goTypeName(item)}`)
  }
  if (typeof item === 'string' && indexes.length === 3) throw new TemplateError('cannot 3-index slice a string')
  const length = lengthOf(item)
  const [start = 0, end = length, capacity = length] = indexes.map((position) => checkIndex(position, length))
  if (start > end) throw new TemplateError(`invalid slice index: ${start} > ${end}`)
  if (end > capacity) throw new TemplateError(`invalid slice index: ${end} > ${capacity}`)
  return typeof item === 'string' ? sliceBytes(item, start, end) : item.slice(start, end)
}

function callValue(callee: GoValue, args: readonly GoValue[], { isolate }: CallContext): GoValue {
  if (callee === null) throw new TemplateError('call of nil')
  if (!isGoFunction(callee)) throw new TemplateError(`non-function of type ${goTypeName(callee)}`)
  return isolate(callee.call(args))
}

/** Arguments in the form that the escapers print: nil is `<no value>`. */
function printForEscape(args: readonly GoValue[], budget: Budget): string {
  const text = print(
    args.map((arg) => arg ?? '<no value>'),
    budget,
  )
  // One character becomes at most nine.
  chargeText(budget, text.length * 9)
  return text
}

const ANY_LIST = [[], 'any'] as const
const FIRST_AND_LIST = [['any'], 'any'] as const

function operator(kind: 'and' | 'or'): TemplateFunction {
  // The evaluator never calls these: it evaluates their arguments one by one.
  const base = variadic(kind, FIRST_AND_LIST, ([first], more) => more.at(-1) ?? first)
  return { ...base, shortCircuit: kind }
}

/** The functions that text/template itself defines. */
export const BUILTINS: readonly TemplateFunction[] = [
  operator('and'),
  operator('or'),
  fixed('not', ['any'], ([value]) => !isTrue(value)),
  variadic('eq', FIRST_AND_LIST, ([first], others) => equalsAny(first, others)),
  fixed('ne', ['any', 'any'], ([a, b]) => !equalsAny(a, [b])),
  fixed('lt', ['any', 'any'], ([a, b]) => isLess(a, b)),
  fixed('le', ['any', 'any'], ([a, b]) => isLessOrEqual(a, b)),
  fixed('gt', ['any', 'any'], ([a, b]) => !isLessOrEqual(a, b)),
  fixed('ge', ['any', 'any'], ([a, b]) => !isLess(a, b)),
  fixed('len', ['any'], ([value]) => BigInt(lengthOf(value))),
  variadic('index', FIRST_AND_LIST, ([item], indexes) => index(item, indexes)),
  variadic('slice', FIRST_AND_LIST, ([item], indexes) => slice(item, indexes)),
  variadic('call', FIRST_AND_LIST, ([callee], args, context) => callValue(callee, args, context)),
  variadic('print', ANY_LIST, (_, args, { budget }) => print(args, budget)),
  variadic('println', ANY_LIST, (_, args, { budget }) => printLine(args, budget)),
  variadic('printf', [['string'], 'any'], ([format], args, { budget }) => formatPrintf(format, args, budget)),
  variadic('html', ANY_LIST, (_, args, { budget }) => escapeHtml(printForEscape(args, budget))),
  variadic('js', ANY_LIST, (_, args, { budget }) => escapeJavaScript(printForEscape(args, budget))),
  variadic('urlquery', ANY_LIST, (_, args, { budget }) => escapeQuery(printForEscape(args, budget))),
]
