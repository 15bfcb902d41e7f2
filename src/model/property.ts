import type { Acceptance } from './acceptance.ts'
import type { OrderName } from './value-orders.ts'

/**
 * The definition of one property of a resource type. It is the only source for the TypeScript type of the value, its
 * validation, the JSON Schema of policies, and the reference page.
 */
export type PropertySpec = TextSpec | BooleanSpec | IntegerSpec | DurationSpec | ListSpec | MapSpec | AnySpec

interface CommonSpec {
  /** One sentence for the reference page and the editor's tooltip. */
  readonly summary: string
  /** Must be set, in the resource or in a `defaults` block. Conditional requirements are rules of the type. */
  readonly required?: boolean
  /** When templates in the value are expanded: with the policy, after the control gate, or not at all. */
  readonly phase?: 'early' | 'deferred' | 'never'
  /** The value is a secret and never shown. */
  readonly sensitive?: boolean
  /** Other spellings of the property's name that policies may use. */
  readonly aliases?: readonly string[]
  /** Steers the work and is never compared with the machine. */
  readonly parameter?: boolean
}

/** Of a property of which a policy may accept more than one value. */
interface Accepting<Order extends OrderName> {
  /**
   * The order of its values. With it, a policy may write an acceptance in place of a value, as in `mode: { at_most: "0640" }`:
   * which words it takes, what they are followed by, how it is checked, documented and shown follows from the order.
   */
  readonly accepts?: Order
}

/** Text. A number or boolean in its place keeps the characters it was written with (`mode: 0644` is "0644"). */
export interface TextSpec
  extends CommonSpec, Accepting<'text' | 'lines' | 'account' | 'fields' | 'setting' | 'size' | 'version' | 'mode'> {
  readonly kind: 'text'
  readonly default?: string
  readonly oneOf?: readonly string[]
  /** Must not be the empty string. */
  readonly nonEmpty?: boolean
  /** Must be an absolute path in canonical form. */
  readonly absolutePath?: boolean
  /** A regular expression the whole text must match, with the words that describe it in an error. */
  readonly pattern?: { readonly expression: string; readonly describes: string }
}

/** `true` or `false`; no other word stands for them. */
export interface BooleanSpec extends CommonSpec {
  readonly kind: 'boolean'
  readonly default?: boolean
}

/** A whole number. */
export interface IntegerSpec extends CommonSpec, Accepting<'number'> {
  readonly kind: 'integer'
  readonly default?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly oneOf?: readonly number[]
  /**
   * The base, 2 to 36, in which digits are read: with 8 both `0755` and `"0755"` are 493, and `0o`, `0x` or `0b` may
   * stand before them where it fits. What a policy writes is read by its characters; a number that a template gives is taken
   * as it is. Without it, only numbers are accepted.
   */
  readonly base?: number
}

/** A span of time such as `90s` or `1h30m`; the value is in milliseconds. */
export interface DurationSpec extends CommonSpec, Accepting<'duration'> {
  readonly kind: 'duration'
  readonly default?: number
}

/** A list of values of one kind. */
export interface ListSpec extends CommonSpec, Accepting<'list' | 'set'> {
  readonly kind: 'list'
  readonly items: PropertySpec
  /** Must have an item. */
  readonly nonEmpty?: boolean
}

/** A map from text to values of one kind. */
export interface MapSpec extends CommonSpec {
  readonly kind: 'map'
  readonly values: PropertySpec
  /** Must have an entry. */
  readonly nonEmpty?: boolean
}

/** Free data: any YAML. */
export interface AnySpec extends CommonSpec {
  readonly kind: 'any'
}

/** The definitions of a type's properties, by name. */
export type PropertySpecs = Readonly<Record<string, PropertySpec>>

/** What every resource has beside the properties of its type. No type can have properties of these names. */
export const COMMON_PROPERTIES = [
  'alias',
  'provider',
  'require',
  'subscribe',
  'control',
  'sensitive',
  'health_checks',
  'register_when_stable',
] as const

/** The TypeScript type of a property's value: an acceptance, too, where it takes conditions. */
export type ValueOf<Spec extends PropertySpec> = Spec extends { accepts: OrderName }
  ? PlainOf<Spec> | AcceptanceOf<PlainOf<Spec>>
  : PlainOf<Spec>

type AcceptanceOf<Value> = Acceptance<Value, Value extends readonly (infer Item)[] ? Item : Value>

type PlainOf<Spec extends PropertySpec> = Spec extends { kind: 'text' }
  ? Spec extends { oneOf: readonly (infer Choice)[] }
    ? Choice
    : string
  : Spec extends { kind: 'boolean' }
    ? boolean
    : Spec extends { kind: 'integer' | 'duration' }
      ? Spec extends { oneOf: readonly (infer Choice extends number)[] }
        ? Choice
        : number
      : Spec extends { kind: 'list'; items: infer Item extends PropertySpec }
        ? readonly ValueOf<Item>[]
        : Spec extends { kind: 'map'; values: infer Value extends PropertySpec }
          ? Readonly<Record<string, ValueOf<Value>>>
          : unknown

type Settled<Specs extends PropertySpecs> = {
  [Name in keyof Specs]: Specs[Name] extends { required: true } | { default: unknown } ? Name : never
}[keyof Specs]

/**
 * The typed properties of a resource: required and defaulted ones are there, the others may be undefined. Every resource
 * has a name, whether or not its type defines it.
 */
export type PropertiesOf<Specs extends PropertySpecs> = { readonly name: string } & {
  readonly [Name in Settled<Specs>]: ValueOf<Specs[Name]>
} & {
  readonly [Name in Exclude<keyof Specs, Settled<Specs>>]?: ValueOf<Specs[Name]> | undefined
}

/**
 * A condition over several properties. It is checked when the policy is read if none of the properties it reads holds
 * a template, else when the resource is evaluated. `check` returns what is wrong, or undefined.
 */
export interface Rule<Properties> {
  /** The condition in one sentence for the reference page; absent where the summary of a property says it. */
  readonly summary?: string
  readonly reads: readonly (keyof Properties & string)[]
  /** The property the message points at; the resource itself where it is absent or not set. */
  readonly at?: keyof Properties & string
  /** What is wrong with these properties, as a sentence; undefined where nothing is. */
  readonly check: (properties: Partial<Properties>) => string | undefined
}

/** A violation of a property's definition or of a rule, by property name; no name means the resource as a whole. */
export interface Violation {
  readonly property: string | undefined
  readonly message: string
}

/** Whether a text property says something; in the types of CCM the empty text counts as not given. */
export function isSet(text: string | undefined): text is string {
  return text !== undefined && text !== ''
}
