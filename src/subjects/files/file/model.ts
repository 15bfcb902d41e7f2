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

// What a policy says of a file or directory, what is there, and what a fix does.

/** What a policy says of a file or directory. */
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

/** What is at the path. A link that leads to something is looked through, unless the path must be absent. */
export interface FileState extends ObservedAttributes {
  /** The thing was reached through a symbolic link at the path. */
  readonly throughLink: boolean
  readonly sizeBytes: number
  /** How many names what is there has. */
  readonly linkCount: number
  /** Who may do more than owner, group and mode say; undefined where that is of no interest. */
  readonly access: ObservedAccess | undefined
  /** Undefined where it was not asked; known as undefined where the file system does not support flags. */
  readonly flags: Reading<InodeFlags | undefined> | undefined
  /** Of a regular file whose content is managed. */
  readonly content?: Reading<ContentDigest>
  /** Of a file whose content differs. */
  readonly comparison?: TextComparison
  /** Of a directory that must be absent: whether it has no entries. */
  readonly isEmpty?: Reading<boolean>
  /** Of what must be absent, or have another content: where something is mounted at it or in it, relative to it. */
  readonly mounts?: Reading<readonly string[]>
  /** Of a directory that must be absent with all it holds: what keeps it from being removed. */
  readonly flagged?: Flagged
}

/** What has a flag of chattr that keeps it, or what is in it, from being removed. */
export interface Flagged {
  readonly path: string
  readonly flag: 'immutable' | 'append-only'
}

/**
 * What the content has to be: the fingerprint of the desired one. `available`: it could be provided, but with no file at the
 * path there is nothing to compare it with. `unusable`: the source is not there, or is no regular file. `nowhere`: its
 * fingerprint is known, and nothing that a fix could write has it. `accepted`: one of several.
 */
export type DesiredContent =
  | Reading<ContentDigest>
  | { readonly kind: 'available' }
  | { readonly kind: 'unusable'; readonly obstacle: Obstacle }
  | { readonly kind: 'nowhere'; readonly sha256: string; readonly obstacle: Obstacle }
  | { readonly kind: 'accepted'; readonly written: Acceptance<string>; readonly judged: Reading<JudgedContent> }

/** How a content stands to those that are accepted. */
export interface JudgedContent {
  readonly isAccepted: boolean
  /** The nearest accepted one, the content itself where it is accepted; undefined if absent. */
  readonly nearest: string | undefined
}

/** What was looked up beside the thing itself. `obstacles` are about the path: a parent that is missing or no directory. */
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
      /** Undefined where only owner, group and mode are managed. */
      readonly content: DesiredContent | undefined
      readonly obstacles: readonly Obstacle[]
      /** What the user of the fix lets it write where it lies, beside what the policy says. */
      readonly inPlace?: InPlace
      /** Who will have more than owner, group and mode say where there is nothing yet; undefined where that is of no interest. */
      readonly accessOfNew?: ObservedAccess
    }

/** Which files that cannot be replaced are written where they lie. */
export interface InPlace {
  /** Those that are mount points. */
  readonly mountPoints: boolean
  /** Those with several names. */
  readonly linked: boolean
}

/** What a fix does to the machine. */
export type FileAction =
  | {
      readonly kind: 'store' | 'set-attributes' | 'create-directory'
      readonly attributes: FileAttributes
      /** What is written where the policy does not name one content. */
      readonly text?: string
      /** Whether it is written where it lies. */
      readonly inPlace?: true
      /** What is changed of the access beyond them. */
      readonly access?: AccessChange
      /** Whether it is immutable now, so that nothing can be changed until that is taken away. */
      readonly isImmutable?: true
    }
  | { readonly kind: 'remove'; readonly recursive: boolean }
  /** The owner or group does not exist, so it cannot be set. */
  | { readonly kind: 'impossible'; readonly message: string }

/** A directory has to be there. */
export type DirectoryContext = Extract<FileContext, { ensure: 'directory' }>
/** A regular file has to be there. */
export type RegularContext = Extract<FileContext, { ensure: 'present' }>
