import { basename, dirname, join } from 'node:path'
import type { ApplyOutcome } from '../../model/decision.ts'
import type { DefaultAttributes, FileAttributes, FileContent, Remediator } from '../../host/remediator.ts'

/** A file that has to be right before it takes the place of the old one. */
export interface CheckedFile {
  readonly file: string
  readonly content: FileContent
  readonly attributes: FileAttributes | DefaultAttributes
  /** Whether an old one is written where it lies. */
  readonly inPlace?: boolean
  /** Has a program read the candidate that lies at the path; absent where none can. */
  readonly check?: (candidate: string) => Promise<ApplyOutcome>
}

/**
 * Writes a file. Where there is a check, the content lies beside it first, is checked there and taken away again; what is refused
 * leaves the old file as it is.
 */
export async function writeChecked(
  remediator: Pick<Remediator, 'writeFile' | 'remove' | 'runsNothing'>,
  { file, content, attributes, inPlace = false, check }: CheckedFile,
): Promise<ApplyOutcome> {
  if (check !== undefined && remediator.runsNothing !== undefined) {
    return {
      kind: 'failed',
      message: `${file} is not written, because it cannot be checked: ${remediator.runsNothing}`,
    }
  }
  if (check !== undefined) {
    // No program reads a name that starts with a dot and does not end as its own files do.
    const candidate = join(dirname(file), `.${basename(file)}.driftgate-candidate`)
    const staged = await remediator.writeFile(candidate, content, attributes)
    const checked = staged.kind === 'failed' ? staged : await check(candidate)
    const removed = await remediator.remove(candidate, { recursive: false })
    if (checked.kind === 'failed') return { ...checked, message: `${file} was not written: ${checked.message}` }
    if (removed.kind === 'failed') return removed
  }
  return remediator.writeFile(file, content, attributes, { inPlace })
}

/** A text as what a file is filled with. */
export function contentOfText(text: string): FileContent {
  return { kind: 'bytes', bytes: Buffer.from(text) }
}
