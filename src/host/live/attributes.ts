import { chmodSync, chownSync, lchownSync } from 'node:fs'
import { basename } from 'node:path'
import type { ApplyOutcome } from '../../model/decision.ts'
import type { EntryAttributes } from '../file-trees.ts'
import type { FileAttributes } from '../remediator.ts'
import { describeStats } from './file-stat.ts'
import { plantedLinkProblem } from './hard-links.ts'
import { flush } from './flush.ts'
import type { Place } from './place.ts'
import type { OpenRoot } from './site.ts'
import { type Held, whileHeld } from './while-held.ts'

const SPECIAL_BITS = 0o7000

/** Sets owner, group and mode of an existing regular file; refuses everything else, above all symbolic links. */
export function setAttributes(path: string, attributes: FileAttributes, root: OpenRoot): ApplyOutcome {
  return withPlace(path, root, ({ place }) => setOn(place, path, attributes))
}

/**
 * Sets the attributes that `settle` computes from the current ones, on the opened file, so that a file that replaces it
 * meanwhile is not affected. Of a symbolic link only owner and group are set.
 */
export function adjustAttributes(
  path: string,
  settle: (attributes: EntryAttributes) => FileAttributes | undefined,
  root: OpenRoot,
): ApplyOutcome {
  return withPlace(path, root, ({ place, holder }) => {
    const { kind, mode, uid, gid } = describeStats(place.stats)
    const attributes = settle({ kind, mode, uid, gid })
    if (attributes === undefined) return { kind: 'done' }
    if (kind === 'symlink') {
      // An entry of the opened directory cannot be redirected.
      lchownSync(holder.entry(basename(path)), attributes.uid, attributes.gid)
      return { kind: 'done' }
    }
    applyExactly(place, attributes)
    // Opening other file types may block or have side effects.
    if (kind === 'file' || kind === 'directory') flush(place)
    return { kind: 'done' }
  })
}

/** Opens a path for a change, unless another user may have planted the file. */
function withPlace(path: string, root: OpenRoot, change: (held: Held) => ApplyOutcome): ApplyOutcome {
  const attempt = `cannot set the attributes of ${path}`
  const unlessPlanted = (held: Held): ApplyOutcome => {
    const planted = plantedLinkProblem(held.place, held.holder)
    return planted === undefined ? change(held) : { kind: 'failed', message: `${attempt}: ${planted}` }
  }
  return whileHeld(path, attempt, unlessPlanted, root)
}

function setOn(place: Place, path: string, attributes: FileAttributes): ApplyOutcome {
  const { kind } = describeStats(place.stats)
  if (kind === 'symlink') {
    return { kind: 'failed', message: `${path} is a symlink; refusing to set attributes through it` }
  }
  if (kind !== 'file')
    return { kind: 'failed', message: `${path} is not a regular file; refusing to set its attributes` }
  applyExactly(place, attributes)
  flush(place)
  return { kind: 'done' }
}

/** Sets owner, group and exact mode, without inherited special bits. */
export function applyExactly(place: Place, attributes: FileAttributes): void {
  applyAttributes(place, attributes, 0)
}

/** Sets owner, group and mode of a directory. Keeps its set-id and sticky bits unless the mode specifies them. */
export function applyToDirectory(place: Place, attributes: FileAttributes): void {
  const hasOwn = attributes.exact === true || (attributes.mode & SPECIAL_BITS) !== 0
  applyAttributes(place, attributes, hasOwn ? 0 : place.stats.mode & SPECIAL_BITS)
}

function applyAttributes({ handle, stats }: Place, { uid, gid, mode }: FileAttributes, keptBits: number): void {
  // The owner first, because chown clears set-id bits; and only if it differs, because chown needs a privilege.
  const ownerDiffers = stats.uid !== uid || stats.gid !== gid
  if (ownerDiffers) chownSync(handle, uid, gid)
  const bits = mode | keptBits
  if (ownerDiffers || (stats.mode & 0o7777) !== bits) chmodSync(handle, bits)
}
