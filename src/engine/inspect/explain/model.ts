import type { Position } from '../../../model/problem.ts'
import type { Redacted } from '../../../model/drift.ts'
import type { ResourceResult } from '../../../model/run.ts'
import type { Severity } from '../../../model/verdict.ts'
import type { ProviderChoice } from '../../prepare.ts'

/**
 * One resource of a policy evaluated on this machine (`driftgate.explanation/v1`), the output of `driftgate explain
 * --json`. Fields are only ever added. Contains no secrets; text is not escaped for any output format.
 */
export interface Explanation {
  readonly schema: 'driftgate.explanation/v1'
  readonly policy: {
    readonly id: string
    readonly title?: string
    readonly version?: string
    /** File of the resource; the child manifest if it was reached through apply resources. */
    readonly source: string
  }
  readonly resource: {
    readonly id: string
    /** Apply resources above it, outermost first; absent if the policy itself declares the resource. */
    readonly path?: readonly string[]
    readonly type: string
    readonly name: string
    readonly alias?: string
    /** True if the values are secrets. */
    readonly sensitive: boolean
    readonly severity: Severity
    readonly source: Position
  }
  /** Properties set by the resource, its `defaults` block or the type, in the order of the type. */
  readonly properties: readonly ExplainedProperty[]
  /** Properties of the type without a value. */
  readonly unset: readonly string[]
  /** Condition of the resource; absent without one. */
  readonly control?: ExplainedControl
  /** Controls that the resource supports, directly or through an apply resource. */
  readonly controls: readonly SupportedControl[]
  readonly require: readonly RelatedResource[]
  readonly subscribe: readonly RelatedResource[]
  /** Resources whose exported values it reads. */
  readonly reads: readonly RelatedResource[]
  readonly requiredBy: readonly RelatedResource[]
  readonly subscribedBy: readonly RelatedResource[]
  readonly readBy: readonly RelatedResource[]
  readonly providers: readonly ProviderChoice[]
  /** Audit result of this resource on this machine; absent if the audit was interrupted. */
  readonly result?: ResourceResult
  /** Results below an apply resource, from the same audit. */
  readonly below?: readonly ResourceResult[]
  /** Resources that it refers to and the audit did not evaluate. */
  readonly notEvaluated: readonly string[]
}

/** Plain data without secrets: a hidden value is `Redacted`, a hidden part of a text is `(secret)`. */
export type ExplainedValue = unknown

/** A property that has a value, or whose value cannot be resolved. */
export interface ExplainedProperty {
  readonly name: string
  /**
   * Resolved value; absent if it cannot be resolved or the condition excludes the resource, with the reason in
   * `message`.
   */
  readonly value?: ExplainedValue
  readonly message?: string
  readonly from: PropertyOrigin
  /** Origin of the template inputs; absent without templates. */
  readonly template?: ExplainedTemplate
}

export type PropertyOrigin =
  | { readonly kind: 'resource'; readonly position: Position }
  /** `block` is the position of the `defaults` block. */
  | { readonly kind: 'defaults'; readonly position: Position; readonly block: Position }
  /** Default of the type. */
  | { readonly kind: 'type' }

export interface ExplainedTemplate {
  readonly written: ExplainedValue
  readonly inputs: readonly TemplateInput[]
}

export interface TemplateInput {
  /**
   * `data`, `fact`, `environment`, `file`, `exported` by another resource, `directory`, `lookup` in all of them,
   * `computed`; others may be added.
   */
  readonly kind: string
  /** Name as in a lookup (`data.log.level`), or the path of a file as written. */
  readonly name: string
  /** Absent if the input is missing or too long to show, such as a file. */
  readonly value?: ExplainedValue
  /** Layers that form the value; the one with the highest precedence is last. */
  readonly from: readonly InputOrigin[]
  /** Overridden layers with another value. */
  readonly over?: readonly InputOrigin[]
  /** Note, for example that the input has no value or is a template. */
  readonly message?: string
  /** Template in the data that produced the value. */
  readonly written?: ExplainedValue
  /** Inputs of that template or file. */
  readonly inputs?: readonly TemplateInput[]
}

/** A layer of data, facts or variables. */
export interface InputOrigin {
  /** `data`, `overrides.LEVEL`, `--data FILE`, `machine`, `apply#...` and so on. */
  readonly name: string
  readonly position?: Position
}

/** Condition of a resource and its result on this machine. */
export interface ExplainedControl {
  readonly outcome: 'managed' | 'not-managed' | 'failed'
  /** Reason why the resource does not apply, or the error. */
  readonly message?: string
  readonly conditions: readonly ExplainedCondition[]
}

export interface ExplainedCondition {
  readonly key: 'if' | 'unless'
  readonly expression: string
  /** Absent if it failed, or was not evaluated because `if` had already decided. */
  readonly value?: boolean
  readonly from: PropertyOrigin
  readonly inputs: readonly TemplateInput[]
}

/** A control that a resource supports. */
export interface SupportedControl {
  readonly id: string
  readonly title?: string
  readonly severity: Severity
  readonly remediation?: string
  readonly references?: Readonly<Record<string, readonly string[]>>
  readonly tags?: readonly string[]
  /** Apply resource that supports the control; absent if the control names the resource itself. */
  readonly through?: string
}

export interface RelatedResource {
  readonly id: string
  /** Position of the declaration. */
  readonly source: Position
}

/** True if the whole value is hidden. */
export function isRedacted(value: ExplainedValue): value is Redacted {
  return typeof value === 'object' && value !== null && 'redacted' in value && 'digest' in value
}
