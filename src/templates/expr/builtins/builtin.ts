import { TemplateError } from '../../errors.ts'
import type { Budget } from '../../govalue/budget.ts'
import { floatToInt64 } from '../../govalue/int64.ts'
import { goTypeName } from '../../govalue/type-name.ts'
import type { GoValue } from '../../govalue/value.ts'
import { typeName, type ExprType, type Signature } from '../types.ts'

/** Type check of a builtin's arguments before evaluation. */
export type BuiltinCheck =
  | { readonly kind: 'overloads'; readonly signatures: readonly Signature[] }
  /** Returns the result type; throws a `TemplateError` without a location for invalid arguments. */
  | { readonly kind: 'custom'; readonly check: (args: readonly ExprType[]) => ExprType }

export interface Builtin {
  readonly name: string
  readonly check: BuiltinCheck
  /** Minimum and maximum number of arguments; unchecked calls rely on it. */
  readonly arity: readonly [number, number]
  /** Throws a `TemplateError` without a location. */
  readonly call: (args: readonly GoValue[], budget: Budget) => GoValue
}

type Call = Builtin['call']

/** Creates a builtin with overloads; reports the mismatch of the last one. */
export function overloaded(name: string, signatures: readonly Signature[], call: Call): Builtin {
  const counts = signatures.map(({ parameters }) => parameters.length)
  const arity = [Math.min(...counts), Math.max(...counts)] as const
  return { name, check: { kind: 'overloads', signatures }, arity, call }
}

export function signature(parameters: readonly ExprType[], result: ExprType): Signature {
  return { parameters, result }
}

/** Creates a builtin with one list or value argument of a type in `kinds`. */
export function unaryBuiltin(
  name: string,
  rule: { readonly kinds: readonly ExprType['kind'][]; readonly message: (type: string) => string },
  result: (argument: ExprType) => ExprType,
  call: (argument: GoValue, budget: Budget) => GoValue,
): Builtin {
  const check = (args: readonly ExprType[]): ExprType => {
    const [argument] = args
    if (args.length !== 1 || argument === undefined) throw wrongCount(1, args.length)
    if (argument.kind !== 'unknown' && !rule.kinds.includes(argument.kind)) {
      throw new TemplateError(rule.message(goStringOfType(argument)))
    }
    return result(argument)
  }
  const first: Call = ([argument = null], budget) => call(argument, budget)
  return { name, check: { kind: 'custom', check }, arity: [1, 1], call: first }
}

/** Go's `%s` of a `reflect.Type`, which is a formatting error for nil. */
export function goStringOfType(type: ExprType): string {
  return type.kind === 'nil' ? '%!s(<nil>)' : typeName(type)
}

export function wrongCount(expected: number | string, got: number): TemplateError {
  return new TemplateError(`invalid number of arguments (expected ${expected}, got ${got})`)
}

/** Error of a failed Go type assertion. */
export function conversionError(value: GoValue, wanted: string): TemplateError {
  const type = value === null ? 'nil' : goTypeName(value)
  return new TemplateError(`interface conversion: interface {} is ${type}, not ${wanted}`)
}

/** Converts to a string; throws for other types. */
export function asString(value: GoValue | undefined): string {
  if (typeof value !== 'string') throw conversionError(value ?? null, 'string')
  return value
}

/** Converts to a bool; throws for other types, as there is no truthiness. */
export function asBool(value: GoValue): boolean {
  if (typeof value !== 'boolean') throw conversionError(value, 'bool')
  return value
}

/** Converts to an int; floats are truncated. */
export function asInt(value: GoValue | undefined): bigint {
  if (typeof value === 'bigint') return value
  if (typeof value === 'number') return floatToInt64(value)
  throw new TemplateError(`invalid operation: int(${goTypeName(value ?? null)})`)
}

/** Converts to an int in the range of a JavaScript number; larger ones are clamped, which is exact enough for lengths. */
export function asIndex(value: GoValue | undefined): number {
  return Number(asInt(value))
}

/** Go's `reflect.Kind` of a value, for messages. */
export function kindName(value: GoValue): string {
  const type = goTypeName(value)
  if (value === null) return 'invalid'
  if (type.startsWith('map[')) return 'map'
  if (type.startsWith('[]')) return 'slice'
  const special = new Map([
    ['time.Time', 'struct'],
    ['time.Duration', 'int64'],
    ['*time.Location', 'ptr'],
    ['time.Month', 'int'],
    ['time.Weekday', 'int'],
  ])
  return special.get(type) ?? (type.startsWith('func') ? 'func' : type)
}
