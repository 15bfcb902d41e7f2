import type { UnknownProperty } from '../model/drift.ts'
import type { Seen, Unknown } from '../model/observation.ts'
import type { Target } from '../host/target.ts'

/** How file contents are captured: not at all, as sha256, or as text if the file is small and world-readable. */
export type CapturedContents = 'none' | 'digest' | 'text'

/** Context of a capture. */
export interface CaptureContext {
  readonly name: string
  readonly target: Target
  readonly signal: AbortSignal
  readonly contents: CapturedContents
  /** Whether the sha256 and single settings of files that are not world-readable are captured. Their whole content never is. */
  readonly isPrivateTaken: boolean
}

/** The captured resource, as a policy declares it. */
export type Captured =
  | {
      readonly kind: 'present'
      readonly properties: Readonly<Record<string, unknown>>
      /** Properties that could not be read; they are missing from `properties`. */
      readonly unread?: readonly UnknownProperty[]
      /** Deliberate omissions with their reason, one sentence each. */
      readonly notes?: readonly string[]
    }
  /** The resource does not exist. `properties` declare that; they are undefined if the type cannot express it. */
  | { readonly kind: 'absent'; readonly properties?: Readonly<Record<string, unknown>> }
  | Unknown

/** Names of resources; undefined if the name is not a group. */
type Members = readonly string[] | Unknown | undefined

/** How `driftgate capture` and `driftgate status` turn the state of a machine into a resource. */
export interface ResourceCapture<State, Context> {
  /** The properties to observe with, apart from the name, as a policy declares them. */
  readonly look: Readonly<Record<string, unknown>>
  /**
   * The properties of a resource that is compliant with the observed state. Never guesses: unreadable properties are
   * `unread`, and a state that the type cannot express is unknown. May read more, and changes nothing.
   */
  readonly describe: (seen: Seen<State, Context>, context: CaptureContext) => Captured | Promise<Captured>
  /** The names in a group name, in the order of the policy. */
  readonly members?: (name: string, target: Target) => Members | Promise<Members>
}
