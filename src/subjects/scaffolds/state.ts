import { join } from 'node:path'
import type { Obstacle } from '../../model/decision.ts'
import type { ContentDigest } from '../../model/drift.ts'
import type { Reading, Unknown } from '../../model/observation.ts'
import type { FileAttributes } from '../../host/remediator.ts'
import type { FileKind } from '../../host/target.ts'
import type { TextComparison } from '../shared/contents.ts'

// The types of what is wanted, seen and done stand apart from what decides about them: together they would be too long.

/** What a policy says of a directory that is rendered from templates. */
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
  /** Commands by patterns for the names of files. */
  readonly post?: readonly Readonly<Record<string, string>>[] | undefined
}

/** A file as the templates render it; its path is relative to the target. */
export interface RenderedFile {
  readonly path: string
  readonly bytes: Uint8Array
  readonly digest: ContentDigest
  /** Commands of `post` concern it. */
  readonly hasPost: boolean
}

/** What is where a rendered file belongs. */
export type Sighting =
  | { readonly kind: 'missing' }
  | { readonly kind: 'equal' }
  | {
      readonly kind: 'different'
      readonly observed: ContentDigest
      readonly attributes: FileAttributes
      readonly comparison: TextComparison
      /** What it holds now, where it may have to be put back. */
      readonly previous?: Uint8Array
    }
  /** Something that a file must not replace, or that leads out of the target. */
  | { readonly kind: 'refused'; readonly observed: string; readonly reason: string }
  | Unknown

/** A rendered file beside what is in its place. */
export interface ScaffoldFile extends RenderedFile {
  readonly seen: Sighting
}

/** A file that must not be there but is. */
export interface Leftover {
  readonly path: string
  /** Why it must not be removed. */
  readonly refused?: string
}

/** What is at the target. */
export type ScaffoldState =
  | { readonly kind: 'other'; readonly found: Exclude<FileKind, 'directory'> }
  | {
      readonly kind: 'directory'
      /** Every rendered file, sorted by path. Empty where the scaffold must be absent. */
      readonly files: readonly ScaffoldFile[]
      /** Where the scaffold must be absent: the rendered files that are there, or why that could not be seen. */
      readonly leftovers: Reading<readonly Leftover[]>
      /** Rendered directories that are not there, parents first. */
      readonly missingDirectories: readonly string[]
      /** Everything but directories that is not rendered, sorted by path. Only looked for with `purge`. */
      readonly unexpected: Reading<readonly Leftover[]>
    }

/** What was found out beside the target: the rendered tree, or why it is missing. */
export type ScaffoldContext =
  | {
      readonly kind: 'rendered'
      readonly files: readonly RenderedFile[]
      readonly directories: readonly string[]
      /** What stands in the way of a target that is not there. */
      readonly obstacles: readonly Obstacle[]
    }
  /** The target is not there and must not be, so nothing was rendered. */
  | { readonly kind: 'not-needed' }
  | { readonly kind: 'unusable'; readonly obstacle: Obstacle }

/** A file that a fix writes. */
export interface PlannedFile {
  readonly path: string
  readonly bytes: Uint8Array
  /** Those of the file it replaces. */
  readonly attributes?: FileAttributes
  /** What to put back if a command of `post` fails. */
  readonly previous?: Uint8Array
}

/** What a fix does to the machine; paths are relative to the target. */
export type ScaffoldAction =
  | {
      readonly kind: 'render'
      /** Those that are missing, parents first. */
      readonly directories: readonly string[]
      readonly files: readonly PlannedFile[]
      readonly purge: readonly string[]
    }
  | { readonly kind: 'remove'; readonly files: readonly string[] }
  /** The target is a link that leads nowhere. */
  | { readonly kind: 'remove-link' }
  /** There is nothing to render from. */
  | { readonly kind: 'impossible'; readonly message: string }

/** The three lists of a scaffold's status, as absolute paths. */
export interface ScaffoldStatus {
  readonly changed: readonly string[]
  readonly stable: readonly string[]
  readonly purged: readonly string[]
}

/**
 * Sorts what was seen into the lists of CCM: files that would be added or changed, files that are as they should be, and
 * files that do not belong to the scaffold, which are only looked for with `purge`. Where the scaffold must be absent all
 * its files that are there count as stable, because their content does not matter.
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
