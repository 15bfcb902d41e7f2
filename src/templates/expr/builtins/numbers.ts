import { BudgetError, TemplateError } from '../../errors.ts'
import { MAX_VALUE_DEPTH, type Budget } from '../../govalue/budget.ts'
import { compareGoValues } from '../../govalue/compare.ts'
import { floatToInt64, parseDecimalInt64, parseGoFloat, wrapInt64 } from '../../govalue/int64.ts'
import { goKind, goTypeName, isGoList, tagGoValue } from '../../govalue/type-name.ts'
import type { GoDuration, GoValue } from '../../govalue/value.ts'
import { FLOAT, INT, UNKNOWN, type ExprType } from '../types.ts'
import { asInt, goStringOfType, overloaded, signature, unaryBuiltin, type Builtin } from './builtin.ts'

function invalidArgument(name: string, value: GoValue): TemplateError {
  return new TemplateError(`invalid argument for ${name} (type ${goTypeName(value)})`)
}

/** Go's math.Round: halves go away from zero. */
function roundHalfAway(value: number): number {
  if (!Number.isFinite(value) || Number.isInteger(value)) return value
  const whole = Math.trunc(value)
  return Math.abs(value - whole) >= 0.5 ? whole + Math.sign(value) : whole
}

function rounding(name: string, round: (value: number) => number): Builtin {
  const rule = {
    kinds: ['int', 'float'],
    message: (type: string) => `invalid argument for ${name} (type ${type})`,
  } as const
  return unaryBuiltin(
    name,
    rule,
    () => FLOAT,
    (value) => {
      if (typeof value === 'bigint') return Number(value)
      if (typeof value !== 'number') throw invalidArgument(name, value)
      return round(value)
    },
  )
}

function abs(value: GoValue): GoValue {
  if (typeof value === 'bigint') return value < 0n ? wrapInt64(-value) : value
  if (typeof value === 'number') return value < 0 ? -value : value
  throw invalidArgument('abs', value)
}

function toInt(value: GoValue): bigint {
  const tagged = tagGoValue(value)
  switch (tagged.kind) {
    case 'int':
      return tagged.value
    case 'float':
      return floatToInt64(tagged.value)
    case 'duration':
      return tagged.value.nanoseconds
    case 'enum':
      return tagged.value.value
    case 'string': {
      const parsed = parseDecimalInt64(tagged.value)
      if (parsed === undefined) throw new TemplateError(`invalid operation: int(${tagged.value})`)
      return parsed
    }
    default:
      throw new TemplateError(`invalid operation: int(${goTypeName(value)})`)
  }
}

function toFloat(value: GoValue): number {
  if (typeof value === 'number') return value
  if (typeof value === 'bigint') return Number(value)
  if (typeof value !== 'string') throw new TemplateError(`invalid operation: float(${goTypeName(value)})`)
  const parsed = parseGoFloat(value)
  if (parsed === undefined) throw new TemplateError(`invalid operation: float(${value})`)
  return parsed
}

const CONVERTIBLE: readonly ExprType['kind'][] = ['int', 'float', 'string', 'duration', 'enum']

/** Number or duration, which is a number of nanoseconds in Go. */
type Quantity = bigint | number | GoDuration

function isQuantity(value: GoValue): value is Quantity {
  return typeof value === 'bigint' || typeof value === 'number' || goKind(value) === 'duration'
}

/** Visits the numbers of arguments and nested lists. */
function eachNumber(name: string, values: readonly GoValue[], budget: Budget, visit: (value: Quantity) => void): void {
  walkNumbers(values, { name, budget, visit }, 0)
}

interface NumberWalk {
  readonly name: string
  readonly budget: Budget
  readonly visit: (value: Quantity) => void
}

function walkNumbers(values: readonly GoValue[], walk: NumberWalk, depth: number): void {
  if (depth > MAX_VALUE_DEPTH) throw new BudgetError(`values are nested deeper than ${MAX_VALUE_DEPTH} levels`)
  for (const value of values) {
    walk.budget.step()
    if (isGoList(value)) walkNumbers(value, walk, depth + 1)
    else if (isQuantity(value)) walk.visit(value)
    else throw invalidArgument(walk.name, value)
  }
}

