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
 * One value of a resource that later resources can read. It is the only source for the TypeScript type of the value, its
 * check and the reference page. A `sensitive` one is a secret and never shown.
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

/** The exported values of a resource as a look at it gives them; undefined is one that it does not have now. */
export type ExportsOf<Specs extends ExportSpecs> = {
  readonly [Name in keyof Specs]?: ValueOf<Specs[Name]> | undefined
}

/** A value of an earlier resource that a resource reads. */
export interface ExportRead {
  /** The id of the resource that has the value. */
  readonly resource: string
  readonly field: string
}

/**
 * What is known of the values of a resource. `none`: certainly no value. `unknown`: a value that could not be read.
 * `because` says why, as the end of a sentence that starts with its id: `, which ...`.
 */
export type Exported =
  | {
      readonly kind: 'known'
      readonly values: Readonly<Record<string, unknown>>
      /** Why a value that is not among them is not there. */
      readonly because: string
    }
  | { readonly kind: 'none' | 'unknown'; readonly because: string }

/** Tells what is known of the values of an earlier resource, by its id. */
export type ExportedValues = (resource: string) => Exported
