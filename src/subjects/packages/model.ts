import type { Acceptance } from '../../model/acceptance.ts'
import type { Reading } from '../../model/observation.ts'
import type { Manager } from './accepted.ts'
import type { PackageCandidate, PackageChange, PackageInstance } from './packages.ts'

/** Properties of a package resource in a policy. */
export interface PackageDesired {
  readonly name: string
  /** `present`, `absent`, `latest`, a version, or the accepted versions. */
  readonly ensure: string | Acceptance<string>
}

/** The installations of a name; never empty. */
export interface PackageStateObserved {
  readonly instances: readonly PackageInstance[]
}

/** Observations beyond the package itself. */
export interface PackageContext {
  /** The package manager, which determines the order of versions. */
  readonly manager: Manager
  /** Whether the program that changes packages is installed. */
  readonly canChange: boolean
  /** Version in the package index; read if `asksIndex` is true. */
  readonly candidate?: Reading<PackageCandidate>
  /** Effects of a fix on other packages; read if there is a fix. */
  readonly others?: OtherPackages
}

/** Effects of a fix on packages that the resource does not name. */
export interface OtherPackages {
  readonly changes: Reading<readonly PackageChange[]>
  /** Packages that would be removed although no resource names them. */
  readonly unwelcome: readonly string[]
  /** Whether the package manager must not remove other packages. */
  readonly keepsOthers: boolean
}

export type PackageAction =
  /** `name` is only set for a package of a group. */
  | ({ readonly kind: 'install'; readonly version?: string; readonly name?: string } & BesideOthers)
  | ({ readonly kind: 'downgrade'; readonly version: string; readonly name?: string } & BesideOthers)
  | { readonly kind: 'remove'; readonly ids: readonly [string, ...string[]]; readonly removes?: readonly string[] }

/** Effects of an action on packages that it does not name. */
interface BesideOthers {
  readonly keepsOthers?: boolean
  readonly removes?: readonly string[]
}
