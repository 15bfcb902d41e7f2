import { BudgetError, clip, excerpt, TemplateError } from '../errors.ts'
import type { GoValue } from '../govalue/index.ts'
import type { TemplateBody, TemplateNode } from './ast.ts'
import type { CallContext, TemplateFunction } from './functions.ts'
import { quoteGoString } from './go-quote.ts'
import { lineOf } from './parser-state.ts'
import { printNode } from './print-node.ts'

/** A value, or nothing at all: a missing key, or nil that went through a pipeline. */
export type Value = GoValue | undefined

/** Marks that a command gets no value from a pipe, which is not the same as getting nothing. */
export const NOT_PIPED: unique symbol = Symbol('not piped')

/** What a command gets from the one before it. */
export type Piped = Value | typeof NOT_PIPED

/** One run of a template and all templates it calls. */
export interface Evaluation {
  readonly context: CallContext
  readonly templates: ReadonlyMap<string, TemplateBody>
  readonly findFunction: (name: string) => TemplateFunction | undefined
  /** What printing nil does. */
  readonly nil: 'print' | 'refuse'
  /** What reading a field does that a map does not have. */
  readonly missingKey: 'nil' | 'refuse'
  output: string
  /** The statement being evaluated and its template, for errors that know no place. */
  place: { readonly body: TemplateBody; readonly node: TemplateNode } | undefined
}

/** The variables of one call of a template, innermost last, with its source for error messages. */
export interface Scope {
  readonly evaluation: Evaluation
  readonly body: TemplateBody
  readonly names: string[]
  readonly values: Value[]
}

/** The error of an evaluation at a node, in text/template's words; the place counts columns in bytes from 0. */
export function executionError(
  body: TemplateBody,
  node: TemplateNode,
  message: string,
  cause?: unknown,
): TemplateError {
  const { source, sourceName } = body
  const lineStart = node.offset === 0 ? 0 : source.lastIndexOf('\n', node.offset - 1) + 1
  const column = Buffer.byteLength(source.slice(lineStart, node.offset))
  const place = `${sourceName}:${lineOf(source, node.offset)}:${column}`
  const text = `template: ${place}: executing ${quoteGoString(body.name)} at <${excerpt(printNode(node))}>: ${clip(message)}`
  const hint = cause instanceof TemplateError ? cause.hint : undefined
  const options = cause === undefined ? undefined : { cause, hint }
  return cause instanceof BudgetError
    ? new BudgetError(text, node.offset, options)
    : new TemplateError(text, node.offset, options)
}

/** `executionError` in the scope's template. */
export function failAt(scope: Scope, node: TemplateNode, message: string): TemplateError {
  return executionError(scope.body, node, message)
}

/** Declares a variable that is visible until the block ends. */
export function declareVariable(scope: Scope, name: string, value: Value): void {
  scope.names.push(name)
  scope.values.push(value)
}

/** Forgets the variables declared since there were `count`. */
export function dropVariables(scope: Scope, count: number): void {
  scope.names.length = count
  scope.values.length = count
}

/** Position of the innermost variable of the name; the parser has made sure that there is one. */
function positionOf(scope: Scope, node: TemplateNode, name: string): number {
  const position = scope.names.lastIndexOf(name)
  if (position < 0) throw failAt(scope, node, `undefined variable: ${name}`)
  return position
}

/** Value of a variable. */
export function variableValue(scope: Scope, node: TemplateNode, name: string): Value {
  return scope.values[positionOf(scope, node, name)]
}

/** Changes the innermost variable of the name. */
export function assignVariable(scope: Scope, node: TemplateNode, name: string, value: Value): void {
  scope.values[positionOf(scope, node, name)] = value
}
