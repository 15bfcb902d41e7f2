import type { Reading } from '../../../../model/observation.ts'
import type { Target } from '../../../../host/target.ts'
import type { GossRequest, Measured } from '../resource.ts'

/** What one resource is measured with. */
export interface MeasureContext {
  readonly request: GossRequest
  /** The attributes that are asked for. */
  readonly wanted: readonly string[]
  readonly target: Target
  readonly signal: AbortSignal
}

/** How each attribute is looked at, by its name in Goss. Where the thing is not there, only the gate is among them. */
export type Attributes = Readonly<Record<string, () => Measured | Promise<Measured>>>

/** How the resources of one type are measured; unknown where nothing of the resource can be seen. */
export type MeasureType = (look: MeasureContext) => Reading<Attributes> | Promise<Reading<Attributes>>
