/** Persistent map of variables: a script may set thousands, and each assignment leaves earlier states unchanged. */
export interface Named<Value> extends Iterable<readonly [string, Value]> {
  get(name: string): Value | undefined
}

/** Maximum number of changes that an assignment copies; then they are merged into the base map. */
const MOST_CHANGES = 128

class Changed<Value> implements Named<Value> {
  readonly #whole: ReadonlyMap<string, Value>
  readonly #changes: ReadonlyMap<string, Value>

  constructor(whole: ReadonlyMap<string, Value>, changes: ReadonlyMap<string, Value>) {
    this.#whole = whole
    this.#changes = changes
  }

  get(name: string): Value | undefined {
    return this.#changes.get(name) ?? this.#whole.get(name)
  }

  *[Symbol.iterator](): Generator<readonly [string, Value]> {
    yield* new Map([...this.#whole, ...this.#changes])
  }

  with(name: string, value: Value): Changed<Value> {
    if (this.#changes.size < MOST_CHANGES) return new Changed(this.#whole, new Map(this.#changes).set(name, value))
    return new Changed(new Map(this), new Map([[name, value]]))
  }
}

export function withValue<Value>(all: Named<Value>, name: string, value: Value): Named<Value> {
  const changed = all instanceof Changed ? (all as Changed<Value>) : new Changed(new Map(all), new Map())
  return changed.with(name, value)
}
