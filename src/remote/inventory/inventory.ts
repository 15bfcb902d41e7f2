import type { Position, Problem } from '../../model/problem.ts'
import type { Layer } from '../../policy/data/merge.ts'

/** What there is to look at, in the order it is written, and what it is put together as. */
export interface Inventory {
  readonly targets: readonly InventoryTarget[]
  readonly groups: ReadonlyMap<string, InventoryGroup>
}

/** A target of an inventory, with what its groups say of it. */
export interface InventoryTarget {
  /** No other target has the same. */
  readonly name: string
  /** How it is reached, as `--target` has it. */
  readonly spec: string
  /** What `spec` has no words for. */
  readonly way: Connection
  /** Its own over those of its groups. */
  readonly labels: Readonly<Record<string, string>>
  /** That of its groups in their order, and then its own. */
  readonly data: readonly Layer[]
  readonly position: Position
  /** What keeps it from being looked at as the inventory has it. The others are no worse for that. */
  readonly refused: readonly Problem[]
  readonly passedOver: readonly PassedOver[]
}

/** How a target is reached, where a text does not say it. */
export interface Connection {
  /** The private key that ssh shows. */
  readonly identity?: string
  /** The words that driftgate is started by there. */
  readonly become?: readonly string[]
  /** Whose container it is; that of the engine which is installed where nothing is said. */
  readonly engine?: 'docker' | 'podman'
}

/** Some of the targets. */
export interface InventoryGroup {
  readonly targets: ReadonlySet<string>
}

/** A variable of an inventory that driftgate makes nothing of. */
export interface PassedOver {
  readonly name: string
  readonly why: 'encrypted' | 'template' | 'secret' | 'password' | 'unknown' | 'host-key'
}

/** What no name has means something to who chooses: `*`, `?`, `[`, `=` and commas. */
export const NAME: RegExp = /^[\p{L}\p{N}_][\p{L}\p{N}_.:@-]*$/u

/** Whether a target or group can be called so. */
export function isTargetName(text: string): boolean {
  return NAME.test(text)
}

/** What is said of an invalid name. */
export const NAME_RULE = 'it begins with a letter, a digit or _, and goes on with these and . : @ -'
