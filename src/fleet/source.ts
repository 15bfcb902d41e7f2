import type { PolicyIdentity } from '../model/policy-identity.ts'
import type { Run } from '../model/run.ts'
import type { ErrorReason } from '../model/observation.ts'
import type { Severity } from '../model/verdict.ts'
import type { Standing } from '../report/words/requirements.ts'
import type { SenderNote } from './messages/sender.ts'

/** What one run says of its host. Times are in milliseconds since 1970. */
export interface ReceivedRun {
  readonly host: string
  /** Which machine it was, where its name alone says who it is from. */
  readonly machine?: string
  readonly runId: string
  readonly startedAtMs: number
  /** When the storage got it, by the storage's own clock. */
  readonly storedAtMs: number
  /** Where it lies, for messages. */
  readonly place: string
  /** Whose place that is, where a place belongs to one host. */
  readonly owner?: string
  /** Whether anything was evaluated: a run that could not be performed says nothing about its host. */
  readonly isPerformed: boolean
  /** By how much the clock of the host is behind that of the storage, where that was measured; negative where it is ahead. */
  readonly clockOffMs?: number
  /** What its sender says of itself. */
  readonly sender?: SenderNote
  readonly policies: readonly ReceivedPolicy[]
}

/** What one of several machines of one name is called. */
export function machineName(host: string, machine: string): string {
  return `${host} (${machine})`
}

/** That a run of a host has found what an earlier one found. */
export interface ReceivedHeartbeat extends Omit<ReceivedRun, 'owner' | 'isPerformed' | 'policies'> {
  /** A run that found the same. */
  readonly sameRunId: string
  /** Those that were evaluated, all of each. */
  readonly policies: readonly Pick<ReceivedPolicy, 'id' | 'sha256'>[]
}

/** What a run says of one policy. */
export interface ReceivedPolicy extends PolicyIdentity {
  /** Whether a selection or an interruption left something of it out. */
  readonly isPartial: boolean
  readonly requirements: readonly ReceivedRequirement[]
}

/** How one control, or one resource that supports none, stood. */
export interface ReceivedRequirement {
  /** The ids of the apply resources above it, and its own, joined by ` > `. */
  readonly name: string
  readonly kind: 'control' | 'resource'
  readonly title?: string
  readonly severity: Severity
  readonly standing: Standing
  /** Why it is undecided: the reason of the first resource that could not be decided. */
  readonly cause?: Cause
}

/** Why a requirement is undecided. */
export type Cause = ErrorReason | 'blocked'

/** Something that lies where runs are, and cannot be used. */
export interface UnusablePlace {
  readonly place: string
  readonly reason: string
  /** When the storage got it; absent where that cannot be told. */
  readonly storedAtMs?: number
  /** The hosts whose report it may be, as far as its place says that. */
  readonly hosts: readonly string[]
  /** That another may have put it there than the host itself. */
  readonly isForged?: true
  /** The machines that use the key of the host, where there are several. */
  readonly machines?: readonly Machine[]
}

/** One of several machines that report as one host, and what its newest run found. Times are in milliseconds since 1970. */
export interface Machine {
  readonly runId: string
  readonly heardAtMs: number
  /** Which start of the machine it is; that of the kernel, so containers of one machine have the same. */
  readonly bootId?: string
  readonly drifted?: number
  readonly undecided?: number
}

/** Who is told what a source has. */
export interface Listener {
  /** `report` is the run itself, where a listener needs more of it; what is known of it beside is in `run`. */
  readonly add: (run: ReceivedRun, report?: Run) => void
  /** A host is as it was. */
  readonly still: (beat: ReceivedHeartbeat) => void
  /** Where a run lay, nothing or something else lies now. */
  readonly gone: (place: string) => void
}

/** Where the runs of many hosts come from. */
export interface Source {
  /** What messages call it. */
  readonly name: string
  /**
   * Hands over, oldest first and one at a time, what is new since it was asked before; everything the first time. With
   * `hinted` it looks only where `watch` gave a hint. Gives all that cannot be used as long as it lies there. Throws an
   * `OperatorError` where the source cannot be read. A signal ends it early; what is left is new again.
   */
  readonly news: (
    listener: Listener,
    where: 'everywhere' | 'hinted',
    signal?: AbortSignal,
  ) => Promise<readonly UnusablePlace[]>
  /**
   * Calls `hint` where something may be new, as far as the system tells: not everything is told everywhere, so looking
   * everywhere from time to time remains necessary. The result ends it.
   */
  readonly watch: (hint: () => void) => () => void
  /** Sentences on hosts whose reports the storage has dropped before their time, as of the last look everywhere. */
  readonly dropped?: () => readonly string[]
  /** Lets go of what it holds. */
  readonly close: () => Promise<void>
}
