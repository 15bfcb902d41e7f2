import { join } from 'node:path'
import type { ApplyOutcome } from '../../../model/decision.ts'
import { defined } from '../../../model/defined.ts'
import { countOf } from '../../../model/count-of.ts'
import type { ResourceContext } from '../../../resource-type/define.ts'
import type { Remediator } from '../../../host/remediator.ts'
import type { FilesAction, FilesDesired } from './decide.ts'
import { entryRules } from './entry-rules.ts'

/** How many failures are told. */
const MOST_TOLD = 10

/** Sets the attributes of each path, by what it has now; one that fails does not keep the others from it. */
export async function applyFiles(
  remediator: Pick<Remediator, 'adjustAttributes' | 'setAccess'>,
  wanted: FilesDesired,
  { changes, accounts }: FilesAction,
  { signal }: Pick<ResourceContext, 'signal'>,
): Promise<ApplyOutcome> {
  const { concerns, settle } = entryRules(wanted, accounts)
  const failures: string[] = []
  for (const { path, capabilities, acl } of changes) {
    if (signal.aborted) return { kind: 'failed', message: 'interrupted' }
    const at = join(wanted.name, path)
    // What takes the last name off a list changes the bits of the group, so the mode comes after it.
    if (acl !== undefined || capabilities !== undefined) {
      const access = { ...defined({ acl }), ...(capabilities === undefined ? {} : { capabilities: null }) }
      const taken = await remediator.setAccess(at, access)
      if (taken.kind === 'failed') failures.push(taken.message)
    }
    const outcome = await remediator.adjustAttributes(at, (attributes) =>
      concerns(attributes) ? settle(attributes) : undefined,
    )
    if (outcome.kind === 'failed') failures.push(outcome.message)
  }
  if (failures.length === 0) return { kind: 'done' }
  const others = failures.length - MOST_TOLD
  const told = failures.slice(0, MOST_TOLD).join('; ')
  return { kind: 'failed', message: others > 0 ? `${told}; and ${countOf(others, 'other path')}` : told }
}
