import { dirname } from 'node:path'
import type { ApplyOutcome } from '../../../model/decision.ts'
import { linuxEntriesOf, parseGrubScript, variablesOf } from '../settings/grub-menu.ts'
import { occurrencesOf } from '../settings/command-line.ts'
import type { Remediator } from '../../../host/remediator.ts'
import type { BootAction, BootFile, BootMenu } from './plan.ts'
import { BOOT_MENUS } from '../subject.ts'

type Writer = Pick<Remediator, 'createDirectory' | 'writeFile' | 'remove' | 'open' | 'runsNothing'>

/** Writes the files and generates the menus. Restores the previous files if a menu is not as required. */
export async function applyBootArgument(
  remediator: Writer,
  _wanted: unknown,
  { writes, generate }: BootAction,
  { signal }: { readonly signal: AbortSignal },
): Promise<ApplyOutcome> {
  if (generate.length > 0 && remediator.runsNothing !== undefined) {
    return {
      kind: 'failed',
      message: `nothing was written, because the menu would have to be regenerated: ${remediator.runsNothing}`,
    }
  }
  const written: BootFile[] = []
  for (const each of writes) {
    const outcome = await write(remediator, each)
    if (outcome.kind === 'failed') return putBack(remediator, written, outcome)
    written.push(each)
  }
  for (const menu of generate) {
    const { program, file } = menu
    const outcome = await remediator.open(BOOT_MENUS).generate({ program, file, judge: judgeOf(menu) }, signal)
    if (outcome.kind === 'failed') return putBack(remediator, written, outcome)
  }
  return { kind: 'done' }
}

async function write(remediator: Writer, { file, text, attributes }: BootFile): Promise<ApplyOutcome> {
  const directory = await remediator.createDirectory(dirname(file), { defaultMode: 0o755 })
  if (directory.kind === 'failed') return directory
  return remediator.writeFile(file, { kind: 'bytes', bytes: Buffer.from(text) }, attributes)
}

async function putBack(
  remediator: Writer,
  written: readonly BootFile[],
  failure: Extract<ApplyOutcome, { kind: 'failed' }>,
): Promise<ApplyOutcome> {
  const problems: string[] = []
  for (const { file, before, attributes } of written) {
    const restored =
      before === null
        ? await remediator.remove(file, { recursive: false })
        : await remediator.writeFile(file, { kind: 'bytes', bytes: Buffer.from(before) }, attributes)
    if (restored.kind === 'failed') problems.push(restored.message)
  }
  if (written.length === 0) return failure
  const state = problems.length === 0 ? 'the written files are restored' : problems.join('; ')
  return { ...failure, message: `${failure.message}; ${state}` }
}

/** A menu with fewer entries, or with an entry without a root, might not boot. */
function judgeOf({ file, entryCount }: BootMenu): (text: string) => string | undefined {
  return (text) => {
    const script = parseGrubScript(text, file)
    if (script.kind === 'unknown') return script.detail
    const entries = linuxEntriesOf(script.value, variablesOf([script.value], new Map()))
    if (entries.length < entryCount) {
      return `the generated menu has ${entries.length} entries instead of ${entryCount}`
    }
    const rootless = entries.find(
      ({ commandLines, writtenBy }) =>
        writtenBy?.endsWith('_linux') === true &&
        (commandLines.kind === 'unknown' ||
          commandLines.value.some((line) => occurrencesOf('root', line).length === 0)),
    )
    return rootless === undefined ? undefined : `the generated menu has an entry without root=: ${rootless.title}`
  }
}
