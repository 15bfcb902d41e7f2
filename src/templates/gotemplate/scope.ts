import { BudgetError, clip, excerpt, TemplateError, lineAt } from '../errors.ts'
import type { GoValue } from '../govalue/index.ts'
import type { TemplateBody, TemplateNode } from './ast.ts'
import type { CallContext, TemplateFunction } from './functions.ts'
import { quoteGoString } from './go-quote.ts'
import { printNode } from './print-node.ts'

/** Value, or undefined: a missing key, or nil from a pipeline. */
export type Value = GoValue | undefined

/** Marks a command without piped input, which differs from an undefined input. */
export const NOT_PIPED: unique symbol = Symbol('not piped')

/** Piped input of a command. */
export type Piped = Value | typeof NOT_PIPED

export interface Evaluation {
  readonly context: CallContext
  readonly templates: ReadonlyMap<string, TemplateBody>
  readonly findFunction: (name: string) => TemplateFunction | undefined
  /** Whether nil is printed or is an error. */
  readonly nil: 'print' | 'refuse'
  /** Whether a missing map key is nil or an error. */
  readonly missingKey: 'nil' | 'refuse'
  output: string
  /** The current statement and its template, for errors without a location. */
  place: { readonly body: TemplateBody; readonly node: TemplateNode } | undefined
}

/** Variables of one template call, innermost last, with its source for error messages. */
export interface Scope {
  readonly evaluation: Evaluation
  readonly body: TemplateBody
  readonly names: string[]
  readonly values: Value[]
}

/** Evaluation error at a node, in text/template's words; the column counts bytes from 0. */
export function executionError(
  body: TemplateBody,
  node: TemplateNode,
  message: string,
  cause?: unknown,
): TemplateError {
  const { source, sourceName } = body
  const lineStart = node.offset === 0 ? 0 : source.lastIndexOf('\n', node.offset - 1) + 1
  const column = Buffer.byteLength(source.slice(lineStart, node.offset))
  const place = `${sourceName}:${lineAt(source, node.offset)}:${column}`
  const text = `template: ${place}: executing ${quoteGoString(body.name)} at <${excerpt(printNode(node))}>: ${clip(message)}`
  const hint = cause instanceof TemplateError ? cause.hint : undefined
  const options = cause === undefined ? undefined : { cause, hint }
  return cause instanceof BudgetError
    ? new BudgetError(text, node.offset, options)
    : new TemplateError(text, node.offset, options)
}

export function failAt(scope: Scope, node: TemplateNode, message: string): TemplateError {
  return executionError(scope.body, node, message)
}

/** Declares a variable that is visible until the block ends. */
export function declareVariable(scope: Scope, name: string, value: Value): void {
  scope.names.push(name)
  scope.values.push(value)
}

/** Removes the variables declared after the first `count`. */
export function dropVariables(scope: Scope, count: number): void {
  scope.names.length = count
  scope.values.length = count
}

/** Position of the innermost variable of the name, which exists because the parser has checked it. */
function positionOf(scope: Scope, node: TemplateNode, name: string): number {
  const position = scope.names.lastIndexOf(name)
  if (position < 0) throw failAt(scope, node, `undefined variable: ${name}`)
  return position
}

export function variableValue(scope: Scope, node: TemplateNode, name: string): Value {
  return scope.values[positionOf(scope, node, name)]
}

/** Changes the innermost variable of the name. */
export function assignVariable(scope: Scope, node: TemplateNode, name: string, value: Value): void {
  scope.values[positionOf(scope, node, name)] = value
}
