/** A rule as a baseline has it: one resource, what breaks it, and what a scan must say then. */
export interface Rule {
  readonly type: string
  readonly name: string
  readonly properties: Readonly<Record<string, unknown>>
  /** A script of bash that creates the subject of the rule, if a fresh host lacks it. */
  readonly prepare?: string
  /** A script of bash that does what the rule forbids. */
  readonly violation: string
  /** Every difference that a scan must find: the property, what is found, and where in the resource, if it says that. */
  readonly drift: readonly (readonly [property: string, observed: unknown, path?: string])[]
}
