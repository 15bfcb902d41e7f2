import type { Acceptance } from '../../model/acceptance.ts'
import type { Reading } from '../../model/observation.ts'
import type { PamSettings, DesiredArguments } from './arguments.ts'
import type { ProfileLine } from './stack/profiles.ts'
import type { PamStack, PamType } from './stack/stack.ts'

/** What a policy says: the properties that are observed, decided and applied. */
export interface PamDesired {
  readonly name: string
  readonly type: PamType
  readonly module: string
  readonly with?: readonly string[] | undefined
  readonly ensure: 'present' | 'absent'
  readonly if_absent: 'drift' | 'compliant'
  readonly control_flag?: string | Acceptance<string> | undefined
  readonly arguments?: DesiredArguments | undefined
  readonly required?: boolean | undefined
  readonly unless?: readonly string[] | undefined
  readonly before?: string | undefined
  readonly after?: string | undefined
  readonly catches?: string | undefined
  readonly beside?: string | undefined
}

/** What manages the stacks of a machine. */
export type StackTool = 'pam-auth-update' | 'authselect' | 'none'

/** What is there. */
export interface PamState {
  readonly stack: PamStack
  /** For each line of the module in the stack, in their order; none where no argument is wanted. */
  readonly settings: readonly Reading<PamSettings>[]
  readonly tool: StackTool
  /** What pam-auth-update can add where the module is in no line. */
  readonly profiles: Reading<readonly PamProfile[]>
  /** What authselect(8) can do about the stacks, where it was asked. */
  readonly offer: FeatureOffer
  /** Why the service asks no PAM at all; undefined where it does. */
  readonly whyNoPam: Reading<string | undefined>
}

/** What authselect(8) can do about a resource that its stacks do not meet. */
export type FeatureOffer =
  | { readonly kind: 'not-asked' }
  /** Features that are enough, with files of modules that have to be changed beside them. */
  | { readonly kind: 'enough'; readonly features: readonly string[]; readonly files: PamAction['files'] }
  | { readonly kind: 'refused'; readonly why: string }

/** A profile of pam-auth-update that is not enabled, with its lines for the type. */
export interface PamProfile {
  readonly name: string
  readonly lines: readonly ProfileLine[]
}

/** What a fix does: a profile or features that are enabled, and configuration files of modules that get another text. */
export interface PamAction {
  readonly profile?: string
  readonly features?: readonly string[]
  readonly files: readonly { readonly path: string; readonly before: string; readonly text: string }[]
}
