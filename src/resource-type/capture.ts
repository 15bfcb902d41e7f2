import type { UnknownProperty } from '../model/drift.ts'
import type { Seen, Unknown } from '../model/observation.ts'
import type { Target } from '../host/target.ts'

/** What of the contents of files is written down: nothing, their sha256, or the text of those that are small and public. */
export type CapturedContents = 'none' | 'digest' | 'text'

/** What is known of the thing beside what was seen of it. */
export interface CaptureContext {
  readonly name: string
  readonly target: Target
  readonly signal: AbortSignal
  readonly contents: CapturedContents
  /**
   * Whether content of files that are not world-readable is written down, too, as far as it is no whole content: their
   * sha256, single settings.
   */
  readonly isPrivateTaken: boolean
}

/** What is there, as a policy would write it. */
export type Captured =
  | {
      readonly kind: 'present'
      readonly properties: Readonly<Record<string, unknown>>
      /** Properties that could not be read; they are not among the others. */
      readonly unread?: readonly UnknownProperty[]
      /** What was left out on purpose, and why, each as a sentence. */
      readonly notes?: readonly string[]
    }
  /** Nothing is there. `properties` say so; they are not there where no resource of the type can. */
  | { readonly kind: 'absent'; readonly properties?: Readonly<Record<string, unknown>> }
  | Unknown

/** Names of a policy; undefined for a name that stands for itself. */
type Members = readonly string[] | Unknown | undefined

/** How what is on a machine is written down as a resource of a type, for `driftgate capture` and `driftgate status`. */
export interface ResourceCapture<State, Context> {
  /** The properties beside the name with which it is looked at, as a policy would write them. */
  readonly look: Readonly<Record<string, unknown>>
  /**
   * The properties of the resource that is compliant with what was seen. Never guesses: what could not be read is `unread`, and
   * what no resource of the type can say is unknown. May look further, and changes nothing.
   */
  readonly describe: (seen: Seen<State, Context>, context: CaptureContext) => Captured | Promise<Captured>
  /** The names that one name stands for that is not one itself, in the order of the policy. */
  readonly members?: (name: string, target: Target) => Members | Promise<Members>
}
