import type { ExportedValues } from '../../model/exported.ts'
import type { Child, Declaration, Origin, Policy } from '../../model/policy.ts'
import type { ResourceContext, ResourceType } from '../../resource-type/define.ts'
import type { Complete } from '../template/index.ts'
import type { ReadLog } from '../template/read-log.ts'

/** A policy with its evaluation. */
export interface RunnablePolicy extends Omit<Policy, 'children'> {
  readonly children?: ReadonlyMap<string, Child<RunnablePolicy>>
  /** The resource types that it was read with, at least those that it uses; by default those of driftgate. */
  readonly types?: readonly ResourceType[]
  /** Undefined if the policy has neither templates nor conditions. */
  readonly expander?: Expander
  /** The variables and functions of templates that its resources render. */
  readonly templates?: NonNullable<ResourceContext['templates']>
  /** Runs work that evaluates its templates, and fetches values they request from a server; undefined without a server. */
  readonly complete?: Complete
  /** Records the values that its templates read. */
  readonly reads?: ReadLog
  /** Called when its run starts, with access to the values that its resources export. */
  readonly onExports?: (exported: ExportedReads) => void
  /** Why a file in `source` of a resource may not be used. Undefined without a restriction. */
  readonly confine?: (path: string) => string | undefined
}

/** Whether `control` applies a resource to this machine; `because` is the expression that excludes it. */
export type ControlOutcome =
  { readonly kind: 'managed' } | { readonly kind: 'not-managed'; readonly because: string } | EvaluationFailure

/** Why a condition or a template of a resource could not be evaluated. */
export interface EvaluationFailure {
  readonly kind: 'failed'
  readonly message: string
  /** A value that it reads is unknown; if undefined, the template itself is wrong. */
  readonly reason?: 'not-observable' | 'timeout'
  /** As in an `Unknown`. */
  readonly needs?: 'running-system'
  /** Id of the earlier resource that does not have the requested value, if that is the reason. */
  readonly blockedBy?: string
}

/** The property values of a resource with its templates expanded, or why that failed. */
export type Expansion =
  | {
      readonly kind: 'expanded'
      readonly properties: Readonly<Record<string, unknown>>
      /** Origins of the values that the templates of a property read, by property; undefined without any. */
      readonly origins?: ReadonlyMap<string, ReadonlySet<Origin>>
    }
  | EvaluationFailure

/** Evaluates control gate and templates of a resource on demand. */
export interface Expander {
  /**
   * Evaluates `if`, and `unless` unless `if` decides. `exported` has the values of earlier resources; if undefined,
   * they are unknown.
   */
  readonly control: (declaration: Declaration, exported?: ExportedValues) => ControlOutcome
  /** Expands every template in the properties exactly once, with the same values of earlier resources. */
  readonly expand: (declaration: Declaration, exported?: ExportedValues) => Expansion
}

/** The exported values of a policy's resources, from the last observation of each. */
export interface ExportedReads {
  readonly of: ExportedValues
  /** Whether a resource reads a secret exported value, so that nothing derived from it may be shown. */
  readonly areSecretFor: (declaration: Declaration) => boolean
}

/** Whether a resource applies to this machine. `exported` has the values of earlier resources. */
export function controlOutcome(
  { expander }: RunnablePolicy,
  declaration: Declaration,
  exported?: ExportedValues,
): ControlOutcome {
  if (expander !== undefined) return expander.control(declaration, exported)
  return declaration.control === undefined ? MANAGED : NOT_EVALUABLE
}

const MANAGED: ControlOutcome = { kind: 'managed' }

// A condition that was not evaluated must not count as fulfilled.
const NOT_EVALUABLE: ControlOutcome = { kind: 'failed', message: 'control: the policy was not loaded to be evaluated' }

/** The property values of a resource with its templates expanded. */
export function expandProperties(
  { expander }: RunnablePolicy,
  declaration: Declaration,
  exported?: ExportedValues,
): Expansion {
  return expander?.expand(declaration, exported) ?? { kind: 'expanded', properties: declaration.properties }
}
