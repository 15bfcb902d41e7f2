import { join } from 'node:path'
import type { ApplyOutcome } from '../../core/decision.ts'
import { countOf } from '../../core/count-of.ts'
import type { ResourceContext } from '../../resource-type/define.ts'
import type { Remediator } from '../../target/remediator.ts'
import type { FilesAction, FilesWanted } from './decide.ts'
import { entryRules } from './entry-rules.ts'

/** How many failures are told. */
const MOST_TOLD = 10

/** Sets the attributes of each path, by what it has now; one that fails does not keep the others from it. */
export async function applyFiles(
  remediator: Pick<Remediator, 'adjustAttributes'>,
  wanted: FilesWanted,
  { changes, accounts }: FilesAction,
  { signal }: Pick<ResourceContext, 'signal'>,
): Promise<ApplyOutcome> {
  const { concerns, settle } = entryRules(wanted, accounts)
  const failures: string[] = []
  for (const { path } of changes) {
    if (signal.aborted) return { kind: 'failed', message: 'it was interrupted' }
    const outcome = await remediator.adjustAttributes(join(wanted.name, path), (attributes) =>
      concerns(attributes) ? settle(attributes) : undefined,
    )
    if (outcome.kind === 'failed') failures.push(outcome.message)
  }
  if (failures.length === 0) return { kind: 'done' }
  const others = failures.length - MOST_TOLD
  const told = failures.slice(0, MOST_TOLD).join('; ')
  return { kind: 'failed', message: others > 0 ? `${told}; and ${countOf(others, 'other path')}` : told }
}
