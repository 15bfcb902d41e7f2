import { join } from 'node:path'
import type { ApplyOutcome } from '../../model/decision.ts'
import type { DefaultAttributes, Remediator } from '../../host/remediator.ts'
import type { ResourceContext } from '../../resource-type/define.ts'
import { COMMANDS_FORBIDDEN } from '../shared/policy-command.ts'
import { parentOf } from './inspect.ts'
import { postCommands, postFailure } from './post.ts'
import type { PlannedFile, ScaffoldAction, ScaffoldDesired } from './state.ts'

const NEW_FILE: DefaultAttributes = { defaultMode: 0o644 }
const NEW_DIRECTORY: DefaultAttributes = { defaultMode: 0o755 }

const DONE: ApplyOutcome = { kind: 'done' }

/** Runs a planned action. Stops at the first failure, but a removal continues with the other files. */
export async function applyScaffold(
  remediator: Remediator,
  desired: ScaffoldDesired,
  action: ScaffoldAction,
  context: ResourceContext,
): Promise<ApplyOutcome> {
  switch (action.kind) {
    case 'render':
      return render({ remediator, desired, context }, action)
    case 'remove':
      return removeFiles(remediator, desired.name, action.files)
    case 'remove-link':
      return remediator.remove(desired.name, { recursive: false })
    case 'impossible':
      return { kind: 'failed', message: action.message }
  }
}

interface Work {
  readonly remediator: Remediator
  readonly desired: ScaffoldDesired
  readonly context: ResourceContext
}

async function render(work: Work, action: Extract<ScaffoldAction, { kind: 'render' }>): Promise<ApplyOutcome> {
  const { remediator, desired, context } = work
  const { name } = desired
  const steps = [
    ...[name, ...action.directories.map((path) => join(name, path))].map(
      (path) => () => remediator.createDirectory(path, NEW_DIRECTORY),
    ),
    ...action.files.map((file) => () => writeAndProcess(work, file)),
    ...action.purge.map((path) => () => remediator.remove(join(name, path), { recursive: false })),
  ]
  for (const step of steps) {
    if (context.signal.aborted) return { kind: 'failed', message: 'the run was interrupted' }
    const outcome = await step()
    if (outcome.kind === 'failed') return outcome
  }
  return DONE
}

async function writeAndProcess(work: Work, file: PlannedFile): Promise<ApplyOutcome> {
  const { remediator, desired, context } = work
  const path = join(desired.name, file.path)
  const commands = postCommands(desired, file.path, context.signal)
  if (commands.length > 0 && context.commandsForbidden === true) {
    return { kind: 'failed', message: `${path} is not written: ${COMMANDS_FORBIDDEN}` }
  }
  const written = await remediator.writeFile(path, bytesOf(file.bytes), file.attributes ?? NEW_FILE)
  if (written.kind === 'failed') return written
  for (const command of commands) {
    const failure = postFailure(command, await remediator.run({ ...command, undo: { kind: 'files', paths: [path] } }))
    if (failure === undefined) continue
    const undone = await takeBack(remediator, path, file)
    return { kind: 'failed', message: `failed to post process ${path}: ${failure}${undone}` }
  }
  return DONE
}

/** Removes or restores a file whose post command failed: it would look compliant on the next run. */
async function takeBack(remediator: Remediator, path: string, { attributes, previous }: PlannedFile): Promise<string> {
  if (attributes !== undefined && previous === undefined) return '; the new content stays'
  const outcome =
    attributes === undefined || previous === undefined
      ? await remediator.remove(path, { recursive: false })
      : await remediator.writeFile(path, bytesOf(previous), attributes)
  return outcome.kind === 'failed' ? `; ${outcome.message}` : ''
}

function bytesOf(bytes: Uint8Array): { readonly kind: 'bytes'; readonly bytes: Uint8Array } {
  return { kind: 'bytes', bytes }
}

/**
 * Removes files, then their empty directories, deepest first, then the target if it is empty. Directories with other files stay
 * and are no failure.
 */
async function removeFiles(remediator: Remediator, name: string, files: readonly string[]): Promise<ApplyOutcome> {
  const problems: string[] = []
  for (const path of files) {
    const outcome = await remediator.remove(join(name, path), { recursive: false })
    if (outcome.kind === 'failed') problems.push(outcome.message)
  }
  for (const path of directoriesOf(files)) await remediator.removeEmptyDirectory(join(name, path))
  await remediator.removeEmptyDirectory(name)
  return problems.length === 0 ? DONE : { kind: 'failed', message: problems.join('; ') }
}

/** All directories between the files and the target, deepest first. */
function directoriesOf(files: readonly string[]): readonly string[] {
  const directories = new Set<string>()
  for (const file of files) {
    for (let path = parentOf(file); path !== '' && !directories.has(path); path = parentOf(path)) directories.add(path)
  }
  // A directory sorts before what it contains.
  return [...directories].toSorted().toReversed()
}
