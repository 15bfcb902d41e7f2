import { basename, dirname, join } from 'node:path'
import type { ApplyOutcome } from '../../model/decision.ts'
import type { DefaultAttributes, FileAttributes, FileContent, Remediator } from '../../host/remediator.ts'

/** File that is validated before it replaces the old one. */
export interface CheckedFile {
  readonly file: string
  readonly content: FileContent
  readonly attributes: FileAttributes | DefaultAttributes
  /** Whether an existing file is overwritten in place. */
  readonly inPlace?: boolean
  /** Validates the candidate file with a program; absent if no program can. */
  readonly check?: (candidate: string) => Promise<ApplyOutcome>
}

/**
 * Writes a file. With a check, the content is first written to a candidate file next to it, which is checked and removed; if it
 * is rejected, the old file stays.
 */
export async function writeChecked(
  remediator: Pick<Remediator, 'writeFile' | 'remove' | 'runsNothing'>,
  { file, content, attributes, inPlace = false, check }: CheckedFile,
): Promise<ApplyOutcome> {
  if (check !== undefined && remediator.runsNothing !== undefined) {
    return {
      kind: 'failed',
      message: `${file} was not written, because it cannot be validated: ${remediator.runsNothing}`,
    }
  }
  if (check !== undefined) {
    // No program reads a hidden file without its own extension.
    const candidate = join(dirname(file), `.${basename(file)}.driftgate-candidate`)
    const staged = await remediator.writeFile(candidate, content, attributes)
    const checked = staged.kind === 'failed' ? staged : await check(candidate)
    const removed = await remediator.remove(candidate, { recursive: false })
    if (checked.kind === 'failed') return { ...checked, message: `${file} was not written: ${checked.message}` }
    if (removed.kind === 'failed') return removed
  }
  return remediator.writeFile(file, content, attributes, { inPlace })
}

export function contentOfText(text: string): FileContent {
  return { kind: 'bytes', bytes: Buffer.from(text) }
}
