import { TemplateError } from '../errors.ts'
import { isGoMap, isStringMap, type Budget, type GoFunction, type GoTime, type GoValue } from '../govalue/index.ts'
import { integerOf, isGoTime } from './kinds.ts'
import { ownText } from './text-value.ts'

/** The Go types a parameter of a template function can have; `any` takes nil too. */
export type ParameterType = 'any' | 'string' | 'integer' | 'float' | 'boolean' | 'map' | 'time'

/** The values of each parameter type. */
export interface ParameterValues {
  any: GoValue
  string: string
  integer: bigint
  float: number
  boolean: boolean
  map: ReadonlyMap<GoValue, GoValue>
  time: GoTime
}

/** What a function may use besides its arguments. */
export interface CallContext {
  readonly budget: Budget
  /** Makes a value of the host safe to be changed by the template, by copying it where that can happen. */
  readonly isolate: (value: GoValue) => GoValue
}

/** A function as the evaluator sees it: what it accepts, so that constants take the right type, and what it does. */
export interface TemplateFunction {
  readonly name: string
  readonly parameters: readonly ParameterType[]
  /** Type of further arguments; absent when the number of arguments is fixed. */
  readonly rest: ParameterType | undefined
  /** Set for `and` and `or`, whose arguments are evaluated only as far as needed. */
  readonly shortCircuit?: 'and' | 'or'
  readonly call: (args: readonly GoValue[], context: CallContext) => GoValue
}

/** The argument list of a function with these parameters. */
export type Arguments<P extends readonly ParameterType[]> = { [K in keyof P]: ParameterValues[P[K]] }

const CHECKS: Readonly<Record<ParameterType, (value: GoValue) => boolean>> = {
  any: () => true,
  string: (value) => typeof value === 'string',
  integer: (value) => typeof value === 'bigint',
  float: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  // Maps of text only and versions are other types in Go.
  map: (value) => isGoMap(value) && !isStringMap(value) && ownText(value) === undefined,
  time: isGoTime,
}

/** Go's names of the parameter types, for error messages. */
export const TYPE_NAMES: Readonly<Record<ParameterType, string>> = {
  any: 'interface {}',
  string: 'string',
  integer: 'int',
  float: 'float64',
  boolean: 'bool',
  map: 'map[string]interface {}',
  time: 'time.Time',
}

/** What nil is where a map is wanted. It is nobody's own, so it must not be changed. */
export const NIL_MAP: ReadonlyMap<GoValue, GoValue> = new Map()

/** Says whether the value can be passed for a parameter of the type. */
export function fitsParameter(value: GoValue, type: ParameterType): boolean {
  return CHECKS[type](value)
}

function fitsAll<R extends ParameterType>(args: readonly GoValue[], type: R): args is ParameterValues[R][] {
  return args.every((arg) => fitsParameter(arg, type))
}

// The type parameter ties the array to the parameter list; the check is the same.
function fitsEach<P extends readonly ParameterType[]>(
  args: readonly GoValue[],
  parameters: P,
): args is Arguments<P> & readonly GoValue[] {
  return (
    args.length === parameters.length && parameters.every((type, index) => fitsParameter(args[index] ?? null, type))
  )
}

/** Makes a function with a fixed number of arguments. */
export function fixed<const P extends readonly ParameterType[]>(
  name: string,
  parameters: P,
  body: (args: Arguments<P>, context: CallContext) => GoValue,
): TemplateFunction {
  const call = (args: readonly GoValue[], context: CallContext): GoValue => {
    if (!fitsEach(args, parameters)) throw wrongArguments(name)
    return body(args, context)
  }
  return { name, parameters, rest: undefined, call }
}

/** Makes a function that takes any number of `rest` arguments after its parameters. */
export function variadic<const P extends readonly ParameterType[], R extends ParameterType>(
  name: string,
  [parameters, rest]: readonly [P, R],
  body: (args: Arguments<P>, more: readonly ParameterValues[R][], context: CallContext) => GoValue,
): TemplateFunction {
  const call = (args: readonly GoValue[], context: CallContext): GoValue => {
    const first = args.slice(0, parameters.length)
    const more = args.slice(parameters.length)
    if (!fitsEach(first, parameters) || !fitsAll(more, rest)) throw wrongArguments(name)
    return body(first, more, context)
  }
  return { name, parameters, rest, call }
}

function wrongArguments(name: string): TemplateError {
  return new TemplateError(`wrong arguments for ${name}`)
}

/** Wraps a function of the host, which checks its arguments itself. */
export function hostFunction(host: GoFunction): TemplateFunction {
  return {
    name: host.name,
    parameters: [],
    rest: 'any',
    call: (args, { isolate }) => isolate(host.call(args.map((arg) => integerOf(arg) ?? arg))),
  }
}

/** Indexes functions by name; later ones replace earlier ones. */
export function functionTable(...groups: readonly (readonly TemplateFunction[])[]): Map<string, TemplateFunction> {
  return new Map(groups.flat().map((entry) => [entry.name, entry]))
}

/** The same function under another name. */
export function renamed(original: TemplateFunction, name: string): TemplateFunction {
  return { ...original, name }
}
