import type { Obstacle } from '../../model/decision.ts'
import { cannot } from '../../model/differences.ts'
import { shadowedBy } from '../../model/notes.ts'
import type { Observation } from '../../model/observation.ts'
import { withEntry, withOptions } from './fstab.ts'
import { resolveOptions, rewriteOptions } from '../../host/mount-options.ts'
import type { StoredMount } from './mounts.ts'
import type { FileAttributes } from '../../host/remediator.ts'
import type { FileStat } from '../../host/target.ts'

export interface StoreAction {
  readonly file: string
  readonly text: string
  readonly attributes: FileAttributes
  /** The previous text of fstab; absent for the drop-in of driftgate. */
  readonly before?: string
}

interface ToStore {
  readonly path: string
  readonly stored: Extract<StoredMount, { kind: 'stored' }>
  readonly fstab: Observation<FileStat>
}

const FSTAB = '/etc/fstab'

const READABLE: FileAttributes = { uid: 0, gid: 0, mode: 0o644 }

/** The file that stores these options, or the obstacle. */
export function makeStore({ path, stored, fstab }: ToStore, wanted: readonly string[]): StoreAction | Obstacle {
  const { place, origin } = stored
  const options = rewriteOptions(stored.options, wanted)
  const left = resolveOptions(options).filter((word) => !wanted.includes(word))
  if (left.length > 0) return cannot(`no other option reverts ${left.join(', ')}`)
  if (place.kind === 'drop-in') {
    const { file, overruledBy } = place
    if (overruledBy !== undefined) {
      return cannot(`${shadowedBy(overruledBy)}, which is read after ${file}: remove that line`)
    }
    return { file, text: `${HEAD}[Mount]\nOptions=${options.replaceAll('%', '%%')}\n`, attributes: READABLE }
  }
  if (origin !== undefined && origin.file !== FSTAB) return cannot(`a fix cannot write ${origin.file}`)
  if (fstab.kind === 'unknown') return cannot(fstab.detail)
  if (fstab.kind === 'present' && fstab.state.kind !== 'file') return cannot(`${FSTAB} is a ${fstab.state.kind}`)
  const { text: before } = place
  const text =
    place.kind === 'fstab-line'
      ? withOptions(before, place.line, options)
      : withEntry(before, { source: place.fstype, point: path, fstype: place.fstype, options })
  const { uid, gid, mode } = fstab.kind === 'present' ? fstab.state : READABLE
  return { file: FSTAB, text, attributes: { uid, gid, mode }, before }
}

const HEAD = '# Written by driftgate. A fix writes it again.\n'
