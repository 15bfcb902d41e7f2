import { OperatorError } from '../../model/operator-error.ts'
import type { Statement } from './statement.ts'

/** What a bundle proves. */
export interface Findings {
  readonly host: string
  /** Everything that is not as it was signed, and what it means. Nothing else counts where there is any. */
  readonly wrong: readonly string[]
  /** What is not wrong, and proved by nothing. */
  readonly unproved: readonly string[]
  /** The signed runs, first to last; absent if missing. */
  readonly span?: { readonly first: Statement; readonly last: Statement; readonly count: number; readonly head: string }
  /** The messages that were sent to a server, first to last; absent if missing. */
  readonly sent?: SentSpan
}

/** Messages of a host: from which to which, about how many runs, and when the first and the last of these started. */
export interface SentSpan {
  readonly first: number
  readonly last: number
  readonly count: number
  readonly runs: number
  readonly startedAt: readonly [first: string, last: string]
  readonly head: string
}

/** That a value is no bundle, and why. */
export function noBundle(reason: string): OperatorError {
  return new OperatorError(`this is no bundle of evidence: ${reason}`)
}
