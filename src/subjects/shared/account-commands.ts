import type { ApplyOutcome } from '../../model/decision.ts'
import type { AccountCommand } from '../accounts/accounts.ts'
import type { Remediator } from '../../host/remediator.ts'
import { ACCOUNTS } from '../accounts/subject.ts'

/** What a fix of an account or group does: programs of shadow, one after another. */
export interface AccountAction {
  readonly commands: readonly AccountCommand[]
  /** What it may cut off. */
  readonly risk?: string
}

/** Runs what was decided, up to the first that fails. */
export function applyAccountCommands(
  remediator: Pick<Remediator, 'open'>,
  _wanted: unknown,
  { commands }: AccountAction,
  { signal }: { readonly signal: AbortSignal },
): Promise<ApplyOutcome> {
  return remediator.open(ACCOUNTS).change(commands, signal)
}

/** Why what stands elsewhere than in the files of /etc is not changed. */
export function notInFiles(what: string, place: string): string {
  return `${place} is no line of /etc/${what}, which is all that the tools of shadow change`
}
