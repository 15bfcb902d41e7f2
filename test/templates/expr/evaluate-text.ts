import { expect } from 'vitest'
import { TemplateError } from '../../../src/templates/errors.ts'
import {
  compileExpression,
  evaluateExpression,
  typeOfValue,
  type CompileOptions,
} from '../../../src/templates/expr/index.ts'
import { formatGoValue, fromPlain, goTypeName, isGoMap, type GoValue } from '../../../src/templates/govalue/index.ts'

/** Compiles against plain data, evaluates, and gives the result. */
export function evaluateWith(source: string, data: object = {}, options: CompileOptions = {}): GoValue {
  const variables = fromPlain(data)
  if (!isGoMap(variables)) throw new Error('data must be an object')
  const environment = new Map([...variables].map(([name, value]) => [formatGoValue(name), typeOfValue(value)]))
  return evaluateExpression(compileExpression(source, { environment, ...options }), { variables })
}

/** The result as `type text`, both as Go prints them. */
export function evaluateText(source: string, data: object = {}, options: CompileOptions = {}): string {
  const value = evaluateWith(source, data, options)
  return `${goTypeName(value)} ${formatGoValue(value)}`
}

/** The error of an expression: first line of the message, and offset. */
export function errorOf(source: string, data: object = {}, options: CompileOptions = {}): TemplateError {
  try {
    evaluateWith(source, data, options)
  } catch (error) {
    if (error instanceof TemplateError) return error
    throw error
  }
  return expect.unreachable(`${source} should fail`)
}

/** First line of a message. */
export function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? ''
}
