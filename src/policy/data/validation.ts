import { Budget, formatGoValue, type GoFunction, type GoValue, isInt64 } from '../../templates/govalue/index.ts'
import { compileExpression, evaluateExpression, STRING } from '../../templates/expr/index.ts'
import { TemplateError } from '../../templates/errors.ts'
import { parseIp } from '../../model/ip-address.ts'
import type { Validate } from './annotations.ts'

/**
 * The functions of `@validate` expressions, named as in choria-io/validator. Each takes text; format validators return
 * a boolean.
 */
export const validators: ReadonlyMap<string, GoFunction> = new Map([
  ...validator(['isIP', 'is_ip'], (text) => parseIp(text) !== undefined),
  ...validator(['isIPv4', 'is_ipv4'], (text) => parseIp(text)?.length === 4),
  ...validator(['isIPv6', 'is_ipv6'], (text) => parseIp(text)?.length === 16),
  ...validator(['isInt', 'is_int'], (text) => /^[+-]?\d+$/.test(text) && isInt64(BigInt(text.replace(/^\+/, '')))),
  ...validator(['isFloat', 'is_float'], isFloat),
  ...validator(['isDuration', 'is_duration'], isDuration),
  ...validator(['isShellSafe', 'is_shellsafe'], (text) => !/[`$;|&><()\n]/.test(text.trim())),
  ...validator(['isHostname', 'is_hostname'], isHostname),
  ...validator(['isFQDN', 'is_fqdn'], (text) => isHostname(text) && text.replace(/\.$/, '').includes('.')),
])

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

function validator(names: readonly string[], check: (text: string) => boolean): [string, GoFunction][] {
  return names.map((name) => [name, { kind: 'function', name, call: (args) => check(onlyText(name, args)) }])
}

function onlyText(name: string, args: readonly GoValue[]): string {
  const [value, ...rest] = args
  if (value === undefined || rest.length > 0) throw new TemplateError(`${name} requires one value`)
  return typeof value === 'string' ? value : formatGoValue(value)
}

/** The syntax of Go's ParseFloat: decimal or hexadecimal, infinities and NaN, underscores only with a base prefix. */
function isFloat(text: string): boolean {
  return /^[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?|0x([\da-f]+\.?[\da-f]*|\.[\da-f]+)p[+-]?\d+|inf(inity)?|nan)$/i.test(
    text,
  )
}

/** Durations with the units of Go plus days, weeks, months and years: `1h30m`, `2d`, `1w`. */
function isDuration(text: string): boolean {
  return /^[+-]?(\d+(\.\d*)?|\.\d+)(ns|us|\u00b5s|\u03bcs|ms|s|m|h|d|D|w|W|M|y|Y)((\d+(\.\d*)?|\.\d+)(ns|us|\u00b5s|\u03bcs|ms|s|m|h|d|D|w|W|M|y|Y))*$/.test(
    text,
  )
}

/** RFC 1123: labels of letters, digits and inner hyphens, 63 characters each and 253 in all; a final dot is allowed. */
function isHostname(text: string): boolean {
  const name = text.replace(/\.$/, '')
  return name.length <= 253 && name.split('.').every((label) => /^[a-z\d]([a-z\d-]{0,61}[a-z\d])?$/i.test(label))
}
