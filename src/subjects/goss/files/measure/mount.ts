import { known, type Reading, unknown } from '../../../../model/observation.ts'
import type { FilesystemUsage } from '../../../../host/probe.ts'
import type { Measured } from '../resource.ts'
import type { Attributes, MeasureContext } from './measure-type.ts'
import { MOUNTS } from '../../../mounts/subject.ts'

/** Measures the topmost mount at a path. */
export async function measureMount({ request: { id }, target, signal }: MeasureContext): Promise<Reading<Attributes>> {
  const hanging = await target.files.findHanging?.(() => [id], signal)
  if (hanging !== undefined) return hanging
  const real = target.files.realPath(id)
  if (real.kind === 'unknown') return real
  const now = target.open(MOUNTS).now(real.value ?? id)
  if (now.kind === 'unknown') return now
  const mounted = now.value
  if (mounted.kind === 'nothing') return known({ exists: () => known(false) })
  if (mounted.kind === 'automount') {
    return unknown('not-observable', `${id}: an automount that is not mounted yet`)
  }
  return known({
    exists: () => known(true),
    opts: () => known([...new Set(mounted.written.mount)]),
    'vfs-opts': () => known(mounted.written.fileSystem),
    source: () => known(mounted.source),
    filesystem: () => known(mounted.fstype),
    usage: () => usedPercent(id, target.probe.filesystemUsage(id)),
  })
}

/** Rounded percentage of all blocks: blocks reserved for root count as free. */
function usedPercent(path: string, usage: Reading<FilesystemUsage>): Measured {
  if (usage.kind === 'unknown') return usage
  const { freeBytes, totalBytes } = usage.value
  if (totalBytes === 0n) return unknown('not-observable', `${path}: its file system has no blocks`)
  return known(Math.round((1 - Number(freeBytes) / Number(totalBytes)) * 100))
}
