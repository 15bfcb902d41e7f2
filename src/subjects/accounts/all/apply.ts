import type { ApplyOutcome } from '../../../model/decision.ts'
import type { Remediator } from '../../../host/remediator.ts'
import type { AccountsAction } from './wanted.ts'
import { narrowedTo } from '../../shared/lists.ts'
import { ACCOUNTS } from '../subject.ts'

/** Does what was decided, one account after another, up to the first that fails. What has changed meanwhile stays as it is. */
export async function applyAccounts(
  remediator: Pick<Remediator, 'open' | 'adjustAttributes' | 'setAccess'>,
  _wanted: unknown,
  { commands, attributes }: AccountsAction,
  { signal }: { readonly signal: AbortSignal },
): Promise<ApplyOutcome> {
  const changed = await remediator.open(ACCOUNTS).change(commands, signal)
  if (changed.kind === 'failed') return changed
  for (const { path, kind, seenMode, uid, gid, mode, acl } of attributes) {
    const outcome = await remediator.adjustAttributes(path, (now) =>
      now.kind === kind && now.mode === seenMode ? { uid, gid, mode, exact: true } : undefined,
    )
    if (outcome.kind === 'failed') return outcome
    if (acl === undefined) continue
    const listed = await remediator.setAccess(path, { acl: narrowedTo(mode, acl) })
    if (listed.kind === 'failed') return listed
  }
  return { kind: 'done' }
}
