import { splitOptions, tellingOptions } from './mount-options.ts'
import { unescapeOctal } from './octal-escapes.ts'

/** Options as the kernel writes them, including defaults such as `rw`. */
export interface WrittenOptions {
  readonly mount: readonly string[]
  readonly fileSystem: readonly string[]
}

/** One mount of a mountinfo file. Texts have one character per byte. */
export interface MountEntry {
  readonly id: string
  readonly parent: string
  /** `major:minor` of the file system. */
  readonly device: string
  readonly point: string
  readonly own: readonly string[]
  /** Options of the mount and its file system. */
  readonly options: readonly string[]
  readonly written: WrittenOptions
  readonly fstype: string
  readonly source: string
}

/** Parses a mountinfo file; undefined if invalid. @see proc_pid_mountinfo(5) */
export function parseMountinfo(text: string): readonly MountEntry[] | undefined {
  const entries = text.split('\n').flatMap((line) => (line === '' ? [] : [parseLine(line)]))
  const whole = entries.filter((entry) => entry !== undefined)
  return whole.length === 0 || whole.length < entries.length ? undefined : whole
}

function parseLine(line: string): MountEntry | undefined {
  const fields = line.split(' ')
  const separator = fields.indexOf('-', 6)
  const [id, parent, device, , point, own] = fields
  const [fstype, source, fileSystem = ''] = fields.slice(separator + 1)
  if (separator === -1 || id === undefined || parent === undefined || device === undefined) return undefined
  if (point === undefined || own === undefined || fstype === undefined || source === undefined) return undefined
  const mount = unescapeOctal(own)
  const ofFileSystem = unescapeOctal(fileSystem)
  return {
    id,
    parent,
    device,
    point: unescapeOctal(point),
    own: tellingOptions(mount),
    options: tellingOptions(`${mount},${ofFileSystem}`),
    written: { mount: splitOptions(mount), fileSystem: splitOptions(ofFileSystem) },
    fstype: unescapeOctal(fstype),
    source: unescapeOctal(source),
  }
}

/** The position of a path in the mount table: the visible mount at the path, and the mount that contains its directory. */
export interface MountPosition {
  /** Undefined if the path is not a mount point. */
  readonly top: MountEntry | undefined
  readonly below: MountEntry | undefined
}

/**
 * Descends a path without links as the kernel does: at each directory into the mount on it, and into mounts stacked on
 * that. Hidden mounts are in the table, but unreachable.
 */
export function findMount(table: readonly MountEntry[], path: string): MountPosition {
  const ids = new Set(table.map(({ id }) => id))
  const passed = new Set<MountEntry>()
  const isNext = (entry: MountEntry, parent: MountEntry | undefined): boolean =>
    !passed.has(entry) && (parent === undefined ? !ids.has(entry.parent) : entry.parent === parent.id)
  let below: MountEntry | undefined
  let current: MountEntry | undefined
  for (const directory of ancestorPaths(path)) {
    below = current
    for (;;) {
      const entry = table.findLast((each) => each.point === directory && isNext(each, current))
      if (entry === undefined) break
      passed.add(entry)
      current = entry
    }
  }
  return current?.point === path ? { top: current, below } : { top: undefined, below: current }
}

function ancestorPaths(path: string): readonly string[] {
  const parts = path.split('/').filter((part) => part !== '')
  return ['/', ...parts.map((_, index) => `/${parts.slice(0, index + 1).join('/')}`)]
}

/**
 * Whether a mount is a separate file system rather than a bind mount of the one that contains it; a btrfs subvolume is
 * separate.
 */
export function isOwnFileSystem({ top, below }: MountPosition): boolean {
  if (top === undefined) return false
  if (below === undefined || top.device !== below.device) return true
  const [volume, other] = [subvolume(top), subvolume(below)]
  return volume !== undefined && volume !== other
}

function subvolume({ options }: MountEntry): string | undefined {
  return options.find((word) => word.startsWith('subvolid='))
}
