import type { ApplyOutcome } from '../../model/decision.ts'
import type { Observation, Reading, Unknown } from '../../model/observation.ts'

/** Enablement states of `systemctl is-enabled`. @see systemctl(1) */
export const UNIT_FILE_STATES = [
  'enabled',
  'enabled-runtime',
  'linked',
  'linked-runtime',
  'alias',
  'masked',
  'masked-runtime',
  'static',
  'disabled',
  'indirect',
  'generated',
  'transient',
] as const

export type UnitFileState = (typeof UNIT_FILE_STATES)[number]

/** Active states of a unit. @see systemd(1) */
export const ACTIVE_STATES = [
  'active',
  'reloading',
  'refreshing',
  'inactive',
  'failed',
  'maintenance',
  'activating',
  'deactivating',
] as const

export type ActiveState = (typeof ACTIVE_STATES)[number]

export interface UnitRuntime {
  /** `activating` and `deactivating` only if the unit did not settle. */
  readonly activeState: ActiveState
  /** `loaded`, `not-found`, `masked`, `bad-setting` or `error`. */
  readonly loadState: string
  /** Result of the last run, such as `exit-code`; empty if it never ended. */
  readonly result: string
}

export interface UnitEnablement {
  readonly state: UnitFileState
  /** Whether the unit can be enabled: by its [Install] section, or by the links of an init script. */
  readonly isInstallable: boolean
  /** Path of its file; absent if it has no file or is masked. */
  readonly file?: string
  /** Why the next boot may change the enablement. */
  readonly unsettled?: Unknown
  /** Why an enabled unit starts nothing all the same. */
  readonly idle?: string
}

/** A unit that is loaded or has a file. */
export interface ServiceStatus {
  /** The primary name, also if the query used an alias. */
  readonly unit: string
  readonly runtime: Reading<UnitRuntime>
  readonly enablement: Reading<UnitEnablement>
}

/**
 * A unit or bus name that starts a unit without a request: a socket, timer, path or automount, D-Bus activation, or a unit
 * that starts at boot and depends on it.
 */
export interface UnitStarter {
  readonly name: string
  readonly kind: 'unit' | 'bus-name' | 'dependency'
  /** Whether it starts the unit now, and after the next boot. At least one is true. */
  readonly isActive: boolean
  readonly isEnabled: boolean
  /** For a dependency: the line that declares it. */
  readonly at?: string
}

/** Another unit that a step on a unit also changes. */
export interface CompanionUnit {
  readonly unit: string
  readonly step: 'start' | 'stop' | 'restart' | 'enable' | 'disable'
}

/** The requested unit, with the possible paths of its file. */
export interface UnitPlaces {
  readonly unit: string
  readonly unitFiles: readonly string[]
}

/**
 * The services of a target, read-only. Never reloads systemd, and no method throws because of the state of the machine.
 */
export interface ServiceManager {
  /** Announces units that will be queried, so that the first query can cover all of them. */
  announce(units: readonly string[]): void
  /**
   * Returns a unit by its full name. Waits a bounded time for a unit that is starting or stopping. Without a running
   * service manager the runtime state is unknown, but not the enablement.
   */
  status(unit: string, signal: AbortSignal): Promise<Observation<ServiceStatus, UnitPlaces>>
  /**
   * Returns what starts a unit, by its primary name. Without a running service manager, only units of the same name are
   * known.
   */
  starters(unit: string, signal: AbortSignal): Promise<Reading<readonly UnitStarter[]>>
  /** Returns the other units that these steps start, stop or enable; empty without a running service manager. */
  companions(
    unit: string,
    steps: readonly ServiceStep[],
    signal: AbortSignal,
  ): Promise<Reading<readonly CompanionUnit[]>>
}

/**
 * A change of a unit. `enable` and `disable` apply to the next boot, `mask` and `unmask` to both, the others to the
 * running unit.
 */
export type ServiceStep = 'start' | 'stop' | 'restart' | 'enable' | 'disable' | 'mask' | 'unmask'

export interface ServiceControl {
  /** Whether the system is not running, so that a step only creates and removes links. */
  readonly linksAlone?: true
  /** The paths at which a step creates or removes links; absent if unknown. */
  readonly touches?: (unit: string, step: ServiceStep) => Reading<readonly string[]>
  /**
   * Takes the steps in order and waits for each. The steps are independent: a failed one does not prevent the others. The
   * output of a failed start ends with the unit's journal.
   */
  change(unit: string, steps: readonly ServiceStep[], signal: AbortSignal): Promise<ApplyOutcome>
}
