import { resolve } from 'node:path'
import type { ApplyOutcome } from '../../../model/decision.ts'
import { isSet } from '../../../model/property.ts'
import { splitWords } from '../../../model/shell-split.ts'
import type { ResourceContext } from '../../../resource-type/define.ts'
import type { FileAttributes, FileContent, Remediator } from '../../../host/remediator.ts'
import { COMMANDS_FORBIDDEN } from '../../shared/policy-command.ts'
import { runChange } from '../../shared/run-change.ts'
import { writeChecked } from '../../shared/write-checked.ts'
import type { FileAction, FileDesired } from './model.ts'

/** Does what was decided; the sources of content are relative to the policy. */
export async function applyFile(
  remediator: Remediator,
  desired: FileDesired,
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
  desired: FileDesired,
  action: FileAction,
  context: ResourceContext,
): Promise<ApplyOutcome> {
  const outcome = await perform(remediator, desired, action, context)
  if (outcome.kind === 'failed' || !('access' in action) || action.access === undefined) return outcome
  return remediator.setAccess(desired.name, action.access)
}

async function perform(
  remediator: Remediator,
  desired: FileDesired,
  action: FileAction,
  context: ResourceContext,
): Promise<ApplyOutcome> {
  switch (action.kind) {
    case 'store':
      return store(remediator, desired, action, context)
    case 'set-attributes':
      return remediator.setAttributes(desired.name, action.attributes)
    case 'create-directory':
      return remediator.createDirectory(desired.name, {
        ...action.attributes,
        ...(desired.parents_mode !== undefined && { parentsMode: Number.parseInt(desired.parents_mode, 8) }),
      })
    case 'remove':
      return remediator.remove(desired.name, { recursive: action.recursive })
    case 'impossible':
      return { kind: 'failed', message: action.message }
  }
}

/** A content that has to be valid is read by the command of the policy before it takes the place of the old one. */
async function store(
  remediator: Remediator,
  desired: FileDesired,
  {
    text,
    attributes,
    inPlace = false,
  }: { readonly text?: string; readonly attributes: FileAttributes; readonly inPlace?: boolean },
  context: ResourceContext,
): Promise<ApplyOutcome> {
  const { name: file, validate } = desired
  const written = { file, content: contentOf(desired, text, context), attributes, inPlace }
  if (validate === undefined) return writeChecked(remediator, written)
  if (context.commandsForbidden === true) {
    return { kind: 'failed', message: `not written: ${file} cannot be validated: ${COMMANDS_FORBIDDEN}` }
  }
  return writeChecked(remediator, {
    ...written,
    check: (candidate) => runChange(remediator, wordsOf(validate, candidate), context.signal, { undo: 'nothing' }),
  })
}

function wordsOf(validate: string, candidate: string): readonly [string, ...string[]] {
  const split = splitWords(validate)
  const [program = '', ...args] = split.ok ? split.words : []
  return [program, ...args.map((word) => word.replaceAll('%s', () => candidate))]
}

function contentOf(
  { content, source }: FileDesired,
  text: string | undefined,
  { workingDirectory }: ResourceContext,
): FileContent {
  if (isSet(source)) return { kind: 'copy', source: resolve(workingDirectory, source) }
  return { kind: 'bytes', bytes: Buffer.from(text ?? (typeof content === 'string' ? content : '')) }
}
