import { TemplateError } from '../errors.ts'
import {
  decodeUtf8,
  formatGoValue,
  formatPlainFloat,
  goTypeName,
  isGoBytes,
  type Budget,
  type GoValue,
} from '../govalue/index.ts'
import type { Expression } from './ast.ts'

/**
 * Value of a Jet expression. `undefined` is no value (a missing key, the literal `nil`), which prints nothing; `null` is a stored
 * nil, which prints `<nil>`.
 */
export type JetValue = GoValue | undefined | JetSpecial

/** Values internal to Jet, which cannot be stored in lists or maps or passed to host functions. */
export type JetSpecial = JetBuiltin | JetWriter | JetInts | JetRendered | JetHidden | JetCaught

/** Function of Jet, which decides which arguments to evaluate. */
export interface JetBuiltin {
  readonly kind: 'builtin'
  readonly name: string
  readonly call: (call: JetCall) => JetValue
}

/** Function that prints its arguments with its own escaping. */
export interface JetWriter {
  readonly kind: 'writer'
  readonly name: string
  readonly write: (text: string) => string
}

/** Result of `ints`: integers from `from` (inclusive) to `to` (exclusive). */
export interface JetInts {
  readonly kind: 'ints'
  readonly from: bigint
  readonly to: bigint
}

/** Text that is printed without escaping. */
export interface JetRendered {
  readonly kind: 'rendered'
  readonly text: string
}

/** A boolean that prints nothing. */
export interface JetHidden {
  readonly kind: 'hidden'
  readonly value: boolean
}

/** Error bound by `catch`, with Go's method `Error` for the message. */
export interface JetCaught {
  readonly kind: 'caught'
  readonly message: string
}

/** Argument: an unevaluated expression, or the piped value. */
export type JetArgument = { readonly expression: Expression } | { readonly piped: JetValue }

export interface JetCall {
  readonly count: number
  readonly budget: Budget
  /** Evaluates an argument; `undefined` if there is no argument at the index. */
  readonly value: (index: number) => JetValue
  /** Whether an argument can be evaluated and is not nil. */
  readonly isSet: (index: number) => boolean
  /** Renders another template and returns its value; undefined if the loader does not find it. */
  readonly render: (path: string, render: RenderRequest) => { readonly returned: JetValue } | undefined
}

export interface RenderRequest {
  readonly output: 'print' | 'discard'
  /** The new dot; the current one if absent. */
  readonly context?: { readonly value: JetValue }
}

/** Whether the value is internal to Jet. */
export function isSpecial(value: JetValue): value is JetSpecial {
  if (typeof value !== 'object' || value === null || !('kind' in value)) return false
  switch (value.kind) {
    case 'builtin':
    case 'writer':
    case 'ints':
    case 'rendered':
    case 'hidden':
    case 'caught':
      return true
    default:
      return false
  }
}

/** Converts to a Go value; `undefined` becomes nil. Throws a `TemplateError` for values internal to Jet. */
export function toGoValue(value: JetValue): GoValue {
  if (value === undefined) return null
  if (!isSpecial(value)) return value
  if (value.kind === 'hidden') return value.value
  if (value.kind === 'caught') return value.message
  throw new TemplateError(`${jetTypeName(value)} cannot be used as a value`)
}

export function jetTypeName(value: JetValue): string {
  if (value === undefined) return '<invalid>'
  if (value === null) return 'interface {}'
  // One key is enough for a message; goTypeName visits all of them.
  if (value instanceof Map) return goTypeName(new Map(firstEntry(value)))
  if (!isSpecial(value)) return goTypeName(value)
  switch (value.kind) {
    case 'builtin':
    case 'writer':
      return `function ${value.name}`
    case 'ints':
      return 'result of ints()'
    case 'rendered':
      return 'result of writeJson()'
    case 'hidden':
      return 'bool'
    case 'caught':
      return 'error'
  }
}

function firstEntry(map: ReadonlyMap<GoValue, GoValue>): Iterable<readonly [GoValue, GoValue]> {
  const first = map.entries().next()
  return first.done === true ? [] : [first.value]
}

/** Jet's truth: everything but false, 0, the empty string, nil and no value. Empty lists and maps are true. */
export function isTrue(value: JetValue): boolean {
  if (isSpecial(value)) return value.kind === 'hidden' ? value.value : true
  if (typeof value === 'number') return value !== 0
  return value !== undefined && value !== null && value !== false && value !== '' && value !== 0n
}

/** Whether the value is neither undefined nor nil, as `isset` requires. */
export function isNotNil(value: JetValue): boolean {
  return value !== undefined && value !== null
}

/** Printed text of a value: bytes as text, floats without an exponent, list and map contents as `%v`. */
export function printValue(value: JetValue, budget: Budget): string {
  if (value === undefined) return ''
  if (typeof value === 'number') return Number.isNaN(value) ? 'Nan' : formatPlainFloat(value)
  if (isSpecial(value)) return printSpecial(value)
  return isGoBytes(value) ? decodeUtf8(value) : formatGoValue(value, budget)
}

function printSpecial(value: JetSpecial): string {
  switch (value.kind) {
    case 'builtin':
    case 'writer':
      return '0x0'
    case 'ints':
      // Go prints the fields of its iterator: index, value before the first and end.
      return `{-1 ${value.from - 1n} ${value.to}}`
    case 'rendered':
      return value.text
    case 'hidden':
      return ''
    case 'caught':
      return value.message
  }
}
