import { join } from 'node:path'
import type { Obstacle } from '../../model/decision.ts'
import type { ContentDigest } from '../../model/drift.ts'
import type { Reading, Unknown } from '../../model/observation.ts'
import type { FileAttributes } from '../../host/remediator.ts'
import type { FileKind } from '../../host/target.ts'
import type { TextComparison } from '../shared/contents.ts'

// These types have their own file because of the file size limit.

export interface ScaffoldDesired {
  readonly name: string
  readonly ensure: 'present' | 'absent'
  readonly source: string
  readonly engine: 'go' | 'jet'
  readonly left_delimiter?: string | undefined
  readonly right_delimiter?: string | undefined
  readonly data?: Readonly<Record<string, unknown>> | undefined
  readonly skip_empty: boolean
  readonly purge: boolean
  /** Commands by file name pattern. */
  readonly post?: readonly Readonly<Record<string, string>>[] | undefined
}

/** Rendered file; the path is relative to the target. */
export interface RenderedFile {
  readonly path: string
  readonly bytes: Uint8Array
  readonly digest: ContentDigest
  /** Whether a `post` command applies to it. */
  readonly hasPost: boolean
}

export type Sighting =
  | { readonly kind: 'missing' }
  | { readonly kind: 'equal' }
  | {
      readonly kind: 'different'
      readonly observed: ContentDigest
      readonly attributes: FileAttributes
      readonly comparison: TextComparison
      /** Current content, if a failed command may require restoring it. */
      readonly previous?: Uint8Array
    }
  /** Not replaceable by a file, or a link out of the target. */
  | { readonly kind: 'refused'; readonly observed: string; readonly reason: string }
  | Unknown

export interface ScaffoldFile extends RenderedFile {
  readonly seen: Sighting
}

/** Existing file that must be absent. */
export interface Leftover {
  readonly path: string
  /** Why it must not be removed. */
  readonly refused?: string
}

export type ScaffoldState =
  | { readonly kind: 'other'; readonly found: Exclude<FileKind, 'directory'> }
  | {
      readonly kind: 'directory'
      /** All rendered files, sorted by path. Empty if the scaffold must be absent. */
      readonly files: readonly ScaffoldFile[]
      /** If the scaffold must be absent: the rendered files that exist, or why they are unknown. */
      readonly leftovers: Reading<readonly Leftover[]>
      /** Missing rendered directories, parents first. */
      readonly missingDirectories: readonly string[]
      /** Entries other than directories that are not rendered, sorted by path. Only filled with `purge`. */
      readonly unexpected: Reading<readonly Leftover[]>
    }

/** Rendered tree, or why it is missing. */
export type ScaffoldContext =
  | {
      readonly kind: 'rendered'
      readonly files: readonly RenderedFile[]
      readonly directories: readonly string[]
      /** Obstacles to creating a missing target. */
      readonly obstacles: readonly Obstacle[]
    }
  /** The target is absent as desired, so nothing was rendered. */
  | { readonly kind: 'not-needed' }
  | { readonly kind: 'unusable'; readonly obstacle: Obstacle }

export interface PlannedFile {
  readonly path: string
  readonly bytes: Uint8Array
  readonly attributes?: FileAttributes
  /** Content to restore if a `post` command fails. */
  readonly previous?: Uint8Array
}

/** Action of a fix; paths are relative to the target. */
export type ScaffoldAction =
  | {
      readonly kind: 'render'
      /** Missing directories, parents first. */
      readonly directories: readonly string[]
      readonly files: readonly PlannedFile[]
      readonly purge: readonly string[]
    }
  | { readonly kind: 'remove'; readonly files: readonly string[] }
  /** The target is a dangling link. */
  | { readonly kind: 'remove-link' }
  /** No templates to render. */
  | { readonly kind: 'impossible'; readonly message: string }

/** The three lists of a scaffold's status, as absolute paths. */
export interface ScaffoldStatus {
  readonly changed: readonly string[]
  readonly stable: readonly string[]
  readonly purged: readonly string[]
}

/**
 * Sorts files into the lists of CCM: changed (added or modified), stable (compliant), and purged (extra, only with `purge`). If
 * the scaffold must be absent, all its existing files are stable, because their content does not matter.
 */
export function statusOf(target: string, state: Extract<ScaffoldState, { kind: 'directory' }>): ScaffoldStatus {
  const absolute = (path: string): string => join(target, path)
  const leftovers = state.leftovers.kind === 'known' ? state.leftovers.value : []
  const unexpected = state.unexpected.kind === 'known' ? state.unexpected.value : []
  const stable = state.files.filter(({ seen }) => seen.kind === 'equal')
  const changed = state.files.filter(({ seen }) => seen.kind !== 'equal' && seen.kind !== 'unknown')
  return {
    changed: changed.map(({ path }) => absolute(path)),
    stable: [...stable, ...leftovers].map(({ path }) => absolute(path)),
    purged: unexpected.map(({ path }) => absolute(path)),
  }
}
