import { TemplateError } from '../../errors.ts'
import type { Budget } from '../../govalue/budget.ts'
import { floatToInt64 } from '../../govalue/int64.ts'
import { goTypeName } from '../../govalue/type-name.ts'
import type { GoValue } from '../../govalue/value.ts'
import { typeName, type ExprType, type Signature } from '../types.ts'

/** How the argument types of a builtin are checked before evaluation. */
export type BuiltinCheck =
  | { readonly kind: 'overloads'; readonly signatures: readonly Signature[] }
  /** Gives the result's type; throws `TemplateError` without a place for arguments that cannot be right. */
  | { readonly kind: 'custom'; readonly check: (args: readonly ExprType[]) => ExprType }

/** A function of the language itself. */
export interface Builtin {
  readonly name: string
  readonly check: BuiltinCheck
  /** Fewest and most arguments; calls that were not checked before rely on it. */
  readonly arity: readonly [number, number]
  /** Throws `TemplateError` without a place. */
  readonly call: (args: readonly GoValue[], budget: Budget) => GoValue
}

type Call = Builtin['call']

/** A builtin whose arguments must fit one of the signatures; the last one's mismatch is reported. */
export function overloaded(name: string, signatures: readonly Signature[], call: Call): Builtin {
  const counts = signatures.map(({ parameters }) => parameters.length)
  const arity = [Math.min(...counts), Math.max(...counts)] as const
  return { name, check: { kind: 'overloads', signatures }, arity, call }
}

/** A parameter list with its result. */
export function signature(parameters: readonly ExprType[], result: ExprType): Signature {
  return { parameters, result }
}

/** A builtin with one list or value argument whose type is one of `kinds`. */
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

/** Go's `%s` of a `reflect.Type`, which for nil is a formatting error. */
export function goStringOfType(type: ExprType): string {
  return type.kind === 'nil' ? '%!s(<nil>)' : typeName(type)
}

/** The error of a wrong number of arguments. */
export function wrongCount(expected: number | string, got: number): TemplateError {
  return new TemplateError(`invalid number of arguments (expected ${expected}, got ${got})`)
}

/** A Go type assertion that failed. */
export function conversionError(value: GoValue, wanted: string): TemplateError {
  const type = value === null ? 'nil' : goTypeName(value)
  return new TemplateError(`interface conversion: interface {} is ${type}, not ${wanted}`)
}

/** The value as a string; anything else is an error. */
export function asString(value: GoValue | undefined): string {
  if (typeof value !== 'string') throw conversionError(value ?? null, 'string')
  return value
}

/** The value as a bool; anything else is an error, there is no truthiness. */
export function asBool(value: GoValue): boolean {
  if (typeof value !== 'boolean') throw conversionError(value, 'bool')
  return value
}

/** The value as an int; floats are cut off. */
export function asInt(value: GoValue | undefined): bigint {
  if (typeof value === 'bigint') return value
  if (typeof value === 'number') return floatToInt64(value)
  throw new TemplateError(`invalid operation: int(${goTypeName(value ?? null)})`)
}

/** The value as an int that fits a JavaScript number; larger ones are clamped, which is exact enough for lengths. */
export function asIndex(value: GoValue | undefined): number {
  return Number(asInt(value))
}

/** Go's `reflect.Kind` of a value, as messages name it. */
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
