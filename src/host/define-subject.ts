import { defined } from '../model/defined.ts'
import type { ReadableSubject, Target } from './target.ts'

/** Something of a machine that several resources read. */
export interface Subject<State> {
  /** The state of this machine: read for the first resource that asks, kept for the others, and read again after a change. */
  readonly of: (target: Pick<Target, 'open'>) => State
}

/** What makes a subject. */
export interface SubjectDefinition<State> {
  /** A name with a dot, such as `acme.redis`: those without one belong to driftgate. */
  readonly name: string
  /** To be raised with every change of what `State` looks like: packages that share a subject may have copies of different age. */
  readonly version?: string
  /**
   * Reads it through the target, of a machine that runs and below a root alike; a promise where that takes time. What depends on a
   * property of a resource, such as a path, is a function of it.
   */
  readonly read: (target: Target) => State
}

interface Kept<State> {
  readonly state: () => State
  readonly forget: () => void
}

/** Defines a subject for the types of a plugin. Throws an `Error` for a name without a dot. */
export function defineSubject<State>({ name, version, read }: SubjectDefinition<State>): Subject<State> {
  if (!name.includes('.')) throw new Error(`the name of a subject needs a dot, as in "acme.${name}"`)
  const open = (host: Target): Kept<State> => {
    let kept: { readonly state: State } | undefined
    return {
      state: () => (kept ??= { state: read(host) }).state,
      forget() {
        kept = undefined
      },
    }
  }
  const subject: ReadableSubject<Kept<State>> = { name, ...defined({ version }), read: { live: open, atRest: open } }
  return { of: (target) => target.open(subject).state() }
}
