import type { Acceptance } from './acceptance.ts'
import type { ErrorReason } from './observation.ts'

/** A secret that a report may not show. The keyed digest lets two values be told apart. */
export interface Redacted {
  readonly redacted: true
  readonly digest: string
}

/** The fingerprint that stands for the content of a file: sha256 in lower-case hex and the size in bytes. */
export interface ContentDigest {
  readonly sha256: string
  readonly sizeBytes: number
}

/** A value as reports show it. What is wanted may be an acceptance, as the policy writes it; what is observed never is. */
export type ReportValue = string | number | boolean | null | ContentDigest | Redacted | Acceptance

/** One property whose observed value differs from the desired one. */
export interface Drift {
  readonly property: string
  readonly desired: ReportValue
  readonly observed: ReportValue
  /**
   * What stands for the whole of what was found where `observed` shows a part of it: by this two values are told apart. A sha256 in
   * lower-case hex, or as the digest of a `Redacted` where a secret is in it.
   */
  readonly observedDigest?: string
  /** The file inside the resource that differs, relative to the resource, where one resource covers many. */
  readonly path?: string
  /** Unified diff from observed to desired, bounded, only for text that is not secret. */
  readonly diff?: string
  /** What to know about the difference beside the two values. */
  readonly note?: string
  /** Others may not read what the diff shows, so it is only in reports that they cannot read either. */
  readonly confidential?: true
}

/** A difference as a type decides it. */
export interface DecidedDrift extends Omit<Drift, 'observedDigest'> {
  /** All of what was found, where `observed` shows a part of it or says only what it is like. */
  readonly whole?: string
  /** The values may be told apart, and nothing more. */
  readonly conceal?: true
}

/** A property that could not be read although the resource itself could. */
export interface UnknownProperty {
  readonly property: string
  readonly reason: ErrorReason
  readonly detail: string
}

/** The same as a type decides it, which says why as an `Unknown` does. */
export interface UndecidedProperty extends UnknownProperty {
  readonly needs?: 'running-system'
}
