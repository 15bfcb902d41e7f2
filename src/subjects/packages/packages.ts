import type { ApplyOutcome } from '../../model/decision.ts'
import type { Reading } from '../../model/observation.ts'

/** State of a package. Only `installed` counts as installed; rpm has no other state. @see dpkg(1), "Package states" */
export type PackageState =
  | 'installed'
  | 'config-files'
  | 'half-installed'
  | 'unpacked'
  | 'half-configured'
  | 'triggers-awaited'
  | 'triggers-pending'
  | 'reinst-required'

/** One installation of a package: a name may have several, of other architectures or, as for kernels, versions. */
export interface PackageInstance {
  /** Unique name of this installation in its package manager, such as `libc6:i386`. */
  readonly id: string
  readonly state: PackageState
  /** Includes epoch and revision or release, in the notation of its package manager; empty if absent. */
  readonly version: string
  readonly architecture: string
  /** Whether its architecture is that of the machine, or it is independent of the architecture. */
  readonly native: boolean
  /** Whether the package manager is told not to change it. */
  readonly held: boolean
}

export interface PackageCandidate {
  /** Version that would be installed; `null` if the index has no package of that name. */
  readonly version: string | null
  /** Last update of the index as an ISO date; undefined if never or unknown. */
  readonly indexUpdated: string | undefined
}

/** A change that the package manager would make. */
export interface PackageChange {
  readonly kind: 'install' | 'upgrade' | 'downgrade' | 'remove'
  /** In the notation of the package manager, optionally with an architecture. */
  readonly name: string
  readonly version?: string
}

/** A change of packages to simulate. */
export type PackageOrder =
  | { readonly kind: 'install' | 'downgrade'; readonly name: string; readonly version?: string }
  | { readonly kind: 'remove'; readonly ids: readonly [string, ...string[]] }

/** Packages of one package manager, read-only. Both reads query the machine once and cache the result. */
export interface PackageDatabase {
  /** Whether this machine uses the package manager. Checks files only and runs no program. */
  exists(): boolean
  /** The program that changes packages, if installed. */
  manager(): string | undefined
  /**
   * Installations of a name, with an optional architecture after a colon. An empty list proves absence. dpkg also accepts
   * patterns (`*`, `?`, `[...]`), as dpkg-query(1) does.
   */
  find(name: string): Reading<readonly PackageInstance[]> | Promise<Reading<readonly PackageInstance[]>>
  /** Announces names, so that one query reads all their candidates. */
  expect(names: readonly string[]): void
  candidate(name: string): Promise<Reading<PackageCandidate>>
  /** Whether a resource of the run names the package. */
  isNamed(name: string): boolean
  /** All changes that an order would cause, including those it names. Simulated on each call; changes nothing. */
  transaction(order: PackageOrder): Promise<Reading<readonly PackageChange[]>>
}

/** Package databases of the target, by package manager. */
export interface PackageDatabases {
  readonly apt: PackageDatabase
  readonly dnf: PackageDatabase
}

/** A package to install: this version, or that of the index. */
export interface PackageRequest {
  readonly name: string
  readonly version?: string
  /** Whether to fail rather than remove another package. */
  readonly keepsOthers?: boolean
  /** Aborted when the run is interrupted: no new operation starts, but a running one completes. */
  readonly signal: AbortSignal
}

/** Package operations of a fix, for one package manager. They never overlap. */
export interface PackageOperations {
  /** Installs a package, or upgrades an older version. */
  install(request: PackageRequest): Promise<ApplyOutcome>
  downgrade(request: PackageRequest & { readonly version: string }): Promise<ApplyOutcome>
  /** Removes installations by id. */
  remove(ids: readonly [string, ...string[]], signal: AbortSignal): Promise<ApplyOutcome>
  /** Removes installations with their configuration, which a package manager may otherwise keep. */
  purge(ids: readonly [string, ...string[]], signal: AbortSignal): Promise<ApplyOutcome>
}

export interface PackageManagers {
  readonly apt: PackageOperations
  readonly dnf: PackageOperations
}
