import type { ApplyOutcome } from '../../model/decision.ts'
import type { Reading } from '../../model/observation.ts'
import type { WrittenOptions } from '../../host/mount-table.ts'

/** The current mount at a path: the topmost one. */
export type MountedNow =
  | {
      readonly kind: 'mounted'
      /** Options of the mount and of its file system, as the kernel lists them. */
      readonly options: readonly string[]
      /** Options of the mount only. */
      readonly own: readonly string[]
      readonly written: WrittenOptions
      readonly source: string
      readonly fstype: string
      /** Whether it is a separate file system, rather than a part of the surrounding one, as a bind mount may be. */
      readonly isOwnFileSystem: boolean
      /** Mount point of the surrounding file system; `/` for the root. */
      readonly within: string
    }
  /** The path is mounted on first access. */
  | { readonly kind: 'automount' }
  | { readonly kind: 'nothing'; readonly within: string }

/** A line of a file, from 1. */
export interface MountLine {
  readonly file: string
  readonly line: number
}

/** A line with options that another line overrides. */
export interface ShadowedOptions extends MountLine {
  readonly options: string
}

/** The place where a fix writes the options. */
export type OptionsPlace =
  /** In this line of fstab. `text` is the whole file. */
  | { readonly kind: 'fstab-line'; readonly text: string; readonly line: number }
  /** In a new line of fstab. */
  | { readonly kind: 'fstab-entry'; readonly text: string; readonly fstype: string }
  /** In the drop-in of driftgate, unless a later drop-in also sets options. */
  | { readonly kind: 'drop-in'; readonly file: string; readonly overruledBy?: MountLine }

/** The mount at a path after the next boot. */
export type StoredMount =
  /** No mount is known; `why` explains a near miss. */
  | { readonly kind: 'nothing'; readonly why?: string }
  | {
      readonly kind: 'stored'
      /** Options of mount(8), as written. */
      readonly options: string
      /** The line that sets them; absent for a mount that systemd makes by itself. */
      readonly origin?: MountLine
      /** Why the entry is not mounted at boot. */
      readonly idle?: string
      readonly shadowed: readonly ShadowedOptions[]
      readonly place: OptionsPlace
    }

/** The mounts of a target, read-only. Cached until `forget`. */
export interface Mounts {
  /** Returns the mount at a path without links. */
  now(path: string): Reading<MountedNow>
  stored(path: string): Reading<StoredMount>
  forget(): void
}

export interface Remount {
  readonly path: string
  /** `mount`: all options of this mount; `file-system`: only the changed options of its file system. */
  readonly scope: 'mount' | 'file-system'
  readonly words: readonly string[]
}

/** Changes mounts for a fix. */
export interface MountControl {
  remount(remount: Remount, signal: AbortSignal): Promise<ApplyOutcome>
  /** Fails if the new fstab has errors that the old one, `before`, does not have. */
  checkFstab(before: string, after: string, signal: AbortSignal): Promise<ApplyOutcome>
  /** Makes a running systemd reload fstab and unit files. */
  reload(signal: AbortSignal): Promise<ApplyOutcome>
}
