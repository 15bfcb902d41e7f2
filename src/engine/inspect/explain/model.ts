import type { Position } from '../../../model/problem.ts'
import type { Redacted } from '../../../model/drift.ts'
import type { ResourceResult } from '../../../model/run.ts'
import type { Severity } from '../../../model/verdict.ts'
import type { ProviderChoice } from '../../prepare.ts'

/**
 * One resource of a policy as it is on this machine, `driftgate.explanation/v1`: what programs read of `driftgate explain
 * --json`. Fields are only ever added. It holds no secret; text is not escaped for any channel.
 */
export interface Explanation {
  readonly schema: 'driftgate.explanation/v1'
  readonly policy: {
    readonly id: string
    readonly title?: string
    readonly version?: string
    /** The file the resource is written in; that of a child manifest where it was reached through apply resources. */
    readonly source: string
  }
  readonly resource: {
    readonly id: string
    /** The apply resources through which it was reached, outermost first; absent in the policy itself. */
    readonly path?: readonly string[]
    readonly type: string
    readonly name: string
    readonly alias?: string
    /** Whether its values are secrets. */
    readonly sensitive: boolean
    readonly severity: Severity
    readonly source: Position
  }
  /** What is set, by the resource, its `defaults` block or the type, in the order of the type. */
  readonly properties: readonly ExplainedProperty[]
  /** The properties of the type that nothing sets. */
  readonly unset: readonly string[]
  /** Its gate; absent if missing. */
  readonly control?: ExplainedControl
  /** The controls it supports, itself or through an apply resource above it. */
  readonly controls: readonly SupportedControl[]
  readonly require: readonly RelatedResource[]
  readonly subscribe: readonly RelatedResource[]
  /** The resources of which it reads exported values. */
  readonly reads: readonly RelatedResource[]
  readonly requiredBy: readonly RelatedResource[]
  readonly subscribedBy: readonly RelatedResource[]
  readonly readBy: readonly RelatedResource[]
  readonly providers: readonly ProviderChoice[]
  /** What an audit of this resource, with those whose values it reads, says of this machine. Absent where the audit was interrupted. */
  readonly result?: ResourceResult
  /** What is below an apply resource, of that audit. */
  readonly below?: readonly ResourceResult[]
  /** What that audit did not look at although the resource names it. */
  readonly notEvaluated: readonly string[]
}

/** A value without secrets: plain data, with `Redacted` for a whole and `(secret)` for a part that is hidden. */
export type ExplainedValue = unknown

/** One property that has a value or would have one. */
export interface ExplainedProperty {
  readonly name: string
  /** Resolved. Absent where it could not be, or is not because control rules the resource out; `message` says why. */
  readonly value?: ExplainedValue
  readonly message?: string
  readonly from: PropertyOrigin
  /** Where its templates get their values from; absent if missing. */
  readonly template?: ExplainedTemplate
}

/** Where a property was set. */
export type PropertyOrigin =
  | { readonly kind: 'resource'; readonly position: Position }
  /** `block` is where the `defaults` begin. */
  | { readonly kind: 'defaults'; readonly position: Position; readonly block: Position }
  /** The default of the type. */
  | { readonly kind: 'type' }

/** A value with templates in it. */
export interface ExplainedTemplate {
  readonly written: ExplainedValue
  readonly inputs: readonly TemplateInput[]
}

/** Something that a template reads. */
export interface TemplateInput {
  /** `data`, `fact`, `environment`, `file`, `exported` by another resource, `directory`, `lookup` in all of them, `computed`; there may be further ones. */
  readonly kind: string
  /** As a lookup would find it: `data.log.level`; for a file its path as it is written. */
  readonly name: string
  /** Absent if missing, or if the text is too long to show, such as a file. */
  readonly value?: ExplainedValue
  /** The layers that the value is made of, the deciding one last. */
  readonly from: readonly InputOrigin[]
  /** The layers below with another value. */
  readonly over?: readonly InputOrigin[]
  /** What there is to know: that it has no value, or is a template. */
  readonly message?: string
  /** The template that gave the value, where data has one. */
  readonly written?: ExplainedValue
  /** What that template, or the file, reads itself. */
  readonly inputs?: readonly TemplateInput[]
}

/** A layer of data, facts or variables. */
export interface InputOrigin {
  /** `data`, `overrides.LEVEL`, `--data FILE`, `machine`, `apply#...` and so on. */
  readonly name: string
  readonly position?: Position
}

/** The condition under which a resource concerns a machine, and what it gives on this one. */
export interface ExplainedControl {
  readonly outcome: 'managed' | 'not-managed' | 'failed'
  /** Why it does not concern the machine, or what failed. */
  readonly message?: string
  readonly conditions: readonly ExplainedCondition[]
}

export interface ExplainedCondition {
  readonly key: 'if' | 'unless'
  readonly expression: string
  /** Absent where it failed or was not evaluated, because `if` had decided already. */
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
  /** The apply resource through which it is supported; absent where the resource is named itself. */
  readonly through?: string
}

/** Another resource of the policy. */
export interface RelatedResource {
  readonly id: string
  /** Where it is declared. */
  readonly source: Position
}

/** Whether a value is hidden as a whole. */
export function isRedacted(value: ExplainedValue): value is Redacted {
  return typeof value === 'object' && value !== null && 'redacted' in value && 'digest' in value
}
