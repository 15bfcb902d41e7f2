import type { ApplyOutcome } from '../../../model/decision.ts'
import type { Remediator } from '../../../host/remediator.ts'
import type { AccountsAction } from './wanted.ts'
import { ACCOUNTS } from '../subject.ts'

/** Does what was decided, one account after another, up to the first that fails. What has changed meanwhile stays as it is. */
export async function applyAccounts(
  remediator: Pick<Remediator, 'open' | 'adjustAttributes'>,
  _wanted: unknown,
  { commands, attributes }: AccountsAction,
  { signal }: { readonly signal: AbortSignal },
): Promise<ApplyOutcome> {
  const changed = await remediator.open(ACCOUNTS).change(commands, signal)
  if (changed.kind === 'failed') return changed
  for (const { path, kind, seenMode, uid, gid, mode } of attributes) {
    const outcome = await remediator.adjustAttributes(path, (now) =>
      now.kind === kind && now.mode === seenMode ? { uid, gid, mode, exact: true } : undefined,
    )
    if (outcome.kind === 'failed') return outcome
  }
  return { kind: 'done' }
}
