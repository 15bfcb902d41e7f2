import { TemplateError } from '../errors.ts'
import type { Budget } from '../govalue/budget.ts'
import { isGoBytes, isGoList, isGoMap } from '../govalue/type-name.ts'
import { encodeUtf8 } from '../govalue/utf8.ts'
import type { GoFunction, GoValue } from '../govalue/value.ts'
import { kindName } from './builtins/builtin.ts'

/** What an expression can see: variables by name, and functions that override builtins of the same name. */
export interface ExprEnvironment {
  readonly variables: ReadonlyMap<GoValue, GoValue>
  readonly functions?: ReadonlyMap<string, GoFunction>
}

/** What stays the same during one evaluation. */
export interface Machine {
  readonly source: string
  readonly environment: ExprEnvironment
  readonly budget: Budget
  /** Expressions that were checked also get expr-lang's visible optimizations, others do not. */
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

/** What is visible at a node: the variables of `let` and the element of the predicate around it. */
export interface Scope {
  readonly machine: Machine
  readonly variables: Variable | undefined
  readonly pointer: Pointer | undefined
}

/** Evaluates a node; handed in so that files need not import each other. */
export type Evaluate<Node> = (node: Node, scope: Scope) => GoValue

/** A collection as predicates walk it. */
export interface Items {
  readonly length: number
  readonly at: (index: number) => GoValue
}

/** Opens a value for a predicate: lists, bytes, and strings as their bytes. Throws `TemplateError` for others. */
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
