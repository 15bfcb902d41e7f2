import type { ServiceStatus, ServiceStep, UnitPlaces } from '../../target/services.ts'

/** A unit that exists. */
export type ServiceState = ServiceStatus

/** The unit the resource means, whether it exists or not. */
export type ServiceContext = UnitPlaces

/** What a fix does to the unit, one step after another. */
export interface ServiceAction {
  readonly unit: string
  readonly steps: readonly ServiceStep[]
}
