import type { Position, Problem } from '../../model/problem.ts'
import type { Layer } from '../../policy/data/merge.ts'

/** Targets in written order, and their groups. */
export interface Inventory {
  readonly targets: readonly InventoryTarget[]
  readonly groups: ReadonlyMap<string, InventoryGroup>
}

/** A target of an inventory, merged with the settings of its groups. */
export interface InventoryTarget {
  /** Unique name. */
  readonly name: string
  /** Target in the syntax of `--target`. */
  readonly spec: string
  /** Connection settings that `spec` cannot express. */
  readonly way: Connection
  /** Its own labels override those of its groups. */
  readonly labels: Readonly<Record<string, string>>
  /** Data of its groups in order, then its own. */
  readonly data: readonly Layer[]
  readonly position: Position
  /** Problems that exclude this target; others are unaffected. */
  readonly refused: readonly Problem[]
  readonly passedOver: readonly PassedOver[]
}

/** Connection settings beyond the target text. */
export interface Connection {
  /** Private key for ssh. */
  readonly identity?: string
  /** Command prefix for driftgate on the target. */
  readonly become?: readonly string[]
  /** Container engine; default: the installed one. */
  readonly engine?: 'docker' | 'podman'
}

export interface InventoryGroup {
  readonly targets: ReadonlySet<string>
}

/** An inventory variable that driftgate ignores. */
export interface PassedOver {
  readonly name: string
  readonly why: 'encrypted' | 'template' | 'secret' | 'password' | 'unknown' | 'host-key'
}

/** Excludes characters with a meaning in selections: `*`, `?`, `[`, `=` and commas. */
export const NAME: RegExp = /^[\p{L}\p{N}_][\p{L}\p{N}_.:@-]*$/u

/** True if the name is valid for a target or group. */
export function isTargetName(text: string): boolean {
  return NAME.test(text)
}

/** Rule for names, for messages. */
export const NAME_RULE = 'it must start with a letter, digit or _, followed by these and . : @ -'
