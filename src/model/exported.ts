import type {
  AnySpec,
  BooleanSpec,
  IntegerSpec,
  ListSpec,
  MapSpec,
  PropertySpec,
  TextSpec,
  ValueOf,
} from './property.ts'

type Described<Spec extends PropertySpec> = Pick<Spec, 'kind' | 'summary' | 'sensitive'>

/**
 * The definition of an exported value, which later resources can read: the single source for its TypeScript type, its
 * check and the reference page. A `sensitive` value is a secret and never shown.
 */
export type ExportSpec =
  | Described<TextSpec>
  | Described<BooleanSpec>
  | Described<IntegerSpec>
  | Described<AnySpec>
  | (Described<ListSpec> & { readonly items: ExportSpec })
  | (Described<MapSpec> & { readonly values: ExportSpec })

/** The exported values of a type, by name. */
export type ExportSpecs = Readonly<Record<string, ExportSpec>>

/** The exported values of an observed resource; undefined for a value that does not exist now. */
export type ExportsOf<Specs extends ExportSpecs> = {
  readonly [Name in keyof Specs]?: ValueOf<Specs[Name]> | undefined
}

/** A reference to an exported value of an earlier resource. */
export interface ExportRead {
  /** Id of the resource that exports the value. */
  readonly resource: string
  readonly field: string
}

/**
 * The exported values of a resource. `none`: certainly no value. `unknown`: a value that could not be read. `because`
 * gives the reason, as the end of a sentence that starts with the resource id: `, which ...`.
 */
export type Exported =
  | {
      readonly kind: 'known'
      readonly values: Readonly<Record<string, unknown>>
      /** Why other values do not exist. */
      readonly because: string
    }
  | { readonly kind: 'none' | 'unknown'; readonly because: string }

/** Returns the exported values of an earlier resource, by its id. */
export type ExportedValues = (resource: string) => Exported
