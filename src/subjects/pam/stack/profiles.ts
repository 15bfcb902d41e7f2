import type { ApplyOutcome } from '../../../model/decision.ts'
import type { HasFiles, Target } from '../../../host/target.ts'
import { moduleName, PAM_TYPES, type PamType } from './stack.ts'
import { nextToken, tokensOf } from './tokens.ts'

/** The directory of profiles from which pam-auth-update(8) generates the shared stacks. */
export const PROFILE_DIRECTORY = '/usr/share/pam-configs'

/** The directory in which pam-auth-update(8) records the generated stacks, one file for each type. */
export const PROFILE_RECORDS = '/var/lib/pam'

export interface ProfileLine {
  readonly type: PamType
  readonly module: string
  readonly arguments: readonly string[]
}

/**
 * Parses the lines of a profile below `Auth:` and the other types. Skips `Auth-Initial:` and the like, which are for the
 * first module of a block.
 */
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

export function enabledProfiles(record: string): readonly string[] {
  return [...record.matchAll(/^Module: (.+)$/gm)].map(([, name = '']) => name)
}

/** The parts of a machine that PAM checks read, current or after a change. */
export type PamView = Pick<Target, 'probe'> & HasFiles<'stat'>

/** Changes shared stacks for a fix. */
export interface PamProfileControl {
  /**
   * Enables a profile with pam-auth-update(8). The result is generated in a separate root first and passed to `objection`;
   * if that returns an objection, nothing is changed.
   */
  enable(profile: string, objection: (view: PamView) => string | undefined, signal: AbortSignal): Promise<ApplyOutcome>
  /**
   * Enables features of the selected authselect(8) profile. The expected stacks are passed to `objection` before the
   * change and the generated stacks after it; on an objection to the latter, the features are disabled again.
   */
  enableFeatures(
    features: readonly string[],
    objection: (view: PamView) => string | undefined,
    signal: AbortSignal,
  ): Promise<ApplyOutcome>
}
