import type { ApplyOutcome } from '../../model/decision.ts'
import type { Reading } from '../../model/observation.ts'

/** How far a package has come. Only `installed` is installed; rpm knows no other state. @see dpkg(1), "Package states" */
export type PackageState =
  | 'installed'
  | 'config-files'
  | 'half-installed'
  | 'unpacked'
  | 'half-configured'
  | 'triggers-awaited'
  | 'triggers-pending'
  | 'reinst-required'

/** One installation of a package: a name may have several, for other architectures or, like kernels, other versions. */
export interface PackageInstance {
  /** How its package manager names just this installation, such as `libc6:i386`. */
  readonly id: string
  readonly state: PackageState
  /** With epoch and revision or release, as its package manager writes it; empty if absent. */
  readonly version: string
  readonly architecture: string
  /** Whether it has the machine's own architecture or none. */
  readonly native: boolean
  /** Whether the package manager was told not to touch it. */
  readonly held: boolean
}

/** What the local package index offers. */
export interface PackageCandidate {
  /** What an installation would bring; `null` where the index offers nothing of that name. */
  readonly version: string | null
  /** When the index was last updated, as an ISO date; undefined where it never was or that is unknown. */
  readonly indexUpdated: string | undefined
}

/** What a package manager would do to a package. */
export interface PackageChange {
  readonly kind: 'install' | 'upgrade' | 'downgrade' | 'remove'
  /** As the package manager writes it, perhaps with an architecture. */
  readonly name: string
  /** The one that comes. */
  readonly version?: string
}

/** A change of packages that is asked about. */
export type PackageOrder =
  | { readonly kind: 'install' | 'downgrade'; readonly name: string; readonly version?: string }
  | { readonly kind: 'remove'; readonly ids: readonly [string, ...string[]] }

/** The packages of one package manager, read-only. Both reads ask the machine once and keep the answer. */
export interface PackageDatabase {
  /** Whether this machine keeps its packages this way. Decided by files, nothing is run. */
  exists(): boolean
  /** The program that changes packages, where it is there. */
  manager(): string | undefined
  /**
   * The installations a name means; it may carry an architecture after a colon. None is proved absence. dpkg's takes patterns
   * (`*`, `?`, `[...]`), too, as dpkg-query(1) does.
   */
  find(name: string): Reading<readonly PackageInstance[]> | Promise<Reading<readonly PackageInstance[]>>
  /** Names whose candidates may be asked for, so that one question covers all of them. */
  expect(names: readonly string[]): void
  candidate(name: string): Promise<Reading<PackageCandidate>>
  /** Whether a resource of the run names the package. */
  isNamed(name: string): boolean
  /** Everything that would be done for an order, the packages that it names among that. Asked each time; changes nothing. */
  transaction(order: PackageOrder): Promise<Reading<readonly PackageChange[]>>
}

/** What is scanned for packages, by package manager. */
export interface PackageDatabases {
  readonly apt: PackageDatabase
  readonly dnf: PackageDatabase
}

/** A package to install: this version, or the one that the index offers. */
export interface PackageRequest {
  readonly name: string
  readonly version?: string
  /** Whether to fail rather than remove another package. */
  readonly keepsOthers?: boolean
  /** Aborted when the run is interrupted: nothing new is begun, but what has begun comes to its end. */
  readonly signal: AbortSignal
}

/** What a fix may do to the packages of one package manager. Never two of these at the same time. */
export interface PackageOperations {
  /** Installs a package, or upgrades it where an older version is there. */
  install(request: PackageRequest): Promise<ApplyOutcome>
  downgrade(request: PackageRequest & { readonly version: string }): Promise<ApplyOutcome>
  /** Removes installations by their ids. */
  remove(ids: readonly [string, ...string[]], signal: AbortSignal): Promise<ApplyOutcome>
  /** The same, with the configuration that a package manager may leave behind. */
  purge(ids: readonly [string, ...string[]], signal: AbortSignal): Promise<ApplyOutcome>
}

/** How packages are changed, by package manager. */
export interface PackageManagers {
  readonly apt: PackageOperations
  readonly dnf: PackageOperations
}
