import type { ApplyOutcome } from '../../../model/decision.ts'
import type { Target } from '../../../host/target.ts'
import { moduleName, PAM_TYPES, type PamType } from './stack.ts'
import { nextToken, tokensOf } from './tokens.ts'

/** Where packages and people put the profiles that pam-auth-update(8) makes the shared stacks of. */
export const PROFILE_DIRECTORY = '/usr/share/pam-configs'

/** Where pam-auth-update(8) notes what it has made, in a file for each type. */
export const PROFILE_RECORDS = '/var/lib/pam'

/** A module that a profile puts into a stack. */
export interface ProfileLine {
  readonly type: PamType
  readonly module: string
  readonly arguments: readonly string[]
}

/** The lines of a profile: those below `Auth:` and the other names of types, where the module is not the first of its kind. */
export function parseProfile(text: string): readonly ProfileLine[] {
  const lines: ProfileLine[] = []
  let type: PamType | undefined
  for (const line of text.split('\n')) {
    const field = /^([\w-]+):/.exec(line)?.[1]?.toLowerCase()
    if (field !== undefined) type = PAM_TYPES.find((each) => each === field)
    const control = nextToken(line)
    const module = nextToken(control?.rest ?? '')
    if (field !== undefined || type === undefined || module === undefined) continue
    lines.push({ type, module: moduleName(module.word), arguments: tokensOf(module.rest) })
  }
  return lines
}

/** The names of profiles that a record says are enabled for its type. */
export function enabledProfiles(record: string): readonly string[] {
  return [...record.matchAll(/^Module: (.+)$/gm)].map(([, name = '']) => name)
}

/** A machine as it would be: what of it is asked about PAM. */
export type PamView = Pick<Target, 'stat' | 'probe'>

/** What a fix may do to shared stacks. */
export interface PamProfileControl {
  /**
   * Enables a profile with pam-auth-update(8). What would result is made aside first and shown to `objection`: if that says what is
   * wrong with it, nothing is changed.
   */
  enable(profile: string, objection: (view: PamView) => string | undefined, signal: AbortSignal): Promise<ApplyOutcome>
  /**
   * Enables features of the profile that authselect(8) has selected. What would result is shown to `objection` before anything is
   * changed, and the stacks that were made afterwards: if that says what is wrong with those, the features are disabled again.
   */
  enableFeatures(
    features: readonly string[],
    objection: (view: PamView) => string | undefined,
    signal: AbortSignal,
  ): Promise<ApplyOutcome>
}
