import { resolve } from 'node:path'
import type { ApplyOutcome } from '../../core/decision.ts'
import { isSet } from '../../core/property.ts'
import type { ResourceContext } from '../../resource-type/define.ts'
import type { FileContent, Remediator } from '../../target/remediator.ts'
import type { FileAction, FileWanted } from './model.ts'

/** Does what was decided; the sources of content are relative to the policy. */
export async function applyFile(
  remediator: Remediator,
  desired: FileWanted,
  action: FileAction,
  context: ResourceContext,
): Promise<ApplyOutcome> {
  if (!('isImmutable' in action)) return change(remediator, desired, action, context)
  const freed = await remediator.setAccess(desired.name, { immutable: false })
  if (freed.kind === 'failed') return freed
  const outcome = await change(remediator, desired, action, context)
  // What could not be changed stays protected as it was.
  if (outcome.kind === 'failed') await remediator.setAccess(desired.name, { immutable: true })
  return outcome
}

async function change(
  remediator: Remediator,
  desired: FileWanted,
  action: FileAction,
  context: ResourceContext,
): Promise<ApplyOutcome> {
  const outcome = await perform(remediator, desired, action, context)
  if (outcome.kind === 'failed' || !('access' in action) || action.access === undefined) return outcome
  return remediator.setAccess(desired.name, action.access)
}

async function perform(
  remediator: Remediator,
  desired: FileWanted,
  action: FileAction,
  context: ResourceContext,
): Promise<ApplyOutcome> {
  switch (action.kind) {
    case 'store':
      return remediator.writeFile(desired.name, contentOf(desired, action.text, context), action.attributes)
    case 'set-attributes':
      return remediator.setAttributes(desired.name, action.attributes)
    case 'create-directory':
      return remediator.createDirectory(desired.name, action.attributes)
    case 'remove':
      return remediator.remove(desired.name, { recursive: action.recursive })
    case 'impossible':
      return { kind: 'failed', message: action.message }
  }
}

function contentOf(
  { content, source }: FileWanted,
  text: string | undefined,
  { workingDirectory }: ResourceContext,
): FileContent {
  if (isSet(source)) return { kind: 'copy', source: resolve(workingDirectory, source) }
  return { kind: 'bytes', bytes: Buffer.from(text ?? (typeof content === 'string' ? content : '')) }
}
