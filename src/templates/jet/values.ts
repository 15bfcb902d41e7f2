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
 * What a Jet expression gives. `undefined` is no value at all (a key that is missing, the literal `nil`), which prints
 * nothing; `null` is a nil that is stored somewhere and prints `<nil>`.
 */
export type JetValue = GoValue | undefined | JetSpecial

/** Values that exist inside Jet only and cannot be stored in lists or maps or handed to functions. */
export type JetSpecial = JetBuiltin | JetWriter | JetInts | JetRendered | JetHidden | JetCaught

/** A function of Jet itself, which decides which of its arguments it evaluates. */
export interface JetBuiltin {
  readonly kind: 'builtin'
  readonly name: string
  readonly call: (call: JetCall) => JetValue
}

/** A function that prints its arguments its own way instead of the escaped one. */
export interface JetWriter {
  readonly kind: 'writer'
  readonly name: string
  readonly write: (text: string) => string
}

/** The result of `ints`: whole numbers from `from` up to but without `to`. */
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

/** What `catch` gives a name to: Go's error, whose method `Error` gives the message. */
export interface JetCaught {
  readonly kind: 'caught'
  readonly message: string
}

/** An argument: an expression not evaluated yet, or the piped value. */
export type JetArgument = { readonly expression: Expression } | { readonly piped: JetValue }

/** What a builtin gets. */
export interface JetCall {
  readonly count: number
  readonly budget: Budget
  /** Evaluates an argument; `undefined` without an argument at the index. */
  readonly value: (index: number) => JetValue
  /** Says whether an argument can be evaluated and is not nil. */
  readonly isSet: (index: number) => boolean
  /** Renders another template and gives what it returns; absent when the loader does not have it. */
  readonly render: (path: string, render: RenderRequest) => { readonly returned: JetValue } | undefined
}

/** How another template is rendered. */
export interface RenderRequest {
  readonly output: 'print' | 'discard'
  /** The new dot; absent keeps the current one. */
  readonly context?: { readonly value: JetValue }
}

/** Says whether the value exists inside Jet only. */
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

/** The value as Go's values know it, no value being nil. Throws `TemplateError` for values of Jet only. */
export function toGoValue(value: JetValue): GoValue {
  if (value === undefined) return null
  if (!isSpecial(value)) return value
  if (value.kind === 'hidden') return value.value
  if (value.kind === 'caught') return value.message
  throw new TemplateError(`${jetTypeName(value)} cannot be used as a value`)
}

/** The type of a value as Jet's messages name it. */
export function jetTypeName(value: JetValue): string {
  if (value === undefined) return '<invalid>'
  if (value === null) return 'interface {}'
  // Looking at one key is enough for a message; goTypeName goes over all of them.
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

/** Says whether the value is neither missing nor nil, which is what `isset` asks. */
export function isNotNil(value: JetValue): boolean {
  return value !== undefined && value !== null
}

/**
 * The text an action prints for a value: bytes as text, floats never with an exponent, everything inside lists and maps
 * as `%v`.
 */
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
