import type { Acceptance } from './acceptance.ts'
import type { ErrorReason } from './observation.ts'

/** A secret value, hidden in reports. The keyed digest shows whether two values differ. */
export interface Redacted {
  readonly redacted: true
  readonly digest: string
}

/** The fingerprint of file content: sha256 in lowercase hex and the size in bytes. */
export interface ContentDigest {
  readonly sha256: string
  readonly sizeBytes: number
}

/** A value in a report. A desired value may be an acceptance, as written in the policy. */
export type ReportValue = string | number | boolean | null | ContentDigest | Redacted | Acceptance

/** One property whose observed value differs from the desired one. */
export interface Drift {
  readonly property: string
  readonly desired: ReportValue
  readonly observed: ReportValue
  /**
   * Digest of the whole observed value if `observed` shows only a part of it: sha256 in lowercase hex, or the keyed
   * digest of a `Redacted` if it holds a secret.
   */
  readonly observedDigest?: string
  /** Path of the file relative to the resource, if one resource covers many files. */
  readonly path?: string
  /** Unified diff from observed to desired, bounded, for text that is not secret. */
  readonly diff?: string
  /** A remark on the difference. */
  readonly note?: string
  /** The diff shows content that is not world-readable, so only reports with restricted access include it. */
  readonly confidential?: true
}

/** A difference in the decision of a type. */
export interface DecidedDrift extends Omit<Drift, 'observedDigest'> {
  /** The whole observed value, if `observed` shows only a part or a description of it. */
  readonly whole?: string
  /** Values are redacted; only their difference shows. */
  readonly conceal?: true
}

/** A property that could not be read, although the resource itself could. */
export interface UnknownProperty {
  readonly property: string
  readonly reason: ErrorReason
  readonly detail: string
}

/** An unknown property in the decision of a type, with the requirement of its `Unknown`. */
export interface UndecidedProperty extends UnknownProperty {
  readonly needs?: 'running-system'
}
