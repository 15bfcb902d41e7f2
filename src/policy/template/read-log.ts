import type { Origin } from '../../model/policy.ts'
import { SHORTEST_FINDABLE, withLines } from '../../model/secret-text.ts'
import { BudgetError, missingValueIn, MissingValueError, TemplateError } from '../../templates/errors.ts'
import { formatGoValue, isGoList, isGoMap, type GoValue } from '../../templates/govalue/index.ts'
import { plainStart } from './lookup-path.ts'

type Values = ReadonlyMap<GoValue, GoValue>

/** The result of an evaluation, with the origins of the values it read. */
export interface Traced<Result> {
  readonly result: Result
  readonly origins: ReadonlySet<Origin>
  /** Whether an expression derived a value from a secret that is not the secret itself. */
  readonly isDerived: boolean
  /** Whether it used a secret in a form that cannot be found in text. */
  readonly isUnfindable: boolean
}

/** The secret parts of the data. */
export interface SecretData {
  readonly paths: readonly (readonly string[])[]
  /** The secrets as text, in every common form. */
  readonly texts: ReadonlySet<string>
}

interface Seen {
  readonly origins: Set<Origin>
  isDerived: boolean
  isUnfindable: boolean
}

/**
 * Records all reads of evaluations: a value counts as derived from everything that was read during its evaluation, even
 * for a branch. All evaluations of a policy share one log.
 */
export class ReadLog {
  readonly #secrets: SecretData
  readonly #foreign: ReadonlyMap<string, readonly Origin[]>
  readonly #derived = new Set<string>()
  #taken = 0
  #secretReads = 0
  #isOff = false
  #seen: Seen = nothingSeen()

  /** `foreign` maps keys of the data to the origins of their values. */
  constructor(secrets: SecretData, foreign: ReadonlyMap<string, readonly Origin[]> = new Map()) {
    this.#secrets = secrets
    this.#foreign = foreign
  }

  /** Texts derived from secrets so far. Literals in the expression are not secret. */
  get derived(): ReadonlySet<string> {
    return this.#derived
  }

