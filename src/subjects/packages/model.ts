import type { Acceptance } from '../../model/acceptance.ts'
import type { Reading } from '../../model/observation.ts'
import type { Manager } from './accepted.ts'
import type { PackageCandidate, PackageChange, PackageInstance } from './packages.ts'

/** What a policy says of a package. */
export interface PackageDesired {
  readonly name: string
  /** `present`, `absent`, `latest`, a version, or the versions that are accepted. */
  readonly ensure: string | Acceptance<string>
}

/** The installations a name means; never empty. */
export interface PackageStateObserved {
  readonly instances: readonly PackageInstance[]
}

/** What was looked up beside the package itself. */
export interface PackageContext {
  /** The package manager, which also says how versions are ordered. */
  readonly manager: Manager
  /** Whether the program that changes packages is there. */
  readonly canChange: boolean
  /** What the package index offers; looked up where `asksIndex` says so. */
  readonly candidate?: Reading<PackageCandidate>
  /** What a fix does to other packages; looked up where it does something. */
  readonly others?: OtherPackages
}

/** What a fix does to packages that the resource does not name. */
export interface OtherPackages {
  readonly changes: Reading<readonly PackageChange[]>
  /** Those that go without consent: no resource names them. */
  readonly unwelcome: readonly string[]
  /** Whether the package manager must not remove any other. */
  readonly keepsOthers: boolean
}

/** What a fix does. */
export type PackageAction =
  /** `name` is there for one of a group. */
  | ({ readonly kind: 'install'; readonly version?: string; readonly name?: string } & BesideOthers)
  | ({ readonly kind: 'downgrade'; readonly version: string; readonly name?: string } & BesideOthers)
  | { readonly kind: 'remove'; readonly ids: readonly [string, ...string[]]; readonly removes?: readonly string[] }

/** What an action means for packages that it does not name. */
interface BesideOthers {
  readonly keepsOthers?: boolean
  /** The ones that go. */
  readonly removes?: readonly string[]
}
