/** Why something could not be decided. The closed list that reports, filters and tests share. */
export const ERROR_REASONS = [
  'permission-denied',
  'timeout',
  'not-observable',
  'no-provider',
  'template',
  'invalid',
  'readers-disagree',
  'command',
  'internal',
  'unreachable',
] as const

/** Why something could not be decided: one of `ERROR_REASONS`. */
export type ErrorReason = (typeof ERROR_REASONS)[number]

/** Something that could not be read. Never to be confused with its absence. */
export interface Unknown {
  readonly kind: 'unknown'
  readonly reason: ErrorReason
  readonly detail: string
  /** Set where by construction only a running system has it, and what is looked at does not run; never for what failed. */
  readonly needs?: 'running-system'
}

/** One thing read from the machine, or why it could not be. */
export type Reading<T> = { readonly kind: 'known'; readonly value: T } | Unknown

/**
 * What was seen of a resource: present with its state, proved absent, or unknown. `context` is what was looked up
 * beside the thing itself (ids of users, digest of a source file), so that deciding needs no further look.
 */
export type Observation<State, Context = undefined> =
  | { readonly kind: 'present'; readonly state: State; readonly context: Context }
  | { readonly kind: 'absent'; readonly context: Context }
  | Unknown

/** The resource does not concern this machine: the program that it configures is not installed, for one. */
export interface NotApplicable {
  readonly kind: 'not-applicable'
  /** Why, in a sentence that names what is missing. */
  readonly detail: string
}

/** What was seen of a resource, where that could be found out: what `decide` gets. */
export type Seen<State, Context = undefined> = Exclude<Observation<State, Context>, Unknown>

/** A reading that succeeded. */
export function known<T>(value: T): Reading<T> {
  return { kind: 'known', value }
}

/** That something could not be read, and why, in a sentence that names it. Never to be used for what is proved absent. */
export function unknown(reason: ErrorReason, detail: string): Unknown {
  return { kind: 'unknown', reason, detail }
}

/** That a value exists on a running system only. */
export function onlyRunning(detail: string): Unknown {
  return { kind: 'unknown', reason: 'not-observable', detail, needs: 'running-system' }
}

/** That a resource does not concern this machine, and why. Never to be used for what could not be read. */
export function notApplicable(detail: string): NotApplicable {
  return { kind: 'not-applicable', detail }
}

/** The thing is there, in this state; `context` is what was looked up beside it. */
export function present<State>(state: State): Observation<State>
export function present<State, Context>(state: State, context: Context): Observation<State, Context>
export function present<State, Context>(state: State, context?: Context): Observation<State, Context | undefined> {
  return { kind: 'present', state, context }
}

/** It is proved that the thing is not there. */
export function absent(): Observation<never>
export function absent<Context>(context: Context): Observation<never, Context>
export function absent<Context>(context?: Context): Observation<never, Context | undefined> {
  return { kind: 'absent', context }
}
