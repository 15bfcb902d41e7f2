import { isDeepStrictEqual } from 'node:util'
import { type Acceptance, acceptedFor, isAcceptance, isAccepted, type ValueOrder } from '../model/acceptance.ts'
import type { Comparable, Difference } from '../model/differences.ts'
import { formatMode, parseMode } from '../model/mode.ts'
import type { PropertySpec } from '../model/property.ts'
import { parseSize } from '../model/size.ts'
import { LISTS, MODES, NUMBERS, type OrderName, SETS } from '../model/value-orders.ts'
import { CONTENTS, FIELD_TEXTS, TEXTS } from './text-order.ts'

/** The result of a comparison. */
export interface Comparison<Values> {
  /** One difference for each drifted property, in the order of the names. */
  readonly drift: readonly Difference[]
  /**
   * The values after a fix: the observed value if it is accepted, else the nearest accepted one. Undefined for a
   * property without a desired value or without a nearest accepted value.
   */
  readonly fixed: Values
  /** The drifted properties without a nearest accepted value; a policy must set them under `fix`. */
  readonly open: readonly string[]
}

/** The properties to compare. */
export interface Compared<Name extends string> {
  /** The properties, in the order of their differences. */
  readonly names: readonly Name[]
  /** The orders of values, for properties whose definition has no order or too general a one. */
  readonly orders?: Readonly<Partial<Record<Name, SomeOrder>>>
}

/** A `ValueOrder` of any value type. */
type SomeOrder = { readonly [Part in keyof ValueOrder<unknown>]?: (...values: never[]) => unknown }

/**
 * Compares properties by the order that each declares under `accepts`, otherwise by equality. Properties that the
 * policy does not set are ignored. The orders `account`, `setting` and `version` depend on the subject, so the caller
 * supplies them; throws an `Error` if one is missing.
 */
export function compare<Name extends string, Values extends Readonly<Partial<Record<Name, unknown>>>>(
  specs: Readonly<Record<Name, PropertySpec>>,
  desired: Readonly<Partial<Record<Name, unknown>>>,
  observed: Values,
  { names, orders }: Compared<Name>,
): Comparison<Partial<Pick<Values, Name & keyof Values>>> {
  const drift: Difference[] = []
  const fixed: { [Each in Name]?: unknown } = {}
  const open: Name[] = []
  for (const name of names) {
    const wanted = desired[name]
    if (wanted === undefined) continue
    const given = orders?.[name]
    const order = given === undefined ? orderOf(name, specs[name]) : (given as ValueOrder<unknown, unknown>)
    const acceptance = (isAcceptance(wanted) ? wanted : { is: wanted }) as Acceptance<unknown, unknown>
    const found = observed[name]
    const nearest = acceptedFor(order, acceptance, found)
    if (nearest !== undefined) fixed[name] = nearest
    if (found !== undefined && isAccepted(order, acceptance, found)) continue
    drift.push({ property: name, original: toComparable(found), desired: wantedOf(wanted) })
    if (nearest === undefined) open.push(name)
  }
  return { drift, fixed: fixed as Partial<Pick<Values, Name & keyof Values>>, open }
}

const SAME: ValueOrder<unknown, unknown> = { equals: isDeepStrictEqual }

/** Compares sizes by their bytes; a text keeps its spelling. */
const SIZES: ValueOrder<string> = wordedBy(NUMBERS, { read: (text) => parseSize(text) ?? Number.NaN, write: String })

/** Octal modes, compared by their permission bits. */
const OCTAL_MODES: ValueOrder<string> = wordedBy(MODES, { read: bitsOf, write: formatMode })

/** Erases the value type, which the definition of the property determines. */
function anyOrder<Value, Item>(order: ValueOrder<Value, Item>): ValueOrder<unknown, unknown> {
  return order as ValueOrder<unknown, unknown>
}

const ORDERS: Readonly<Partial<Record<OrderName, ValueOrder<unknown, unknown>>>> = {
  text: anyOrder(TEXTS),
  lines: anyOrder(CONTENTS),
  fields: anyOrder(FIELD_TEXTS),
  number: anyOrder(NUMBERS),
  duration: anyOrder(NUMBERS),
  size: anyOrder(SIZES),
  mode: anyOrder(OCTAL_MODES),
  list: anyOrder(LISTS),
  set: anyOrder(SETS),
}

function orderOf(name: string, spec: PropertySpec | undefined): ValueOrder<unknown, unknown> {
  const accepts = spec !== undefined && 'accepts' in spec ? spec.accepts : undefined
  if (accepts === undefined) return SAME
  const order = ORDERS[accepts]
  if (order === undefined) throw new Error(`compare: "${name}" accepts "${accepts}", whose order is missing`)
  return order
}

/** An order of texts that represent numbers; a bound keeps its spelling. */
function wordedBy(
  { raise, lower }: ValueOrder<number>,
  { read, write }: { readonly read: (text: string) => number; readonly write: (value: number) => string },
): ValueOrder<string> {
  const moved =
    (move: typeof raise) =>
    (value: string, bound: string): string => {
      const result = move?.(read(value), read(bound)) ?? Number.NaN
      return [value, bound].find((text) => read(text) === result) ?? write(result)
    }
  return { equals: (left, right) => Object.is(read(left), read(right)), raise: moved(raise), lower: moved(lower) }
}

function bitsOf(text: string): number {
  const read = parseMode(text)
  return 'value' in read ? read.value : Number.NaN
}

function toComparable(value: unknown): Comparable {
  if (value === undefined || value === null) return null
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? value
    : Array.isArray(value)
      ? value.join(', ')
      : JSON.stringify(value)
}

function wantedOf(wanted: unknown): Difference['desired'] {
  return isAcceptance(wanted) ? wanted : toComparable(wanted)
}
