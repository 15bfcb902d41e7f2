/** The conditions of an acceptance, in the order of descriptions. All conditions that are set must hold. */
export const CONDITIONS = [
  'is',
  'not',
  'one_of',
  'none_of',
  'at_least',
  'at_most',
  'matches',
  'not_matches',
  'includes',
  'excludes',
] as const

/** One of `CONDITIONS`. */
export type Condition = (typeof CONDITIONS)[number]

/** The keywords of an acceptance: the conditions, and `fix`, the value that a fix writes if no accepted value is nearer. */
export const ACCEPTANCE_WORDS = [...CONDITIONS, 'fix'] as const

export type AcceptanceWord = (typeof ACCEPTANCE_WORDS)[number]

const LIST_WORDS = ['one_of', 'none_of', 'includes', 'excludes'] as const

/** A value as written in a policy. */
export type WrittenValue = string | number | boolean

/**
 * The values that a policy accepts for a property, instead of a single desired value. For a list property, `Value` is
 * the list and `Item` one item of it.
 */
export interface Acceptance<Value = WrittenValue | readonly WrittenValue[], Item = Value> {
  readonly is?: Value
  readonly not?: Value
  readonly one_of?: readonly Value[]
  readonly none_of?: readonly Value[]
  readonly at_least?: Value
  readonly at_most?: Value
  readonly matches?: string
  readonly not_matches?: string
  readonly includes?: readonly Item[]
  readonly excludes?: readonly Item[]
  readonly fix?: Value
}

/**
 * How the values of a property compare. `raise` and `lower` return the nearest value that is at least or at most the
 * bound, `include` and `exclude` the list with or without the items. They return an equal value if nothing changes. A
 * missing function means that the property does not support the condition.
 */
export interface ValueOrder<Value, Item = Value> {
  /** Whether two values are the same. */
  readonly equals: (left: Value, right: Value) => boolean
  /** The nearest value that is at least the bound. */
  readonly raise?: (value: Value, bound: Value) => Value
  /** The nearest value that is at most the bound. */
  readonly lower?: (value: Value, bound: Value) => Value
  /** Whether the value matches a pattern. */
  readonly isMatch?: (value: Value, pattern: string) => boolean
  /** The value with these items. */
  readonly include?: (value: Value, items: readonly Item[]) => Value
  /** The value without these items. */
  readonly exclude?: (value: Value, items: readonly Item[]) => Value
}

/** Whether a condition takes a list. */
export function takesList(word: string): word is (typeof LIST_WORDS)[number] {
  return (LIST_WORDS as readonly string[]).includes(word)
}

/** Whether a value is an acceptance rather than a plain desired value. */
export function isAcceptance(value: unknown): value is Acceptance {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  return CONDITIONS.some((word) => Object.hasOwn(value, word))
}

/** Whether all conditions hold for a value. Throws an `Error` if the order does not support one of them. */
export function isAccepted<Value, Item>(
  order: ValueOrder<Value, Item>,
  acceptance: Acceptance<Value, Item>,
  value: Value,
): boolean {
  const { is, not, one_of: oneOf, none_of: noneOf, matches, not_matches: notMatches } = acceptance
  const equals = (other: Value): boolean => order.equals(value, other)
  const isMatch = (pattern: string): boolean => requireSupported(order.isMatch)(value, pattern)
  return (
    (is === undefined || equals(is)) &&
    (not === undefined || !equals(not)) &&
    (oneOf === undefined || oneOf.some(equals)) &&
    (noneOf === undefined || !noneOf.some(equals)) &&
    (matches === undefined || isMatch(matches)) &&
    (notMatches === undefined || !isMatch(notMatches)) &&
    (!isBounded(acceptance) || MOVES.every((move) => equals(move(order, acceptance, value))))
  )
}

/** Whether one of `MOVES` has a condition. */
function isBounded({ at_least: atLeast, at_most: atMost, includes, excludes }: Acceptance<unknown>): boolean {
  return (atLeast ?? atMost ?? includes ?? excludes) !== undefined
}

/**
 * The value that a fix writes: the observed value if it is accepted, else the value of `fix`, else the nearest accepted
 * one. Undefined if there is no such value. `observed` is undefined if there is no value yet.
 */
export function acceptedFor<Value, Item>(
  order: ValueOrder<Value, Item>,
  acceptance: Acceptance<Value, Item>,
  observed: Value | undefined,
): Value | undefined {
  if (observed !== undefined && isAccepted(order, acceptance, observed)) return observed
  return nearestCandidates(order, acceptance, observed).find((candidate) => isAccepted(order, acceptance, candidate))
}

function nearestCandidates<Value, Item>(
  order: ValueOrder<Value, Item>,
  acceptance: Acceptance<Value, Item>,
  observed: Value | undefined,
): readonly Value[] {
  const { is, one_of: oneOf, at_least: atLeast, at_most: atMost, fix } = acceptance
  if (fix !== undefined) return [fix]
  if (is !== undefined) return [is]
  if (oneOf !== undefined) return oneOf
  const start = observed ?? atMost ?? atLeast
  return start === undefined ? [] : [MOVES.reduce<Value>((value, move) => move(order, acceptance, value), start)]
}

type Move = <Value, Item>(order: ValueOrder<Value, Item>, acceptance: Acceptance<Value, Item>, value: Value) => Value

/** Steps to the nearest accepted value; each keeps a value that its condition accepts. */
const MOVES: readonly Move[] = [
  ({ lower }, { at_most: bound }, value) => (bound === undefined ? value : requireSupported(lower)(value, bound)),
  ({ raise }, { at_least: bound }, value) => (bound === undefined ? value : requireSupported(raise)(value, bound)),
  ({ exclude }, { excludes: items }, value) => (items === undefined ? value : requireSupported(exclude)(value, items)),
  ({ include }, { includes: items }, value) => (items === undefined ? value : requireSupported(include)(value, items)),
]

