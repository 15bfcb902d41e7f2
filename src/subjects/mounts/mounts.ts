import type { ApplyOutcome } from '../../model/decision.ts'
import type { Reading } from '../../model/observation.ts'
import type { WrittenOptions } from '../../host/mount-table.ts'

/** What is mounted at a path now: of several mounts at it, the one that can be seen. */
export type MountedNow =
  | {
      readonly kind: 'mounted'
      /** Those of the mount and of its file system together, as the kernel tells them. */
      readonly options: readonly string[]
      /** Those of the mount alone. */
      readonly own: readonly string[]
      readonly written: WrittenOptions
      readonly source: string
      readonly fstype: string
      /** Whether it is a file system of its own, and not a part of the one around it, as a bind mount may be. */
      readonly isOwnFileSystem: boolean
      /** Where the file system is mounted that is around it; `/` for the root. */
      readonly within: string
    }
  /** Something mounts it at the first look into it. */
  | { readonly kind: 'automount' }
  | { readonly kind: 'nothing'; readonly within: string }

/** A line of a file, counted from 1. */
export interface MountLine {
  readonly file: string
  readonly line: number
}

/** A line that says options, and does not count because of another one. */
export interface ShadowedOptions extends MountLine {
  readonly options: string
}

/** Where a fix says other options. */
export type OptionsPlace =
  /** In this line of fstab. `text` is all that is in the file. */
  | { readonly kind: 'fstab-line'; readonly text: string; readonly line: number }
  /** In a new line of fstab. */
  | { readonly kind: 'fstab-entry'; readonly text: string; readonly fstype: string }
  /** In a drop-in of our own, unless one that is read after it says options, too. */
  | { readonly kind: 'drop-in'; readonly file: string; readonly overruledBy?: MountLine }

/** What mounts something at a path when the system starts. */
export type StoredMount =
  /** Nothing that is known does; `why` is there where something nearly would. */
  | { readonly kind: 'nothing'; readonly why?: string }
  | {
      readonly kind: 'stored'
      /** The words of mount(8), as they are written. */
      readonly options: string
      /** The line that says so; absent for what systemd does of its own. */
      readonly origin?: MountLine
      /** Why it is not mounted when the system starts, although something says how it would be. */
      readonly idle?: string
      readonly shadowed: readonly ShadowedOptions[]
      readonly place: OptionsPlace
    }

/** The mounts of a target, read-only. Read once, and again after `forget`. */
export interface Mounts {
  /** The path has no links in it. */
  now(path: string): Reading<MountedNow>
  stored(path: string): Reading<StoredMount>
  forget(): void
}

/** A change of options of what is mounted. */
export interface Remount {
  readonly path: string
  /** Of this mount alone, of which all options are given, or of its file system, of which those that change are. */
  readonly scope: 'mount' | 'file-system'
  readonly words: readonly string[]
}

/** What a fix may do to mounts. */
export interface MountControl {
  remount(remount: Remount, signal: AbortSignal): Promise<ApplyOutcome>
  /** Why a text must not become the fstab, though it now is `before`: it has mistakes that are not in that. */
  checkFstab(before: string, after: string, signal: AbortSignal): Promise<ApplyOutcome>
  /** Makes a running systemd read fstab and unit files again. */
  reload(signal: AbortSignal): Promise<ApplyOutcome>
}
