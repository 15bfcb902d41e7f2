import type { Reading } from '../../../../model/observation.ts'
import type { Target } from '../../../../host/target.ts'
import type { GossRequest, Measured } from '../resource.ts'

export interface MeasureContext {
  readonly request: GossRequest
  /** The requested attributes. */
  readonly wanted: readonly string[]
  readonly target: Target
  readonly signal: AbortSignal
}

/** The readers of the attributes, by name in Goss. If the subject does not exist, only the gate is present. */
export type Attributes = Readonly<Record<string, () => Measured | Promise<Measured>>>

/** Measures the resources of one type; unknown if nothing of the resource is readable. */
export type MeasureType = (look: MeasureContext) => Reading<Attributes> | Promise<Reading<Attributes>>
