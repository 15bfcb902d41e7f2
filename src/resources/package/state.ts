import type { Reading } from '../../core/observation.ts'
import type { PackageCandidate, PackageInstance } from '../../target/packages.ts'

/** The installations a name means; never empty. */
export interface PackageStateSeen {
  readonly instances: readonly PackageInstance[]
}

/** What was looked up beside the package itself. */
export interface PackageContext {
  /** The package manager, which also says how versions are ordered. */
  readonly manager: 'apt' | 'dnf'
  /** Whether the program that changes packages is there. */
  readonly canChange: boolean
  /** What the package index offers; looked up for `latest` alone. */
  readonly candidate?: Reading<PackageCandidate>
}

/** What a fix does. */
export type PackageAction =
  | { readonly kind: 'install'; readonly version?: string }
  | { readonly kind: 'downgrade'; readonly version: string }
  | { readonly kind: 'remove'; readonly ids: readonly [string, ...string[]] }
