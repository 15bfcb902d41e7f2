import type { Acceptance } from '../../core/acceptance.ts'
import type { Obstacle } from '../../core/decision.ts'
import type { ContentDigest } from '../../core/drift.ts'
import type { Reading } from '../../core/observation.ts'
import type { FileAttributes } from '../../target/remediator.ts'
import type { FileKind } from '../../target/target.ts'
import type { Account } from '../shared/account.ts'
import type { WantedAccounts } from '../shared/accounts.ts'
import type { TextComparison } from '../shared/compare-texts.ts'

/** What is at the path. A link that leads to something is looked through, unless the path must be absent. */
export interface FileState {
  readonly kind: FileKind
  /** The thing was reached through a symbolic link at the path. */
  readonly throughLink: boolean
  /** The twelve permission bits. */
  readonly mode: number
  readonly sizeBytes: number
  /** How many names what is there has. */
  readonly linkCount: number
  readonly owner: Account
  readonly group: Account
  /** Of a regular file whose content is managed. */
  readonly content?: Reading<ContentDigest>
  /** Of a file whose content differs. */
  readonly comparison?: TextComparison
  /** Of a directory that must be absent: whether it has no entries. */
  readonly isEmpty?: Reading<boolean>
  /** Of a directory that must be absent: where something is mounted in it, relative to it. */
  readonly mounts?: Reading<readonly string[]>
}

/** What the policy says of the attributes; what it leaves out is undefined, not compared, and stays as it is. */
export interface WantedAttributes {
  readonly owner: WantedAccounts | undefined
  readonly group: WantedAccounts | undefined
  readonly mode: WantedMode | undefined
}

/** The permissions that a policy accepts. */
export interface WantedMode {
  /** Four digits, or the acceptance as the policy writes it. */
  readonly shown: string | Acceptance<string>
  /** The bits as they are compared and set. */
  readonly accepted: Acceptance<number>
  /** Whether setuid, setgid or sticky is among them; those of a directory are only compared then. */
  readonly namesSpecialBits: boolean
  /** What to say about the mode beside its value. */
  readonly note: string | undefined
}

/**
 * The fingerprint of the desired content. `available`: it could be provided, but with no file at the path there is
 * nothing to compare it with. `unusable`: the source is not there, or is no regular file.
 */
export type WantedContent =
  Reading<ContentDigest> | { readonly kind: 'available' } | { readonly kind: 'unusable'; readonly obstacle: Obstacle }

/** What was looked up beside the thing itself. `obstacles` are about the path: a parent that is missing or no directory. */
export type FileContext =
  | { readonly ensure: 'absent' }
  | {
      readonly ensure: 'directory'
      readonly attributes: WantedAttributes
      readonly obstacles: readonly Obstacle[]
    }
  | {
      readonly ensure: 'present'
      readonly attributes: WantedAttributes
      /** Undefined where only owner, group and mode are managed. */
      readonly content: WantedContent | undefined
      readonly obstacles: readonly Obstacle[]
    }

/** What a fix does to the machine. */
export type FileAction =
  | { readonly kind: 'store'; readonly attributes: FileAttributes }
  | { readonly kind: 'set-attributes'; readonly attributes: FileAttributes }
  | { readonly kind: 'create-directory'; readonly attributes: FileAttributes }
  | { readonly kind: 'remove'; readonly recursive: boolean }
  /** The owner or group is nobody, so there is nothing that could be done. */
  | { readonly kind: 'impossible'; readonly message: string }
