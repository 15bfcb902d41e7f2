import type { ApplyOutcome } from '../../model/decision.ts'
import type { Observation, Reading, Unknown } from '../../model/observation.ts'

/** What `systemctl is-enabled` calls the enablement of a unit. @see systemctl(1) */
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

/** One of `UNIT_FILE_STATES`. */
export type UnitFileState = (typeof UNIT_FILE_STATES)[number]

/** The states a unit can be in. @see systemd(1) */
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

/** One of `ACTIVE_STATES`. */
export type ActiveState = (typeof ACTIVE_STATES)[number]

/** What the service manager says of a unit. */
export interface UnitRuntime {
  /** `activating` and `deactivating` only where the unit did not settle. */
  readonly activeState: ActiveState
  /** `loaded`, `not-found`, `masked`, `bad-setting` or `error`. */
  readonly loadState: string
  /** How the unit ended, such as `exit-code`; empty where it never did. */
  readonly result: string
}

/** What the unit files say of a unit's start with the system. */
export interface UnitEnablement {
  readonly state: UnitFileState
  /** Whether something says what enabling the unit means: its [Install] section, or the links of an init script. */
  readonly isInstallable: boolean
  /** Path of its file; absent if it has no file or is masked. */
  readonly file?: string
  /** Why the next start of the system may make something else of it. */
  readonly unsettled?: Unknown
}

/** A unit that exists, in memory or as a file. */
export interface ServiceStatus {
  /** Its own name, where it was asked for by an alias. */
  readonly unit: string
  readonly runtime: Reading<UnitRuntime>
  readonly enablement: Reading<UnitEnablement>
}

/**
 * Something that starts a unit without a request: a socket, timer, path or automount, the message bus, or a unit that starts
 * with the system and depends on it.
 */
export interface UnitStarter {
  /** The name of the unit, or that on the bus. */
  readonly name: string
  readonly kind: 'unit' | 'bus-name' | 'dependency'
  /** Whether it does so now, and after the next start of the system. One of them holds. */
  readonly isActive: boolean
  readonly isEnabled: boolean
  /** The line that says so, of a dependency. */
  readonly at?: string
}

/** Another unit that changes when something is done to a unit. */
export interface CompanionUnit {
  readonly unit: string
  readonly step: 'start' | 'stop' | 'restart' | 'enable' | 'disable'
}

/** The unit that was asked for, with the paths where its file could lie. */
export interface UnitPlaces {
  readonly unit: string
  readonly unitFiles: readonly string[]
}

/** The services of a target, read-only. Nothing is reloaded, and no method throws for anything the machine can do. */
export interface ServiceManager {
  /** Names units that will be asked for, so that the first question can be put for all of them at once. */
  announce(units: readonly string[]): void
  /**
   * A unit by its full name. Waits a bounded time for one that is just starting or stopping. Where no service manager runs
   * the runtime state is unknown, but not the enablement.
   */
  status(unit: string, signal: AbortSignal): Promise<Observation<ServiceStatus, UnitPlaces>>
  /** What starts a unit by its own name, now or after the next start. Where no service manager runs, what its name shows. */
  starters(unit: string, signal: AbortSignal): Promise<Reading<readonly UnitStarter[]>>
  /** What else starts, stops or is enabled when these steps are taken now; nothing where no service manager runs. */
  companions(
    unit: string,
    steps: readonly ServiceStep[],
    signal: AbortSignal,
  ): Promise<Reading<readonly CompanionUnit[]>>
}

/**
 * What can be done to a unit. `enable` and `disable` are for the next start of the system, `mask` and `unmask` for both, the
 * others for now.
 */
export type ServiceStep = 'start' | 'stop' | 'restart' | 'enable' | 'disable' | 'mask' | 'unmask'

/** What a fix may do to services. */
export interface ServiceControl {
  /** Whether nothing runs there, so that a step makes and removes links and does nothing else. */
  readonly linksAlone?: true
  /** The paths at which a step makes or removes links; absent where that is not known. */
  readonly touches?: (unit: string, step: ServiceStep) => Reading<readonly string[]>
  /**
   * Takes the steps one after another, each until its end; one that fails does not keep the others from being taken,
   * because they are independent of each other. The output of a start that fails is the end of the unit's journal.
   */
  change(unit: string, steps: readonly ServiceStep[], signal: AbortSignal): Promise<ApplyOutcome>
}
