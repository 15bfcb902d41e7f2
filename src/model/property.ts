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
  /** Must be set, in the resource or in a `defaults` block. Rules of the type express conditional requirements. */
  readonly required?: boolean
  /** When templates in the value are expanded: with the policy, after the control gate, or never. */
  readonly phase?: 'early' | 'deferred' | 'never'
  /** The value is a secret and never shown. */
  readonly sensitive?: boolean
  /** Other names of the property that policies may use. */
  readonly aliases?: readonly string[]
  /** Controls how the resource works, and is not compared with the machine. */
  readonly parameter?: boolean
}

/** A property with acceptances. */
interface Accepting<Order extends OrderName> {
  /**
   * The order of its values. With it, a policy may write an acceptance instead of a value, as in `mode: { at_most:
   * "0640" }`. The order determines the keywords, their operands, their checks and their documentation.
   */
  readonly accepts?: Order
}

/** Text. A number or boolean keeps the characters it was written with (`mode: 0644` is "0644"). */
export interface TextSpec
  extends CommonSpec, Accepting<'text' | 'lines' | 'account' | 'fields' | 'setting' | 'size' | 'version' | 'mode'> {
  readonly kind: 'text'
  readonly default?: string
  readonly oneOf?: readonly string[]
  /** Must not be the empty string. */
  readonly nonEmpty?: boolean
  /** Must be an absolute path in canonical form. */
  readonly absolutePath?: boolean
  /** A regular expression that the whole text must match, with a description for the error. */
  readonly pattern?: { readonly expression: string; readonly describes: string }
}

/** `true` or `false`; no other spelling is accepted. */
export interface BooleanSpec extends CommonSpec {
  readonly kind: 'boolean'
  readonly default?: boolean
}

/** An integer. */
export interface IntegerSpec extends CommonSpec, Accepting<'number'> {
  readonly kind: 'integer'
  readonly default?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly oneOf?: readonly number[]
  /**
   * The base, 2 to 36, of the digits: with 8, both `0755` and `"0755"` are 493, and a prefix `0o`, `0x` or `0b` is
   * allowed if it fits. A value in a policy is parsed from its characters; a number from a template is taken as it is.
   * Without it, only numbers are accepted.
   */
  readonly base?: number
}

/** A duration such as `90s` or `1h30m`; the value is in milliseconds. */
export interface DurationSpec extends CommonSpec, Accepting<'duration'> {
  readonly kind: 'duration'
  readonly default?: number
}

/** A list of values of one kind. */
export interface ListSpec extends CommonSpec, Accepting<'list' | 'set'> {
  readonly kind: 'list'
  readonly items: PropertySpec
  /** Must have at least one item. */
  readonly nonEmpty?: boolean
}

/** A map from text to values of one kind. */
export interface MapSpec extends CommonSpec {
  readonly kind: 'map'
  readonly values: PropertySpec
  /** Must have at least one entry. */
  readonly nonEmpty?: boolean
}

/** Free data: any YAML. */
export interface AnySpec extends CommonSpec {
  readonly kind: 'any'
}

/** The definitions of a type's properties, by name. */
export type PropertySpecs = Readonly<Record<string, PropertySpec>>

/** The properties that every resource has. Types cannot define properties of these names. */
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

/** The TypeScript type of a property's value; includes acceptances if the property has an order. */
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
 * The typed properties of a resource: required ones and those with a default are set, others may be undefined. Every
 * resource has a name, even if its type does not define it.
 */
export type PropertiesOf<Specs extends PropertySpecs> = { readonly name: string } & {
  readonly [Name in Settled<Specs>]: ValueOf<Specs[Name]>
} & {
  readonly [Name in Exclude<keyof Specs, Settled<Specs>>]?: ValueOf<Specs[Name]> | undefined
}

/**
 * A condition on several properties. It is checked when the policy is read, or when the resource is evaluated if one of
 * the properties in `reads` contains a template. `check` returns the problem, or undefined.
 */
export interface Rule<Properties> {
  /** The condition in one sentence for the reference page; undefined if the summary of a property states it. */
  readonly summary?: string
  readonly reads: readonly (keyof Properties & string)[]
  /** The property that the message points at; the resource itself if undefined or not set. */
  readonly at?: keyof Properties & string
  /** The problem of these properties, as a sentence; undefined if they are valid. */
  readonly check: (properties: Partial<Properties>) => string | undefined
}

/** A violation of a property's definition or of a rule, by property name; undefined means the resource as a whole. */
export interface Violation {
  readonly property: string | undefined
  readonly message: string
}

/** Whether a text property is set; in CCM types, empty text counts as unset. */
export function isSet(text: string | undefined): text is string {
  return text !== undefined && text !== ''
}
