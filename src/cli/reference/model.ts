import type { ResourceExample } from '../../resource-type/define.ts'

/** What is known of one property, for people and for programs. */
export interface PropertyReference {
  readonly name: string
  /** The kind of its value: `text`, `integer`, `list of text`, and so on. */
  readonly kind: string
  readonly required: boolean
  readonly summary: string
  /** Other spellings of its name. */
  readonly aliases?: readonly string[]
  /** The only values it takes. */
  readonly values?: readonly string[]
  /** The value it has where none is given, as a policy would write it. */
  readonly default?: string | number | boolean
  /** What its value must be beside its kind, each as the end of "must be ...". */
  readonly constraints?: readonly string[]
  /** The words of the acceptances that may stand in place of a value. */
  readonly accepts?: readonly string[]
  /** When templates in it are expanded, where that is not when the resource is read. */
  readonly templates?: 'deferred' | 'never'
  readonly sensitive?: true
  /** It steers the work and is never compared with the machine. */
  readonly parameter?: true
  /** What it is made of: `[]` is an item of a list, `.*` a value of a map, `.key` the value of that key. */
  readonly parts?: readonly PropertyReference[]
}

/** One way in which resources of a type are observed and changed. */
export interface ProviderReference {
  readonly name: string
  /** The platforms it works on, by Node's names; all of them where it is absent. */
  readonly platforms?: readonly string[]
  /** What a machine needs for it. */
  readonly needs?: string
}

/** A value that later resources can read of a resource of the type. */
export interface ExportReference {
  readonly name: string
  readonly kind: string
  readonly summary: string
}

/** All that is known of a resource type. */
export interface TypeReference {
  readonly type: string
  readonly summary: string
  /** The values of `ensure`, where there is a choice. */
  readonly ensure: readonly string[]
  readonly properties: readonly PropertyReference[]
  /** The names of the properties it shares with other types. */
  readonly common: readonly string[]
  /** Conditions over several properties, in sentences. */
  readonly rules: readonly string[]
  /** The names its drifts can carry. */
  readonly drifts: readonly string[]
  readonly providers: readonly ProviderReference[]
  /** What a scan, a fix and a capture make of it, in sentences. */
  readonly behaviour: readonly string[]
  readonly exports: readonly ExportReference[]
  readonly examples: readonly ResourceExample[]
}

/** What can be known of a set of types. */
export interface Reference {
  readonly types: readonly TypeReference[]
  /** The properties that resources of every type have. */
  readonly common: readonly PropertyReference[]
}
