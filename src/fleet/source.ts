import type { PolicyIdentity } from '../model/policy-identity.ts'
import type { Run } from '../model/run.ts'
import type { ErrorReason } from '../model/observation.ts'
import type { Severity } from '../model/verdict.ts'
import type { Standing } from '../report/words/requirements.ts'
import type { SenderNote } from './messages/sender.ts'

/** A run received from a host. Times are in milliseconds since 1970. */
export interface ReceivedRun {
  readonly host: string
  /** Machine id, if the name alone identifies the sender. */
  readonly machine?: string
  readonly runId: string
  readonly startedAtMs: number
  /** Time of storage, by the clock of the storage. */
  readonly storedAtMs: number
  /** Location in the source, for messages. */
  readonly place: string
  /** Host that owns the location, if locations belong to one host each. */
  readonly owner?: string
  /** False if the run could not be performed and says nothing about its host. */
  readonly isPerformed: boolean
  /** Offset of the host's clock behind the storage clock, if measured; negative if it is ahead. */
  readonly clockOffMs?: number
  /** Sender information of the host. */
  readonly sender?: SenderNote
  readonly policies: readonly ReceivedPolicy[]
}

/** Display name of one of several machines with the same host name. */
export function machineName(host: string, machine: string): string {
  return `${host} (${machine})`
}

/** Heartbeat: a run found the same as an earlier run. */
export interface ReceivedHeartbeat extends Omit<ReceivedRun, 'owner' | 'isPerformed' | 'policies'> {
  /** Id of a run with the same findings. */
  readonly sameRunId: string
  /** Policies that were evaluated completely. */
  readonly policies: readonly Pick<ReceivedPolicy, 'id' | 'sha256'>[]
}

/** Result of one policy in a run. */
export interface ReceivedPolicy extends PolicyIdentity {
  /** True if a selection or an interruption left out a part of the policy. */
  readonly isPartial: boolean
  readonly requirements: readonly ReceivedRequirement[]
}

/** State of a control, or of a resource that supports no control. */
export interface ReceivedRequirement {
  /** Ids of the apply resources above it and its own id, joined by ` > `. */
  readonly name: string
  readonly kind: 'control' | 'resource'
  readonly title?: string
  readonly severity: Severity
  readonly standing: Standing
  /** Reason why it is unknown: that of the first unknown resource. */
  readonly cause?: Cause
}

/** Reason why a requirement is unknown. */
export type Cause = ErrorReason | 'blocked'

/** An item in the storage that cannot be used. */
export interface UnusablePlace {
  readonly place: string
  readonly reason: string
  /** Time of storage; absent if unknown. */
  readonly storedAtMs?: number
  /** Hosts that may have sent the report, as far as the location tells. */
  readonly hosts: readonly string[]
  /** True if a sender other than the host may have written it. */
  readonly isForged?: true
  /** Machines that share the key of the host, if there are several. */
  readonly machines?: readonly Machine[]
}

/**
 * One of several machines that report as one host, with the result of its newest run. Times are in milliseconds since
 * 1970.
 */
export interface Machine {
  readonly runId: string
  readonly heardAtMs: number
  /** Boot id of the kernel; containers of one machine share it. */
  readonly bootId?: string
  readonly drifted?: number
  readonly undecided?: number
}

/** Receives the contents of a source. */
export interface Listener {
  /** `report` is the full report of `run`, for listeners that need more of it. */
  readonly add: (run: ReceivedRun, report?: Run) => void
  /** A heartbeat: the state of the host is unchanged. */
  readonly still: (beat: ReceivedHeartbeat) => void
  /** The run at this location was removed or replaced. */
  readonly gone: (place: string) => void
}

/** A source of the runs of many hosts. */
export interface Source {
  /** Name for messages. */
  readonly name: string
  /**
   * Passes new items to the listener, oldest first and one at a time; on the first call, all items. With `hinted`,
   * reads only the locations for which `watch` gave a hint. Returns all unusable items that are still stored. Throws an
   * `OperatorError` if the source cannot be read. A signal ends it early; the remaining items stay new.
   */
  readonly news: (
    listener: Listener,
    where: 'everywhere' | 'hinted',
    signal?: AbortSignal,
  ) => Promise<readonly UnusablePlace[]>
  /**
   * Calls `hint` when there may be new items. Notifications can be incomplete, so a periodic full read remains
   * necessary. Returns a function that stops watching.
   */
  readonly watch: (hint: () => void) => () => void
  /** Messages about hosts whose reports the storage dropped early, as of the last full read. */
  readonly dropped?: () => readonly string[]
  readonly close: () => Promise<void>
}
