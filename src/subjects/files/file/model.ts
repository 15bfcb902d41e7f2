import type { Acceptance } from '../../../model/acceptance.ts'
import type { Obstacle } from '../../../model/decision.ts'
import type { ContentDigest } from '../../../model/drift.ts'
import type { Reading } from '../../../model/observation.ts'
import type { InodeFlags } from '../../../host/access.ts'
import type { AccessChange, FileAttributes } from '../../../host/remediator.ts'
import type { TextComparison } from '../../shared/contents.ts'
import type { ObservedAccess } from './access-seen.ts'
import type { ObservedAttributes, DesiredAttributes, Written } from './attributes.ts'
import type { WrittenAcl } from './lists.ts'

// Types of the file resource: the policy, the observed state and the actions of a fix.

/** Properties of a file resource in a policy. */
export interface FileDesired {
  readonly name: string
  readonly ensure: 'present' | 'absent' | 'directory'
  readonly content?: Written
  readonly source?: string | undefined
  readonly sha256?: string | undefined
  readonly owner?: Written
  readonly group?: Written
  readonly mode?: Written
  readonly acl?: WrittenAcl | undefined
  readonly capabilities?: string | undefined
  readonly access?: 'mode' | 'any' | undefined
  readonly immutable?: boolean | undefined
  readonly parents_mode?: string | undefined
  readonly in_place?: boolean | undefined
  readonly if_absent: 'create' | 'drift' | 'compliant'
  readonly force: boolean
  readonly validate?: string | undefined
}

/** The file or directory at the path. A link with an existing target is followed, unless the path must be absent. */
export interface FileState extends ObservedAttributes {
  /** The path is a symbolic link. */
  readonly throughLink: boolean
  readonly sizeBytes: number
  readonly linkCount: number
  /** Access beyond owner, group and mode; undefined if not requested. */
  readonly access: ObservedAccess | undefined
  /** Undefined if not requested; known as undefined if the file system does not support flags. */
  readonly flags: Reading<InodeFlags | undefined> | undefined
  /** Only for a regular file with managed content. */
  readonly content?: Reading<ContentDigest> | undefined
  /** Only for a file with different content. */
  readonly comparison?: TextComparison | undefined
  /** Only for a directory that must be absent: whether it has no entries. */
  readonly isEmpty?: Reading<boolean>
  /** Mount points at or below the path, relative to it; only if the path must be absent or have other content. */
  readonly mounts?: Reading<readonly string[]> | undefined
  /** Only for a directory that must be absent recursively: the entry with a flag that prevents removal. */
  readonly flagged?: Flagged
}

/** File with a chattr flag that prevents its removal, or the removal of its directory. */
export interface Flagged {
  readonly path: string
  readonly flag: 'immutable' | 'append-only'
}

/**
 * Fingerprint of the desired content. `available`: content exists, but there is no file to compare it with. `unusable`: the
 * source is missing or not a regular file. `nowhere`: only the fingerprint is known, so a fix cannot write the content.
 * `accepted`: one of several contents.
 */
export type DesiredContent =
  | Reading<ContentDigest>
  | { readonly kind: 'available' }
  | { readonly kind: 'unusable'; readonly obstacle: Obstacle }
  | { readonly kind: 'nowhere'; readonly sha256: string; readonly obstacle: Obstacle }
  | { readonly kind: 'accepted'; readonly written: Acceptance<string>; readonly judged: Reading<JudgedContent> }

export interface JudgedContent {
  readonly isAccepted: boolean
  /** The nearest accepted content, or the content itself if it is accepted; undefined if absent. */
  readonly nearest: string | undefined
}

/** Observations beyond the file itself. `obstacles` concern the path: a parent that is missing or not a directory. */
export type FileContext =
  | { readonly ensure: 'absent' }
  | {
      readonly ensure: 'directory'
      readonly attributes: DesiredAttributes
      readonly obstacles: readonly Obstacle[]
      readonly accessOfNew?: ObservedAccess
    }
  | {
      readonly ensure: 'present'
      readonly attributes: DesiredAttributes
      /** Undefined if only owner, group and mode are managed. */
      readonly content: DesiredContent | undefined
      readonly obstacles: readonly Obstacle[]
      /** In-place writes that the user of the fix allows in addition to the policy. */
      readonly inPlace?: InPlace
      /** Access beyond owner, group and mode that a new file will have; undefined if not requested. */
      readonly accessOfNew?: ObservedAccess
    }

/** Files that a fix may write in place because it cannot replace them. */
export interface InPlace {
  readonly mountPoints: boolean
  /** Files with several hard links. */
  readonly linked: boolean
}

export type FileAction =
  | {
      readonly kind: 'store' | 'set-attributes' | 'create-directory'
      readonly attributes: FileAttributes
      /** Content to write if the policy accepts several. */
      readonly text?: string
      readonly inPlace?: true
      /** Changes of the access beyond owner, group and mode. */
      readonly access?: AccessChange
      /** The file is immutable: the flag must be removed before any change. */
      readonly isImmutable?: true
    }
  | { readonly kind: 'remove'; readonly recursive: boolean }
  /** The owner or group does not exist, so it cannot be set. */
  | { readonly kind: 'impossible'; readonly message: string }

/** Context of a directory that must exist. */
export type DirectoryContext = Extract<FileContext, { ensure: 'directory' }>
/** Context of a regular file that must exist. */
export type RegularContext = Extract<FileContext, { ensure: 'present' }>
