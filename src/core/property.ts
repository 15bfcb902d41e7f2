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

/** Text. A number or boolean in its place keeps the characters it was written with (`mode: 0644` is "0644"). */
export interface TextSpec extends CommonSpec {
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

export interface BooleanSpec extends CommonSpec {
  readonly kind: 'boolean'
  readonly default?: boolean
}

export interface IntegerSpec extends CommonSpec {
  readonly kind: 'integer'
  readonly default?: number
  readonly minimum?: number
  readonly maximum?: number
}

/** A span of time such as `90s` or `1h30m`; the value is in milliseconds. */
export interface DurationSpec extends CommonSpec {
  readonly kind: 'duration'
  readonly default?: number
}

export interface ListSpec extends CommonSpec {
  readonly kind: 'list'
  readonly items: PropertySpec
  readonly nonEmpty?: boolean
}

/** A map from text to values of one kind. */
export interface MapSpec extends CommonSpec {
  readonly kind: 'map'
  readonly values: PropertySpec
}

/** Free data: whatever YAML can say. */
export interface AnySpec extends CommonSpec {
  readonly kind: 'any'
}

export type PropertySpecs = Readonly<Record<string, PropertySpec>>

/** The TypeScript type of a property's value. */
export type ValueOf<Spec extends PropertySpec> = Spec extends { kind: 'text' }
  ? Spec extends { oneOf: readonly (infer Choice)[] }
    ? Choice
    : string
  : Spec extends { kind: 'boolean' }
    ? boolean
    : Spec extends { kind: 'integer' | 'duration' }
      ? number
      : Spec extends { kind: 'list'; items: infer Item extends PropertySpec }
        ? readonly ValueOf<Item>[]
        : Spec extends { kind: 'map'; values: infer Value extends PropertySpec }
          ? Readonly<Record<string, ValueOf<Value>>>
          : unknown

type Settled<Specs extends PropertySpecs> = {
  [Name in keyof Specs]: Specs[Name] extends { required: true } | { default: unknown } ? Name : never
}[keyof Specs]

/** The typed properties of a resource: required and defaulted ones are there, the others may be undefined. */
export type PropertiesOf<Specs extends PropertySpecs> = {
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
  readonly check: (properties: Partial<Properties>) => string | undefined
}

/** A violation of a property's definition or of a rule, by property name; no name means the resource as a whole. */
export interface Violation {
  readonly property: string | undefined
  readonly message: string
}
