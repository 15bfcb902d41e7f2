import type { ResourceExample } from '../../resource-type/define.ts'

/** Reference of one property, for people and programs. */
export interface PropertyReference {
  readonly name: string
  /** Kind of the value: `text`, `integer`, `list of text`, and so on. */
  readonly kind: string
  readonly required: boolean
  readonly summary: string
  readonly aliases?: readonly string[]
  /** The only allowed values. */
  readonly values?: readonly string[]
  /** Default, as written in a policy. */
  readonly default?: string | number | boolean
  /** Further constraints of the value, each as the end of "must be ...". */
  readonly constraints?: readonly string[]
  /** Names of the acceptances that may replace a value. */
  readonly accepts?: readonly string[]
  /** When its templates are expanded, unless that is when the resource is read. */
  readonly templates?: 'deferred' | 'never'
  readonly sensitive?: true
  /** Controls the check itself; never compared with the machine. */
  readonly parameter?: true
  /** Nested parts: `[]` is a list item, `.*` a map value, `.key` the value of that key. */
  readonly parts?: readonly PropertyReference[]
}

/** A provider of a type: a way to observe and change its resources. */
export interface ProviderReference {
  readonly name: string
  /** Supported platforms, by Node's names; default: all. */
  readonly platforms?: readonly string[]
  /** Dependencies on the machine. */
  readonly needs?: string
}

/** A value of a resource that later resources can read. */
export interface ExportReference {
  readonly name: string
  readonly kind: string
  readonly summary: string
}

/** Reference of a resource type. */
export interface TypeReference {
  readonly type: string
  readonly summary: string
  /** Allowed values of `ensure`, if there is a choice. */
  readonly ensure: readonly string[]
  readonly properties: readonly PropertyReference[]
  /** Names of the properties shared with other types. */
  readonly common: readonly string[]
  /** Conditions over several properties, as sentences. */
  readonly rules: readonly string[]
  /** Possible names of its drifts. */
  readonly drifts: readonly string[]
  readonly providers: readonly ProviderReference[]
  /** Behaviour in a scan, a fix and a capture, as sentences. */
  readonly behaviour: readonly string[]
  readonly exports: readonly ExportReference[]
  readonly examples: readonly ResourceExample[]
}

/** Reference of a set of types. */
export interface Reference {
  readonly types: readonly TypeReference[]
  /** Properties of every type. */
  readonly common: readonly PropertyReference[]
}
