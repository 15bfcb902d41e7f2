import { canonicalJson } from '../model/canonical-json.ts'
import type { ApplyOutcome } from '../model/decision.ts'
import type { Reading } from '../model/observation.ts'
import type { Remediator } from './remediator.ts'
import type { Target } from './target.ts'

/** What puts things back. */
export interface UndoContext {
  readonly remediator: Remediator
  /** Puts what was kept in place of the item at the path, in one step; as one more name of a file that had these, too. */
  readonly restore: (path: string, names?: readonly string[]) => Promise<ApplyOutcome>
  readonly signal: AbortSignal
}

/** What something was before a change, what it was after it, where that is known, and what it is now. */
export interface BeforeAfter<State> {
  readonly before: State
  readonly after: State | undefined
  readonly now: State
}

/**
 * How things of a kind are recognised and put back. Each has a name: a path, a unit, a parameter. A state is plain data
 * that survives JSON.
 */
export interface UndoHandler<State> {
  /** What it is now; asked of the machine each time. */
  readonly look: (target: Target, name: string, signal: AbortSignal) => Promise<Reading<State>>
  /** A state for people, without secrets. */
  readonly describe: (state: State) => string
  /** What tells a state from others of which `describe` says the same, without secrets. */
  readonly detail?: (state: State, others: readonly State[]) => string
  /** Why it must not be put back, because of what it is now; where it is absent, that it is not as it was after the change. */
  readonly conflict?: (moments: BeforeAfter<State>) => string | undefined
  /** Whether it holds things of others too, which stay as they are now; so it need not become what it was as a whole. */
  readonly merges?: boolean
  /** Whether what is there before is copied beside the journal. */
  readonly keeps?: (before: State) => boolean
  readonly putBack: (name: string, moments: BeforeAfter<State>, hands: UndoContext) => Promise<ApplyOutcome>
}

/** States in words that differ where the states do, so that no reader is left to guess. */
export function describeStates<State>(
  { describe, detail }: UndoHandler<State>,
  states: readonly [State, ...(readonly State[])],
): readonly [string, ...string[]] {
  const isAmbiguous =
    new Set(states.map((state) => describe(state))).size < new Set(states.map((state) => canonicalJson(state))).size
  const words = (state: State): string =>
    isAmbiguous && detail !== undefined ? `${describe(state)}${prefixed(detail(state, states))}` : describe(state)
  const [first, ...rest] = states
  return [words(first), ...rest.map(words)]
}

function prefixed(detail: string): string {
  return detail === '' ? '' : `, ${detail}`
}
