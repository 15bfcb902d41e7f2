import { known, type Reading, unknown } from '../../../model/observation.ts'
import { findMount, isOwnFileSystem, type MountEntry, parseMountinfo } from '../../../host/mount-table.ts'
import type { MountedNow, Mounts } from '../mounts.ts'
import { nameFromBytes, systemPath } from '../../../host/live/file-name.ts'
import { readWhole } from '../../../host/live/read-whole.ts'
import { unreadable } from '../../../host/live/system-error.ts'
import { type MountPlace, mountPlace } from './place.ts'
import { openStoredMounts } from './stored.ts'

const MOUNTINFO = '/proc/self/mountinfo'

const MAX_BYTES = 64 * 1024 * 1024

/** Opens the mounts of a machine. Nothing is read before the first query. */
export function openMounts(place: MountPlace = mountPlace()): Mounts {
  let table: Reading<readonly MountEntry[]> | undefined
  let stored = openStoredMounts(place)
  return {
    now(path) {
      table ??= readTable(place)
      return table.kind === 'unknown' ? table : known(look(table.value, path))
    },
    stored: (path) => stored.find(path),
    forget() {
      table = undefined
      stored = openStoredMounts(place)
    },
  }
}

function readTable({ root }: MountPlace): Reading<readonly MountEntry[]> {
  try {
    const table = parseMountinfo(readWhole(root + MOUNTINFO, MAX_BYTES).toString('latin1'))
    return table === undefined ? unknown('invalid', `${MOUNTINFO} is not a list of mounts`) : known(table)
  } catch (error) {
    // Every Linux has the file, so its absence means that /proc is hidden.
    return unreadable(error, MOUNTINFO)
  }
}

/** The table has one character for each byte. */
function look(table: readonly MountEntry[], path: string): MountedNow {
  const position = findMount(table, Buffer.from(systemPath(path)).toString('latin1'))
  const { top, below } = position
  const within = textOf(below?.point ?? '/')
  if (top === undefined) return { kind: 'nothing', within }
  if (top.fstype === 'autofs') return { kind: 'automount' }
  return {
    kind: 'mounted',
    options: top.options.map(textOf),
    own: top.own,
    written: { mount: top.written.mount.map(textOf), fileSystem: top.written.fileSystem.map(textOf) },
    source: textOf(top.source),
    fstype: top.fstype,
    isOwnFileSystem: isOwnFileSystem(position),
    within,
  }
}

function textOf(bytes: string): string {
  return nameFromBytes(Buffer.from(bytes, 'latin1'))
}
