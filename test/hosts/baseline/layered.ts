import type { Rule } from './rule.ts'

/** A rule about what a container has no kernel or boot loader for: its files are looked at, and what is missing is unknown. */
export interface LayeredRule extends Rule {
  /** Properties that cannot be observed in a container, so that they are unknown in every scan. */
  readonly unseen?: readonly string[]
  /** A script of bash for what no fix does: an administrator's part. */
  readonly repair?: string
  /** What is left until the host starts again. */
  readonly untilStart?: readonly string[]
}
