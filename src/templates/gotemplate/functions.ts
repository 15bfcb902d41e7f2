import { TemplateError } from '../errors.ts'
import { isGoMap, isStringMap, type Budget, type GoFunction, type GoTime, type GoValue } from '../govalue/index.ts'
import { integerOf, isGoTime } from './kinds.ts'
import { ownText } from './text-value.ts'

/** Go types of template function parameters; `any` includes nil. */
export type ParameterType = 'any' | 'string' | 'integer' | 'float' | 'boolean' | 'map' | 'time'

export interface ParameterValues {
  any: GoValue
  string: string
  integer: bigint
  float: number
  boolean: boolean
  map: ReadonlyMap<GoValue, GoValue>
  time: GoTime
}

/** Context of a function call, besides its arguments. */
export interface CallContext {
  readonly budget: Budget
  /** Copies a host value if the template may change it. */
  readonly isolate: (value: GoValue) => GoValue
}

/** Function with its parameter types, which also decide the types of constants. */
export interface TemplateFunction {
  readonly name: string
  readonly parameters: readonly ParameterType[]
  /** Type of further arguments; absent when the number of arguments is fixed. */
  readonly rest: ParameterType | undefined
  /** Set for `and` and `or`, which evaluate only the arguments they need. */
  readonly shortCircuit?: 'and' | 'or'
  readonly call: (args: readonly GoValue[], context: CallContext) => GoValue
}

export type Arguments<P extends readonly ParameterType[]> = { [K in keyof P]: ParameterValues[P[K]] }

const CHECKS: Readonly<Record<ParameterType, (value: GoValue) => boolean>> = {
  any: () => true,
  string: (value) => typeof value === 'string',
  integer: (value) => typeof value === 'bigint',
  float: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  // String maps and versions are other types in Go.
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

/** Value of nil for a map parameter. Shared, so it must not be changed. */
export const NIL_MAP: ReadonlyMap<GoValue, GoValue> = new Map()

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

/** Creates a function with a fixed number of arguments. */
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

/** Creates a function with any number of `rest` arguments after its parameters. */
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

/** Wraps a host function, which checks its own arguments. */
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

export function renamed(original: TemplateFunction, name: string): TemplateFunction {
  return { ...original, name }
}
