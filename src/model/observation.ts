/** Why a resource could not be decided: the closed list for reports, filters and tests. */
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

/** A failed reading; not to be confused with absence. */
export interface Unknown {
  readonly kind: 'unknown'
  readonly reason: ErrorReason
  readonly detail: string
  /** Set if only a running system has the value and the target is not running; never for a failure. */
  readonly needs?: 'running-system'
}

/** A value read from the machine, or why it could not be read. */
export type Reading<T> = { readonly kind: 'known'; readonly value: T } | Unknown

/**
 * The observed state of a resource: present with its state, proven absent, or unknown. `context` is further data for
 * the decision (user ids, digest of a source file), so that it reads nothing itself.
 */
export type Observation<State, Context = undefined> =
  | { readonly kind: 'present'; readonly state: State; readonly context: Context }
  | { readonly kind: 'absent'; readonly context: Context }
  | Unknown

/** The resource does not concern this machine; for example, the program that it configures is not installed. */
export interface NotApplicable {
  readonly kind: 'not-applicable'
  /** The reason, as a sentence that names what is missing. */
  readonly detail: string
}

/** The observed state of a resource if it is known: the input of `decide`. */
export type Seen<State, Context = undefined> = Exclude<Observation<State, Context>, Unknown>

/** A successful reading. */
export function known<T>(value: T): Reading<T> {
  return { kind: 'known', value }
}

/** The reading of what `map` makes of the value. */
export function mapReading<From, To>(reading: Reading<From>, map: (value: From) => To): Reading<To> {
  return reading.kind === 'unknown' ? reading : known(map(reading.value))
}

/** What `read` makes of each item, in order; unknown as soon as it is for one. */
export function readEach<Item, Value>(
  items: Iterable<Item>,
  read: (item: Item) => Reading<Value>,
): Reading<readonly Value[]> {
  const values: Value[] = []
  for (const item of items) {
    const reading = read(item)
    if (reading.kind === 'unknown') return reading
    values.push(reading.value)
  }
  return known(values)
}

/** What `read` makes of all items, as one list. */
export function readLists<Item, Value>(
  items: Iterable<Item>,
  read: (item: Item) => Reading<readonly Value[]>,
): Reading<readonly Value[]> {
  return mapReading(readEach(items, read), (lists) => lists.flat() as readonly Value[])
}

/** What `read` makes of the first item for which it is not null. */
export function readFirst<Item, Value>(
  items: Iterable<Item>,
  read: (item: Item) => Reading<Value | null>,
): Reading<Value | null> {
  for (const item of items) {
    const reading = read(item)
    if (reading.kind === 'unknown' || reading.value !== null) return reading
  }
  return known(null)
}

/** A failed reading, with a sentence that names the value and the reason. Never use it for proven absence. */
export function unknown(reason: ErrorReason, detail: string): Unknown {
  return { kind: 'unknown', reason, detail }
}

/** A value that only a running system has. */
export function onlyRunning(detail: string): Unknown {
  return { kind: 'unknown', reason: 'not-observable', detail, needs: 'running-system' }
}

/** A resource that does not concern this machine, with the reason. Never use it for a failed reading. */
export function notApplicable(detail: string): NotApplicable {
  return { kind: 'not-applicable', detail }
}

/** The resource exists, in this state; `context` is further data for the decision. */
export function present<State>(state: State): Observation<State>
export function present<State, Context>(state: State, context: Context): Observation<State, Context>
export function present<State, Context>(state: State, context?: Context): Observation<State, Context | undefined> {
  return { kind: 'present', state, context }
}

/** The resource is proven not to exist. */
export function absent(): Observation<never>
export function absent<Context>(context: Context): Observation<never, Context>
export function absent<Context>(context?: Context): Observation<never, Context | undefined> {
  return { kind: 'absent', context }
}
