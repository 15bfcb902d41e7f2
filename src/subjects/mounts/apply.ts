import { MOUNTS } from './subject.ts'
import { dirname } from 'node:path'
import type { ApplyOutcome } from '../../model/decision.ts'
import type { Remediator } from '../../host/remediator.ts'
import type { MountAction } from './decide.ts'

type Writer = Pick<Remediator, 'createDirectory' | 'writeFile' | 'open'>

/** Writes the stored options, reloads systemd, then remounts. A new fstab is verified before it is installed. */
export async function applyMount(
  remediator: Writer,
  _wanted: unknown,
  { store, remount }: MountAction,
  { signal }: { readonly signal: AbortSignal },
): Promise<ApplyOutcome> {
  const mounts = remediator.open(MOUNTS)
  if (store !== undefined) {
    const { file, text, before, attributes } = store
    const ready =
      before === undefined
        ? await remediator.createDirectory(dirname(file), { defaultMode: 0o755 })
        : await mounts.checkFstab(before, text, signal)
    if (ready.kind === 'failed') return ready
    const written = await remediator.writeFile(file, { kind: 'bytes', bytes: Buffer.from(text) }, attributes)
    if (written.kind === 'failed') return written
    const reloaded = await mounts.reload(signal)
    if (reloaded.kind === 'failed') return reloaded
  }
  return remount === undefined ? { kind: 'done' } : mounts.remount(remount, signal)
}
