import type { ApplyOutcome } from '../../model/decision.ts'
import type { AccountCommand } from './accounts.ts'
import type { Remediator } from '../../host/remediator.ts'
import { ACCOUNTS } from './subject.ts'

/** Fix of an account or group: shadow-utils commands, run in order. */
export interface AccountAction {
  readonly commands: readonly AccountCommand[]
  /** Access that the fix may cut off. */
  readonly risk?: string
}

/** Runs the commands until one fails. */
export function applyAccountCommands(
  remediator: Pick<Remediator, 'open'>,
  _wanted: unknown,
  { commands }: AccountAction,
  { signal }: { readonly signal: AbortSignal },
): Promise<ApplyOutcome> {
  return remediator.open(ACCOUNTS).change(commands, signal)
}

/** Obstacle for accounts that are not in the files of /etc, such as those of LDAP. */
export function notInFiles(what: string, place: string): string {
  return `${place} is not in /etc/${what}, the only file that the shadow tools change`
}
