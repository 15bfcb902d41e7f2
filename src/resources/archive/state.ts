import type { Obstacle } from '../../core/decision.ts'
import type { Reading } from '../../core/observation.ts'
import type { FileAttributes } from '../../target/remediator.ts'
import type { FileKind } from '../../target/target.ts'
import type { Account, WantedAccount } from '../shared/accounts.ts'

/** What is at the archive's path. A link that leads to something is looked through, unless the path must be absent. */
export interface ArchiveState {
  readonly kind: FileKind
  readonly owner: Account
  readonly group: Account
  /** sha256 in lower-case hex, of a regular file that is to be compared. */
  readonly checksum?: Reading<string>
}

/** What was looked up beside the archive itself. */
export type ArchiveContext =
  | { readonly ensure: 'absent' }
  | {
      readonly ensure: 'present'
      readonly owner: WantedAccount
      readonly group: WantedAccount
      /** Whether what the archive creates is there; undefined where the policy does not say what it creates. */
      readonly creates: Reading<boolean> | undefined
      /** What is in the way of writing the archive file, and of unpacking it. */
      readonly downloadObstacles: readonly Obstacle[]
      readonly extractObstacles: readonly Obstacle[]
    }

/** What a fix does, in this order: download if it has attributes for the file, unpack, remove the archive. */
export type ArchiveAction =
  | {
      readonly kind: 'install'
      readonly download: FileAttributes | undefined
      readonly extract: boolean
      readonly cleanup: boolean
    }
  | { readonly kind: 'remove' }
  /** The owner or group is nobody, so there is nothing that could be done. */
  | { readonly kind: 'impossible'; readonly message: string }
