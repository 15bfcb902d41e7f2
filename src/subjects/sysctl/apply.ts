import { dirname } from 'node:path'
import type { ApplyOutcome } from '../../model/decision.ts'
import type { Remediator } from '../../host/remediator.ts'
import type { SysctlAction } from './decide.ts'
import { SYSCTL } from './subject.ts'

const READABLE = { uid: 0, gid: 0, mode: 0o644 } as const

/** Writes our file, and then the parameters as they are now, one after another up to the first that fails. */
export async function applySysctl(
  remediator: Pick<Remediator, 'createDirectory' | 'writeFile' | 'open'>,
  _wanted: unknown,
  { store, set }: SysctlAction,
): Promise<ApplyOutcome> {
  if (store !== undefined) {
    const directory = await remediator.createDirectory(dirname(store.file), { defaultMode: 0o755 })
    if (directory.kind === 'failed') return directory
    const written = await remediator.writeFile(store.file, { kind: 'bytes', bytes: Buffer.from(store.text) }, READABLE)
    if (written.kind === 'failed') return written
  }
  for (const { path, value } of set) {
    const outcome = await remediator.open(SYSCTL).set(path, value)
    if (outcome.kind === 'failed') return outcome
  }
  return { kind: 'done' }
}
