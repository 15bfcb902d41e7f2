import type { Variable } from './state.ts'

/** Variables by name. A script may have thousands, and each assignment leaves the state before it as it is. */
export interface Variables extends Iterable<readonly [string, Variable]> {
  get(name: string): Variable | undefined
}

/** So many changes are copied at each assignment; then they become a part of the whole. */
const MOST_CHANGES = 128

class Changed implements Variables {
  readonly #whole: ReadonlyMap<string, Variable>
  readonly #changes: ReadonlyMap<string, Variable>

  constructor(whole: ReadonlyMap<string, Variable>, changes: ReadonlyMap<string, Variable>) {
    this.#whole = whole
    this.#changes = changes
  }

  get(name: string): Variable | undefined {
    return this.#changes.get(name) ?? this.#whole.get(name)
  }

  *[Symbol.iterator](): Generator<readonly [string, Variable]> {
    yield* new Map([...this.#whole, ...this.#changes])
  }

  with(name: string, variable: Variable): Changed {
    if (this.#changes.size < MOST_CHANGES) return new Changed(this.#whole, new Map(this.#changes).set(name, variable))
    return new Changed(new Map(this), new Map([[name, variable]]))
  }
}

/** The variables with another value of one. */
export function withVariable(variables: Variables, name: string, variable: Variable): Variables {
  const changed = variables instanceof Changed ? variables : new Changed(new Map(variables), new Map())
  return changed.with(name, variable)
}
