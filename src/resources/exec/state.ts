import type { Obstacle } from '../../core/decision.ts'
import type { Reading } from '../../core/observation.ts'
import type { Command } from '../../target/command.ts'

/** A guard that is a command. */
export type GuardName = 'onlyif' | 'unless'

/** The exit code of a guard, or why there is none. */
export type GuardReading = Reading<number> & {
  /**
   * What the guard lacks to be run where it is that: paths of its program or its directory. None where they are not known;
   * then it may only come with something that the resource requires.
   */
  readonly missing?: NonNullable<Obstacle['missing']>
}

/**
 * What was seen before anything is decided about a command. A guard that was not looked at is missing: it is not set,
 * or an earlier one has settled the matter.
 */
export interface ExecLook {
  /** Whether the path exists that the command creates. */
  readonly creates?: Reading<boolean>
  readonly onlyif?: GuardReading
  readonly unless?: GuardReading
  /** What stands in the way of running the command. */
  readonly obstacles: readonly Obstacle[]
}

/** What a fix does: run this program with these words. */
export interface ExecAction {
  readonly argv: Command['argv']
}