function extreme(name: string, sign: 1 | -1): Builtin['call'] {
  return (args, budget) => {
    const [only = null] = args
    // A single argument that is neither number nor list is returned unchanged, as in expr-lang.
    const isNumberOrList = isGoList(only) || isQuantity(only)
    if (args.length === 1 && !isNumberOrList) return only
    let best: Quantity | undefined
    eachNumber(name, args, budget, (value) => {
      const order = best === undefined ? 1 : compareGoValues(value, best)
      if (order === undefined) throw invalidArgument(name, value)
      if (best === undefined || sign * order > 0) best = value
    })
    return best ?? null
  }
}

function collect(name: string, args: readonly GoValue[], budget: Budget): number[] {
  const numbers: number[] = []
  eachNumber(name, args, budget, (value) => {
    numbers.push(Number(typeof value === 'object' ? value.nanoseconds : value))
  })
  return numbers
}

function mean(args: readonly GoValue[], budget: Budget): number {
  const numbers = collect('mean', args, budget)
  return numbers.length === 0 ? 0 : numbers.reduce((sum, value) => sum + value, 0) / numbers.length
}

function median(args: readonly GoValue[], budget: Budget): number {
  const sorted = collect('median', args, budget).toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? 0
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2
}

function aggregate(name: string, call: Builtin['call']): Builtin {
  const check = (args: readonly ExprType[]): ExprType => {
    if (args.length === 0) throw new TemplateError(`not enough arguments to call ${name}`)
    for (const argument of args) {
      if (!['unknown', 'list', 'int', 'float', 'duration'].includes(argument.kind)) {
        throw new TemplateError(`invalid argument for ${name} (type ${goStringOfType(argument)})`)
      }
    }
    const [only] = args
    const isSingleNumber = args.length === 1 && (only?.kind === 'int' || only?.kind === 'float')
    return isSingleNumber && only !== undefined ? only : UNKNOWN
  }
  return { name, check: { kind: 'custom', check }, arity: [1, Infinity], call }
}

function bitwise(name: string, operate: (x: bigint, y: bigint) => bigint): Builtin {
  return overloaded(name, [signature([INT, INT], INT)], ([x, y]) => wrapInt64(operate(asInt(x), asInt(y))))
}

function shift(name: string, operate: (x: bigint, y: bigint) => bigint): Builtin {
  return bitwise(name, (x, y) => {
    if (y < 0n) throw new TemplateError(`invalid operation: negative shift count ${y} (type int)`)
    // From 64 on, only the sign is left; a larger count would only build a huge number.
    return operate(x, y > 64n ? 64n : y)
  })
}

function invalid(name: string): (type: string) => string {
  return (type) => `invalid argument for ${name} (type ${type})`
}

export const NUMBER_BUILTINS: readonly Builtin[] = [
  unaryBuiltin('abs', { kinds: ['int', 'float'], message: invalid('abs') }, (argument) => argument, abs),
  rounding('ceil', Math.ceil),
  rounding('floor', Math.floor),
  rounding('round', roundHalfAway),
  unaryBuiltin('int', { kinds: CONVERTIBLE, message: invalid('int') }, () => INT, toInt),
  unaryBuiltin('float', { kinds: ['int', 'float', 'string'], message: invalid('float') }, () => FLOAT, toFloat),
  aggregate('max', extreme('max', 1)),
  aggregate('min', extreme('min', -1)),
  aggregate('mean', mean),
  aggregate('median', median),
  bitwise('bitand', (x, y) => x & y),
  bitwise('bitor', (x, y) => x | y),
  bitwise('bitxor', (x, y) => x ^ y),
  bitwise('bitnand', (x, y) => x & ~y),
  shift('bitshl', (x, y) => x << y),
  shift('bitshr', (x, y) => x >> y),
  shift('bitushr', (x, y) => BigInt.asUintN(64, x) >> y),
  overloaded('bitnot', [signature([INT], INT)], ([x]) => ~asInt(x)),
]
