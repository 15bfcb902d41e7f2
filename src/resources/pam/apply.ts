import { dirname } from 'node:path'
import type { ApplyOutcome } from '../../core/decision.ts'
import type { Remediator } from '../../target/remediator.ts'
import type { PamAction } from './decide.ts'

const READABLE = { uid: 0, gid: 0, mode: 0o644 } as const

/** Writes the configuration files of modules, one after another up to the first that fails. */
export async function applyPam(
  remediator: Pick<Remediator, 'createDirectory' | 'writeFile'>,
  _wanted: unknown,
  { files }: PamAction,
): Promise<ApplyOutcome> {
  for (const { path, text } of files) {
    const directory = await remediator.createDirectory(dirname(path), { defaultMode: 0o755 })
    if (directory.kind === 'failed') return directory
    const written = await remediator.writeFile(path, { kind: 'bytes', bytes: Buffer.from(text) }, READABLE)
    if (written.kind === 'failed') return written
  }
  return { kind: 'done' }
}