  /** The derived texts added since the last call. */
  takeDerived(): readonly string[] {
    const added = [...this.#derived].slice(this.#taken)
    this.#taken = this.#derived.size
    return added
  }

  /** Number of reads of secrets, to detect whether asynchronous work has read any. */
  get secretReads(): number {
    return this.#secretReads
  }

  note(origin: Origin): void {
    if (this.#isOff) return
    this.#seen.origins.add(origin)
    if (origin === 'secret') this.#secretReads++
  }

  /** Adds a whole text to the derived secrets. */
  hide(text: string): void {
    this.#derived.add(text)
  }

  /** Runs evaluations and returns what they read. The reads also count for enclosing evaluations, even after an error. */
  during<Result>(run: () => Result): Traced<Result> {
    const outer = this.#seen
    const seen = nothingSeen()
    this.#seen = seen
    try {
      return { result: run(), ...seen }
    } finally {
      this.#seen = outer
      for (const origin of seen.origins) outer.origins.add(origin)
      outer.isDerived ||= seen.isDerived
      outer.isUnfindable ||= seen.isUnfindable
    }
  }

  /** Evaluates an expression: values derived from secrets are secret, and the error is hidden if it has read any. */
  evaluate(source: string, run: () => GoValue): GoValue {
    return this.during(() => {
      const value = this.guard(run)
      if (this.#seen.origins.has('secret')) this.#keep(value, source)
      return value
    }).result
  }

  /** Runs an evaluation and hides its error if it has read a secret. */
  guard<Result>(run: () => Result): Result {
    try {
      return run()
    } catch (error) {
      throw this.#seen.origins.has('secret') ? withoutReason(error) : error
    }
  }

  /** Looks up a path in all data; only the values that the path can reach count as read. */
  lookUp(path: string, find: () => GoValue | undefined): GoValue | undefined {
    for (const origin of this.#originsOf(path)) this.note(origin)
    return this.unnoted(find)
  }

  /** Runs code that iterates values without using them; nothing is recorded. */
  unnoted<Result>(run: () => Result): Result {
    const wasOff = this.#isOff
    this.#isOff = true
    try {
      return run()
    } finally {
      this.#isOff = wasOff
    }
  }

  /** The data with a recorder of reads of secrets. */
  watchData(data: Values): Values {
    const watched = this.#watchBelow(data, this.#secrets.paths)
    return this.#foreign.size === 0 ? watched : this.#watchForeign(watched)
  }

  /** Records reads of all values of a map, in place. */
  watchAll(map: Values, origin: Origin): Values {
    return watch(
      map,
      () => true,
      () => this.note(origin),
    )
  }

  #watchBelow(data: Values, paths: readonly (readonly string[])[]): Values {
    if (paths.length === 0) return data
    const secret = new Set(paths.filter(({ length }) => length === 1).map(([key]) => key))
    const copy = new Map(data)
    for (const [key, value] of data) {
      const below = paths
        .filter(([first, ...rest]) => first === nameOf(key) && rest.length > 0)
        .map(([, ...rest]) => rest)
      if (isGoMap(value)) copy.set(key, this.#watchBelow(value, below))
    }
    if (secret.size === 0) return copy
    return watch(
      copy,
      (key) => secret.has(nameOf(key)),
      () => this.note('secret'),
    )
  }

  /** Wraps an already watched map, whose own methods are called. */
  #watchForeign(data: Values): Values {
    const noteKey = (key: string): void => this.#foreign.get(key)?.forEach((origin) => this.note(origin))
    return watch(
      data,
      (key) => this.#foreign.has(nameOf(key)),
      (key) => {
        if (key === undefined) for (const each of this.#foreign.keys()) noteKey(each)
        else noteKey(nameOf(key))
      },
    )
  }

  #originsOf(path: string): readonly Origin[] {
    const [part, ...keys] = plainStart(path)
    if (part === 'facts') return []
    if (part === 'environ') return ['environment']
    const { paths } = this.#secrets
    const isSecret = part === 'data' ? paths.some((secret) => isPrefixOfOther(secret, keys)) : paths.length > 0
    const [key] = part === 'data' ? keys : []
    const foreign = key === undefined ? [...this.#foreign.values()].flat() : (this.#foreign.get(key) ?? [])
    return [
      ...(isSecret ? (['secret'] as const) : []),
      ...(part === 'data' ? [] : (['environment'] as const)),
      ...foreign,
    ]
  }

  #keep(value: GoValue, source: string): void {
    if (isGoList(value)) for (const item of value) this.#keep(item, source)
    else if (isGoMap(value)) for (const item of value.values()) this.#keep(item, source)
    else {
      const text = formatGoValue(value)
      if (value === null || text === '') return
      const isFindable = text.length >= SHORTEST_FINDABLE && typeof value !== 'boolean' && !source.includes(text)
      if (isFindable && this.#secrets.texts.has(text)) return
      this.#seen.isDerived = true
      if (isFindable)
        withLines(text)
          .filter(isLongEnough)
          .forEach((line) => this.#derived.add(line))
      else this.#seen.isUnfindable = true
    }
  }
}

function nothingSeen(): Seen {
  return { origins: new Set(), isDerived: false, isUnfindable: false }
}

function isLongEnough(text: string): boolean {
  return text.length >= SHORTEST_FINDABLE
}

/** Whether one path is a prefix of the other. */
function isPrefixOfOther(left: readonly string[], right: readonly string[]): boolean {
  return left.every((key, at) => right[at] === undefined || right[at] === key)
}

function nameOf(key: GoValue): string {
  return typeof key === 'string' ? key : formatGoValue(key)
}

/** Reports reads of these keys, and iteration over all values without a key. Listing the keys is not a read. */
function watch(map: Values, isWatched: (key: GoValue) => boolean, tell: (key?: GoValue) => void): Values {
  const inner = map.get.bind(map)
  const get = (key: GoValue): GoValue | undefined => {
    if (isWatched(key)) tell(key)
    return inner(key)
  }
  Object.defineProperty(map, 'get', { value: get, configurable: true })
  for (const name of ['entries', 'values', 'forEach', Symbol.iterator] as const) {
    const innerWay: (...args: never) => unknown = map[name]
    const value = (...args: unknown[]): unknown => {
      tell()
      return Reflect.apply(innerWay, map, args)
    }
    Object.defineProperty(map, name, { value, configurable: true })
  }
  return map
}

const HIDDEN_REASON = 'this failed; the reason is hidden because it reads a secret'

/** The message of an error may contain values; only errors about limits and resources keep it. */
function withoutReason(error: unknown): unknown {
  if (!(error instanceof TemplateError) || error instanceof BudgetError) return error
  const missing = missingValueIn(error)
  if (missing === undefined) return new TemplateError(HIDDEN_REASON, error.offset)
  // Exported values are named as written, which is not secret.
  return missing.resource === undefined ? new MissingValueError(HIDDEN_REASON, { certainty: missing.certainty }) : error
}
