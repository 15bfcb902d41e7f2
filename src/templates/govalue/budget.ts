import { BudgetError } from '../errors.ts'

/** Limits of one evaluation. Sizes are UTF-16 units for sources and output, times are milliseconds. */
export interface BudgetLimits {
  readonly sourceLength: number
  readonly nodes: number
  readonly steps: number
  readonly elements: number
  /** Total length of the text and bytes that functions and concatenations create. */
  readonly textLength: number
  readonly nesting: number
  readonly outputLength: number
  readonly wallClockMs: number
}

/** Default limits. A million elements and 10,000 nodes are expr-lang's own. */
export const DEFAULT_LIMITS: BudgetLimits = {
  sourceLength: 1024 * 1024,
  nodes: 10_000,
  steps: 1_000_000,
  elements: 1_000_000,
  textLength: 256 * 1024 * 1024,
  nesting: 100,
  outputLength: 16 * 1024 * 1024,
  wallClockMs: 10_000,
}

/** Maximum nesting of values; protects the stack of recursive functions. */
export const MAX_VALUE_DEPTH = 1000

const CLOCK_MASK = 4095
const TEXT_CLOCK_MASK = 2 ** 20 - 1

/**
 * Counts the resources of a template evaluation and throws a `BudgetError` at a limit, so that no template can hang or exhaust
 * the process. Create one per evaluation; nested templates share their caller's.
 */
export class Budget {
  readonly limits: BudgetLimits
  #deadline = 0
  #nodes = 0
  #steps = 0
  #elements = 0
  #depth = 0
  #outputLength = 0
  #textLength = 0

  constructor(limits?: Partial<BudgetLimits>) {
    this.limits = limits === undefined ? DEFAULT_LIMITS : { ...DEFAULT_LIMITS, ...limits }
  }

  /** Call before parsing a source. */
  checkSource(source: string): void {
    if (source.length > this.limits.sourceLength) {
      throw new BudgetError(`template is longer than ${this.limits.sourceLength} characters`)
    }
  }

  /** Call for every syntax node created. */
  node(offset?: number): void {
    this.#nodes += 1
    if (this.#nodes > this.limits.nodes) {
      throw new BudgetError(`compilation failed: expression exceeds maximum allowed nodes`, offset)
    }
  }

  /** Call for every node evaluated and for every round of a loop inside a function. */
  step(count = 1): void {
    const before = this.#steps
    // Reading the clock is expensive, and many templates are only parsed.
    if (before === 0) this.#deadline = performance.now() + this.limits.wallClockMs
    this.#steps = before + count
    if (this.#steps > this.limits.steps) {
      throw new BudgetError(`evaluation needs more than ${this.limits.steps} steps`)
    }
    if ((before | CLOCK_MASK) < this.#steps) this.#checkClock()
  }

  #checkClock(): void {
    if (performance.now() > this.#deadline) {
      throw new BudgetError(`evaluation takes longer than ${this.limits.wallClockMs} ms`)
    }
  }

  /** Call before creating `count` list elements, map entries or characters; the text is expr-lang's. */
  produce(count: number): void {
    this.#elements += count
    if (this.#elements >= this.limits.elements) throw new BudgetError('memory budget exceeded')
  }

  /** Call before creating `length` UTF-16 units or bytes in one piece, which are limited like the output. */
  text(length: number): void {
    const before = this.#textLength
    this.#textLength = before + length
    if (length > this.limits.outputLength || this.#textLength > this.limits.textLength) {
      throw new BudgetError('memory budget exceeded')
    }
    // A step over long text takes long.
    if ((before | TEXT_CLOCK_MASK) < this.#textLength && this.#steps > 0) this.#checkClock()
  }

  /** Call for the result of a function: counts the text and bytes that it created. */
  made<Value>(value: Value): Value {
    if (typeof value === 'string' || value instanceof Uint8Array) this.text(value.length)
    return value
  }

  /** Call for every piece of text written. */
  output(text: string): void {
    this.#outputLength += text.length
    if (this.#outputLength > this.limits.outputLength) {
      throw new BudgetError(`output is longer than ${this.limits.outputLength} characters`)
    }
  }

  /** Runs `work` one level deeper: an included, rendered or called template, block or macro. */
  nested<T>(work: () => T): T {
    this.#depth += 1
    try {
      if (this.#depth > this.limits.nesting) {
        throw new BudgetError(`templates are nested deeper than ${this.limits.nesting} levels`)
      }
      return work()
    } finally {
      this.#depth -= 1
    }
  }
}
