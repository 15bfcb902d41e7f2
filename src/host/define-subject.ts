import { defined } from '../model/defined.ts'
import type { ReadableSubject, Target } from './target.ts'

/** A part of the machine's state that several resources read. */
export interface Subject<State> {
  /** The state of this machine: read once on first use, cached, and read again after a change. */
  readonly of: (target: Pick<Target, 'open'>) => State
}

/** The definition of a subject. */
export interface SubjectDefinition<State> {
  /** A name with a dot, such as `acme.redis`; names without one are reserved for driftgate. */
  readonly name: string
  /** Raise it with every change of the shape of `State`: packages that share a subject may bundle different versions of it. */
  readonly version?: string
  /**
   * Reads the state through the target, on a running machine and below a root; a promise if that takes time. Make
   * anything that depends on a property of a resource, such as a path, a function of it.
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
