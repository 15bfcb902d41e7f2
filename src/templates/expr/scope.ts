import { TemplateError } from '../errors.ts'
import type { Budget } from '../govalue/budget.ts'
import { isGoBytes, isGoList, isGoMap } from '../govalue/type-name.ts'
import { encodeUtf8 } from '../govalue/utf8.ts'
import type { GoFunction, GoValue } from '../govalue/value.ts'
import { kindName } from './builtins/builtin.ts'

/** Names available to an expression: variables, and functions that override builtins of the same name. */
export interface ExprEnvironment {
  readonly variables: ReadonlyMap<GoValue, GoValue>
  readonly functions?: ReadonlyMap<string, GoFunction>
}

/** State of one evaluation. */
export interface Machine {
  readonly source: string
  readonly environment: ExprEnvironment
  readonly budget: Budget
  /** Checked expressions also get expr-lang's visible optimizations. */
  readonly optimized: boolean
}

interface Variable {
  readonly name: string
  readonly value: GoValue
  readonly outer: Variable | undefined
}

interface Pointer {
  readonly items: Items
  readonly index: number
  readonly accumulator: GoValue
}

/** Names visible at a node: the variables of `let` and the element of the enclosing predicate. */
export interface Scope {
  readonly machine: Machine
  readonly variables: Variable | undefined
  readonly pointer: Pointer | undefined
}

/** Evaluates a node; passed in to avoid import cycles. */
export type Evaluate<Node> = (node: Node, scope: Scope) => GoValue

/** Collection as iterated by predicates. */
export interface Items {
  readonly length: number
  readonly at: (index: number) => GoValue
}

/** Items of a list, of bytes, or of a string as bytes. Throws a `TemplateError` for other values. */
export function itemsOf(value: GoValue): Items {
  if (isGoList(value)) return { length: value.length, at: (index) => value[index] ?? null }
  if (typeof value === 'string') return itemsOf(encodeUtf8(value))
  if (isGoBytes(value)) return { length: value.length, at: (index) => BigInt(value[index] ?? 0) }
  if (isGoMap(value)) {
    const at = (): GoValue => {
      throw new TemplateError('reflect: call of reflect.Value.Index on map Value')
    }
    return { length: value.size, at }
  }
  const kind = value === null ? 'zero' : kindName(value)
  throw new TemplateError(`reflect: call of reflect.Value.Len on ${kind} Value`)
}
