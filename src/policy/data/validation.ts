import { Budget, formatGoValue, type GoFunction, type GoValue } from '../../templates/govalue/index.ts'
import { compileExpression, evaluateExpression, STRING } from '../../templates/expr/index.ts'
import { TemplateError } from '../../templates/errors.ts'
import type { Validate } from './annotations.ts'
import { validators } from './validators.ts'

/** `isRegex` is an alias of the language's own operator `matches`. */
const PATTERN = compileExpression('value matches pattern', {
  environment: new Map([
    ['value', STRING],
    ['pattern', STRING],
  ]),
})

const functions: ReadonlyMap<string, GoFunction> = new Map([
  ...validators,
  ...['isRegex', 'is_regex'].map((name): [string, GoFunction] => [
    name,
    { kind: 'function', name, call: (args) => matchesPattern(name, args) },
  ]),
])

function matchesPattern(name: string, [value, pattern, ...rest]: readonly GoValue[]): GoValue {
  if (typeof value !== 'string' || typeof pattern !== 'string' || rest.length > 0) {
    throw new TemplateError(`${name} requires a string and a regular expression`)
  }
  const variables = new Map([
    ['value', value],
    ['pattern', pattern],
  ])
  return evaluateExpression(PATTERN, { variables, functions: new Map() })
}

/** Evaluates the expression of a `@validate`: `value` is the printed value, the validators are its functions. */
export const validate: Validate = (expression, value) => {
  const text = formatGoValue(value)
  const variables = new Map([
    ['value', text],
    ['Value', text],
  ])
  const environment = new Map([...variables.keys()].map((name) => [name, STRING]))
  try {
    const compiled = compileExpression(expression, {
      environment,
      functionNames: new Set(functions.keys()),
      result: 'bool',
    })
    return evaluateExpression(compiled, { variables, functions }, new Budget()) === true
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    return { message: error.message.split('\n')[0] ?? '' }
  }
}
