import { canonicalJson } from '../model/canonical-json.ts'
import type { ApplyOutcome } from '../model/decision.ts'
import type { Reading } from '../model/observation.ts'
import type { Remediator } from './remediator.ts'
import type { Target } from './target.ts'

export interface UndoContext {
  readonly remediator: Remediator
  /** Atomically restores the kept copy of a path; if the file had several of the names, as a hard link to them. */
  readonly restore: (path: string, names?: readonly string[]) => Promise<ApplyOutcome>
  readonly signal: AbortSignal
}

/** The state before a change, after it (if known), and now. */
export interface BeforeAfter<State> {
  readonly before: State
  readonly after: State | undefined
  readonly now: State
}

/**
 * Recognises and restores things of one kind. Each has a name: a path, a unit, a parameter. A state is plain data that
 * survives JSON.
 */
export interface UndoHandler<State> {
  /** Reads the current state, without a cache. */
  readonly look: (target: Target, name: string, signal: AbortSignal) => Promise<Reading<State>>
  /** Describes a state for messages, without secrets. */
  readonly describe: (state: State) => string
  /** Distinguishes states with equal descriptions, without secrets. */
  readonly detail?: (state: State, others: readonly State[]) => string
  /** Why it must not be restored in its current state; by default, if it differs from the state after the change. */
  readonly conflict?: (moments: BeforeAfter<State>) => string | undefined
  /**
   * Whether it also contains foreign entries, which keep their current state; then it need not equal the old state as a
   * whole.
   */
  readonly merges?: boolean
  /** Whether the state before the change is copied beside the journal. */
  readonly keeps?: (before: State) => boolean
  readonly putBack: (name: string, moments: BeforeAfter<State>, hands: UndoContext) => Promise<ApplyOutcome>
}

/** Describes states so that different states have different descriptions. */
export function describeStates<State>(
  { describe, detail }: UndoHandler<State>,
  states: readonly [State, ...(readonly State[])],
): readonly [string, ...string[]] {
  const isAmbiguous =
    new Set(states.map((state) => describe(state))).size < new Set(states.map((state) => canonicalJson(state))).size
  const words = (state: State): string =>
    isAmbiguous && detail !== undefined ? `${describe(state)}${prefixDetail(detail(state, states))}` : describe(state)
  const [first, ...rest] = states
  return [words(first), ...rest.map(words)]
}

function prefixDetail(detail: string): string {
  return detail === '' ? '' : `, ${detail}`
}
