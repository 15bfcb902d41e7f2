import { OperatorError } from '../../model/operator-error.ts'
import type { Statement } from './statement.ts'

/** Result of verifying a bundle. */
export interface Findings {
  readonly host: string
  /** Errors, with their meaning. If there are any, the bundle proves nothing. */
  readonly wrong: readonly string[]
  /** Parts that are not wrong, but unproved. */
  readonly unproved: readonly string[]
  /** Signed runs, first to last; absent without signed runs. */
  readonly span?: { readonly first: Statement; readonly last: Statement; readonly count: number; readonly head: string }
  /** Messages sent to a server, first to last; absent without messages. */
  readonly sent?: SentSpan
}

/** Range of a host's messages, the number of their runs, and the start times of the first and last run. */
export interface SentSpan {
  readonly first: number
  readonly last: number
  readonly count: number
  readonly runs: number
  readonly startedAt: readonly [first: string, last: string]
  readonly head: string
}

export function noBundle(reason: string): OperatorError {
  return new OperatorError(`not an evidence bundle: ${reason}`)
}
