import type { ExportedValues } from '../../model/exported.ts'
import type { Child, Declaration, Origin, Policy } from '../../model/policy.ts'
import type { ResourceContext, ResourceType } from '../../resource-type/define.ts'
import type { Complete } from '../template/index.ts'
import type { ReadLog } from '../template/read-log.ts'

/** A policy with what evaluates it. */
export interface RunnablePolicy extends Omit<Policy, 'children'> {
  readonly children?: ReadonlyMap<string, Child<RunnablePolicy>>
  /** The resource types that it was loaded with; absent where these are those of driftgate. */
  readonly types?: readonly ResourceType[]
  /** Absent where the policy holds neither templates nor conditions. */
  readonly expander?: Expander
  /** What the templates that its resources render can see. */
  readonly templates?: NonNullable<ResourceContext['templates']>
  /** Does what evaluates its templates, and fetches what they ask a server for; absent without a server. */
  readonly complete?: Complete
  /** What its templates read. */
  readonly reads?: ReadLog
  /** Told, when its run starts, where the values that its resources export will be found. */
  readonly onExports?: (exported: ExportedReads) => void
  /** Why a file that a resource names as its `source` may not be used. Absent where files may lie anywhere. */
  readonly confine?: (path: string) => string | undefined
}

/** Whether `control` lets a resource concern this machine; `because` is the expression that ruled it out. */
export type ControlOutcome =
  { readonly kind: 'managed' } | { readonly kind: 'not-managed'; readonly because: string } | EvaluationFailure

/** Why a condition or a template of a resource could not be evaluated. */
export interface EvaluationFailure {
  readonly kind: 'failed'
  readonly message: string
  /** What it reads could not be looked at; otherwise the template itself is at fault. */
  readonly reason?: 'not-observable' | 'timeout'
  /** As that of an `Unknown`. */
  readonly needs?: 'running-system'
  /** The id of the earlier resource that does not have a value it reads, where that is the reason. */
  readonly blockedBy?: string
}

/** The property values of a resource after its templates were expanded, or why that failed. */
export type Expansion =
  | {
      readonly kind: 'expanded'
      readonly properties: Readonly<Record<string, unknown>>
      /** Where what the templates of a property read comes from, by property; absent where that is nothing of these. */
      readonly origins?: ReadonlyMap<string, ReadonlySet<Origin>>
    }
  | EvaluationFailure

/** Evaluates what a policy leaves open until a resource's turn comes: its control gate and its templates. */
export interface Expander {
  /**
   * Evaluates `if`, and `unless` where `if` does not decide already. What they read of earlier resources is `exported`;
   * nothing is known of those where it is absent.
   */
  readonly control: (declaration: Declaration, exported?: ExportedValues) => ControlOutcome
  /** Expands every template in the properties, exactly once, with the same values of earlier resources. */
  readonly expand: (declaration: Declaration, exported?: ExportedValues) => Expansion
}

/** The values of a policy's resources as the last look at each found them. */
export interface ExportedReads {
  readonly of: ExportedValues
  /** Whether one of the values that a resource reads must not be shown, so that nothing made of it may be either. */
  readonly areSecretFor: (declaration: Declaration) => boolean
}

/** Whether a resource concerns this machine. What it reads of earlier ones is `exported`. */
export function controlOutcome(
  { expander }: RunnablePolicy,
  declaration: Declaration,
  exported?: ExportedValues,
): ControlOutcome {
  if (expander !== undefined) return expander.control(declaration, exported)
  return declaration.control === undefined ? MANAGED : NOT_EVALUABLE
}

const MANAGED: ControlOutcome = { kind: 'managed' }

// A condition that was not evaluated must not count as met.
const NOT_EVALUABLE: ControlOutcome = { kind: 'failed', message: 'control: the policy was not loaded to be evaluated' }

/** The property values of a resource with its templates expanded. */
export function expandProperties(
  { expander }: RunnablePolicy,
  declaration: Declaration,
  exported?: ExportedValues,
): Expansion {
  return expander?.expand(declaration, exported) ?? { kind: 'expanded', properties: declaration.properties }
}