function requireSupported<Function>(implementation: Function | undefined): Function {
  if (implementation === undefined) throw new Error('a property takes a condition that its values do not support')
  return implementation
}

/**
 * The problem of an acceptance as a whole, as the end of a sentence that starts with the property: a `fix` value that
 * is not accepted, or conditions that no value satisfies.
 */
export function acceptanceProblem<Value, Item>(
  order: ValueOrder<Value, Item>,
  acceptance: Acceptance<Value, Item>,
): string | undefined {
  const { is, one_of: oneOf, at_least: atLeast, at_most: atMost, fix } = acceptance
  const accepts = (value: Value): boolean => isAccepted(order, acceptance, value)
  if (fix !== undefined && !accepts(fix)) return 'has a value under "fix" that it does not accept'
  const named = is === undefined ? oneOf : [is]
  const contradiction = 'has conditions that are mutually exclusive: no value meets all of them'
  if (acceptance.includes?.some((item) => acceptance.excludes?.includes(item)) === true) return contradiction
  if (named !== undefined) return named.some(accepts) ? undefined : contradiction
  if (atLeast === undefined || atMost === undefined) return undefined
  return order.equals(requireSupported(order.lower)(atLeast, atMost), atLeast) ? undefined : contradiction
}

export function mapAcceptance<From, To>(acceptance: Acceptance<From>, map: (value: From) => To): Acceptance<To> {
  const mapped: { [Word in AcceptanceWord]?: unknown } = {}
  for (const word of ACCEPTANCE_WORDS) {
    const operand = acceptance[word]
    if (operand === undefined) continue
    if (word === 'matches' || word === 'not_matches') mapped[word] = operand
    else mapped[word] = takesList(word) ? acceptance[word]?.map(map) : map(operand as From)
  }
  // Every keyword keeps its shape.
  return mapped as Acceptance<To>
}

/** All values in an acceptance, including `fix`. */
export function valuesNamed<Value>(acceptance: Acceptance<Value>): readonly Value[] {
  const named: Value[] = []
  mapAcceptance(acceptance, (value) => named.push(value))
  return named
}

/** An acceptance in words: `at most 0640`, `one of root or adm`. `fix` is left out. */
export function formatAcceptance(acceptance: Acceptance, format: (value: WrittenValue) => string): string {
  const show = (value: WrittenValue | readonly WrittenValue[]): string =>
    typeof value === 'object' ? `[${value.map(format).join(', ')}]` : format(value)
  return CONDITIONS.flatMap((word): string[] => {
    const operands = takesList(word) ? acceptance[word] : single(acceptance[word])
    return operands === undefined ? [] : [PHRASES[word](operands.map(show))]
  }).join(' and ')
}

function single<Value>(operand: Value | undefined): readonly Value[] | undefined {
  return operand === undefined ? undefined : [operand]
}

const PHRASES: Readonly<Record<Condition, (operands: readonly string[]) => string>> = {
  is: ([value]) => `${value}`,
  not: ([value]) => `anything but ${value}`,
  one_of: (values) => (values.length === 1 ? `${values[0]}` : `one of ${joinWords(values, 'or')}`),
  none_of: (values) => `anything but ${joinWords(values, 'or')}`,
  at_least: ([value]) => `at least ${value}`,
  at_most: ([value]) => `at most ${value}`,
  matches: ([pattern]) => `a match of ${pattern}`,
  not_matches: ([pattern]) => `no match of ${pattern}`,
  includes: (items) => `with ${joinWords(items, 'and')}`,
  excludes: (items) => `without ${joinWords(items, 'and')}`,
}

function joinWords(values: readonly string[], conjunction: 'and' | 'or'): string {
  return values.length < 2 ? values.join('') : `${values.slice(0, -1).join(', ')} ${conjunction} ${values.at(-1)}`
}

/** A template, which may expand to a list. */
const TEMPLATE = { type: 'string', pattern: '\\{\\{|\\$\\{' }

/** The JSON Schema of the acceptances of a property with these conditions, given the schemas of one value and one item. */
export function acceptanceSchema(
  conditions: readonly Condition[],
  value: Readonly<Record<string, unknown>>,
  item: Readonly<Record<string, unknown>> = value,
): Readonly<Record<string, unknown>> {
  const operandOf = (word: AcceptanceWord): Readonly<Record<string, unknown>> => {
    if (word === 'matches' || word === 'not_matches') return { type: 'string' }
    if (!takesList(word)) return value
    const items = word === 'includes' || word === 'excludes' ? item : value
    return { anyOf: [{ type: 'array', minItems: 1, items }, TEMPLATE] }
  }
  const words = ACCEPTANCE_WORDS.filter((word) => word === 'fix' || conditions.includes(word))
  return {
    type: 'object',
    additionalProperties: false,
    anyOf: conditions.map((word) => ({ required: [word] })),
    properties: Object.fromEntries(words.map((word) => [word, { ...operandOf(word), description: SUMMARIES[word] }])),
  }
}

/** The meaning of each keyword, in one sentence. */
export const SUMMARIES: Readonly<Record<AcceptanceWord, string>> = {
  is: 'Equal to this value.',
  not: 'Not equal to this value.',
  one_of: 'One of these values; a fix writes the first.',
  none_of: 'Not one of these values.',
  at_least: 'At least this value.',
  at_most: 'At most this value.',
  matches: 'Text that this regular expression (RE2) matches as a whole.',
  not_matches: 'Text that this regular expression (RE2) does not match as a whole.',
  includes: 'Contains all of these.',
  excludes: 'Contains none of these.',
  fix: 'Value that a fix writes instead of the nearest accepted one.',
}
