import type { Acceptance } from '../../model/acceptance.ts'
import type { Reading } from '../../model/observation.ts'
import type { PamSettings, DesiredArguments } from './arguments.ts'
import type { ProfileLine } from './stack/profiles.ts'
import type { PamStack, PamType } from './stack/stack.ts'

/** The desired state of a PAM module in a stack. */
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
  readonly except?: readonly string[] | undefined
}

/** The tool that manages the stacks of a host. */
export type StackTool = 'pam-auth-update' | 'authselect' | 'none'

export interface PamState {
  readonly stack: PamStack
  /** For each line of the module in the stack, in order; empty if the policy sets no arguments. */
  readonly settings: readonly Reading<PamSettings>[]
  readonly tool: StackTool
  /** Disabled profiles of pam-auth-update that could add a missing module. */
  readonly profiles: Reading<readonly PamProfile[]>
  /** The features of authselect(8) that would help, if queried. */
  readonly offer: FeatureOffer
  /** Why the service does not use PAM; undefined if it does. */
  readonly whyNoPam: Reading<string | undefined>
}

/** The features of authselect(8) for a resource that the current stacks do not satisfy. */
export type FeatureOffer =
  | { readonly kind: 'not-asked' }
  /** The features that satisfy the resource, with the edits of module files that it also needs. */
  | { readonly kind: 'enough'; readonly features: readonly string[]; readonly files: PamAction['files'] }
  | { readonly kind: 'refused'; readonly why: string }

/** A disabled profile of pam-auth-update, with its lines for the type. */
export interface PamProfile {
  readonly name: string
  readonly lines: readonly ProfileLine[]
}

/** A fix: a profile or features to enable, and configuration files of modules to write. */
export interface PamAction {
  readonly profile?: string
  readonly features?: readonly string[]
  readonly files: readonly { readonly path: string; readonly before: string; readonly text: string }[]
}
