import { excerpt, placedAt, TemplateError } from '../../templates/errors.ts'
import { expandTyped, type Evaluator } from './expand.ts'
import {
  compileExpression,
  evaluateExpression,
  MAP,
  STRING,
  STRING_MAP,
  type CompiledExpression,
  type ExprType,
} from '../../templates/expr/index.ts'
import type { EnvironmentOptions, ResourceValues, ValueMap } from './environment-options.ts'
import { factsOfExpression } from './fact-families.ts'
import { createFunctions, type JetDelimiters } from './functions.ts'
import { Budget, type GoFunction, type GoValue } from '../../templates/govalue/index.ts'
import { createLookup, type Lookup } from './lookup.ts'
import { checkMembers } from './member-check.ts'
import { ReadLog, type SecretData } from './read-log.ts'
import { readsOfExpression, resourcePath, type ResourceRead, RESOURCES } from './resource-reads.ts'
import { findStrictly } from './strict-lookup.ts'
import { guardNames, hasPath, strictMap, type Strictness } from './strict-values.ts'
import { environOf, markReadsSecret } from './surroundings.ts'

/** The error of reading exported values at the wrong time. */
export const RESOURCES_NOT_HERE =
  'the values of other resources cannot be read here: they are known only when a scan evaluates the conditions and properties of a resource'

const variableTypes: ReadonlyMap<string, ExprType> = new Map([
  ['Facts', MAP],
  ['Data', MAP],
  ['Environ', STRING_MAP],
  ['WorkingDir', STRING],
  [RESOURCES, MAP],
])

const NO_SECRETS: SecretData = { paths: [], texts: new Set() }

const maxCached = 2000
const maxCachedLength = 10_000

interface Prepared {
  readonly expression: CompiledExpression
  readonly readsFacts: boolean
  /** The exported values of other resources that it reads. */
  readonly reads: readonly ResourceRead[]
}

/**
 * The environment of a policy's templates. Caches parsed expressions and the documents of lookups, so use one for all
 * templates with the same values.
 */
export class TemplateEnvironment implements Evaluator {
  /** Whether nil is printed or an error. */
  readonly nil: 'print' | 'refuse'
  readonly #options: EnvironmentOptions
  readonly #data: ValueMap
  readonly #reads: ReadLog
  readonly #environ: ValueMap
  readonly #functions: ReadonlyMap<string, GoFunction>
  readonly #functionNames: ReadonlySet<string>
  readonly #prepared = new Map<string, Prepared>()
  readonly #variablesWithoutFacts: ValueMap
  #variablesWithFacts: ValueMap | undefined
  /** Facts as given, and as templates see them. */
  #gathered: ValueMap | undefined
  #facts: ValueMap | undefined
  #budget: Budget | undefined
  #resources: ResourceValues | undefined

  constructor(options: EnvironmentOptions) {
    this.#options = options
    const { strict, reads = new ReadLog(NO_SECRETS) } = options
    this.#reads = reads
    this.nil = strict === undefined ? 'print' : 'refuse'
    // Guarding iterates all values, which must not count as reading them.
    this.#data = strict === undefined ? options.data : reads.unnoted(() => strictMap(options.data, { root: 'Data' }))
    this.#environ = environOf(options, reads)
    this.#variablesWithoutFacts = this.#variables(new Map())
    const lookup = createLookup({
      facts: () => this.#gatheredFacts(),
      data: () => options.data,
      environ: () => this.#environ,
    })
    const find = strict === undefined ? lookup : (path: string) => this.#findStrictly(path, lookup)
    const host = {
      ...options,
      lookup: (path: string) =>
        resourcePath(path) === undefined ? reads.lookUp(path, () => find(path)) : this.#findInResources(path),
      readFile: (path: string, isOfMachine?: boolean) => {
        reads.note('file')
        return options.readFile(path, isOfMachine)
      },
      kvGet: markReadsSecret(options.kvGet, reads),
      onMissing: options.onMissing ?? 'error',
      expand: (text: string) => this.#nested(() => expandTyped(text, this)),
      renderJet: options.jet && ((template: string, marks: JetDelimiters) => this.renderJet(template, marks)),
    }
    const functions = createFunctions(host, options.functions ?? 'all')
    this.#functions = new Map(functions.map((callable) => [callable.name, callable]))
    this.#functionNames = new Set(this.#functions.keys())
  }

  /**
   * Evaluates an expression. Throws a `TemplateError` with the offset in the expression; a compile error names the
   * expression and may suggest a correction.
   */
  evaluate(source: string): GoValue {
    return this.#evaluate(source, 'any')
  }

  /** Evaluates a condition: nil is false, other non-boolean values throw a `TemplateError`. */
  evaluateCondition(source: string): boolean {
    return this.#evaluate(source, 'bool') === true
  }

  /**
   * Compiles an expression without evaluating it. Throws a `TemplateError` as `evaluate` does, also for names that
   * exist on no machine.
   */
  check(source: string, result: 'any' | 'bool'): void {
    const { expression } = this.#prepare(source, result)
    const { strict } = this.#options
    if (strict === undefined) return
    const isKnownFact = (path: readonly string[]): boolean => hasPath(this.#allFacts(), path)
    checkMembers(expression, { facts: strict.facts, isKnownFact, isMissing: strict.isMissing })
  }

  /** Provides exported values to `run`; outside of it they cannot be read. */
  withResources<Result>(resources: ResourceValues, run: () => Result): Result {
    this.#resources = resources
    try {
      return run()
    } finally {
      this.#resources = undefined
    }
  }

  withBudget<Result>(run: (budget: Budget) => Result): Result {
    if (this.#budget !== undefined) return run(this.#budget)
    this.#budget = new Budget()
    try {
      return run(this.#budget)
    } finally {
      this.#budget = undefined
    }
  }

  /** Renders a Jet template. Throws a `TemplateError` if that fails, or without a renderer. */
  renderJet(template: string, { left, right }: JetDelimiters): string {
    const { jet } = this.#options
    if (jet === undefined) throw new TemplateError('jet templates are not available here')
    return this.#nested((budget) =>
      jet(template, {
        delimiters: [left, right],
        variables: this.jetVariables(),
        context: this.#allVariables(),
        functions: this.jetFunctions(),
        budget,
        nil: this.nil,
      }),
    )
  }

  /** The variables of templates in other languages: `facts`, `data`, `environ` and the same with an initial capital. */
  jetVariables(): ReadonlyMap<string, GoValue> {
    const facts = this.#allFacts()
    const data = this.#data
    return new Map<string, GoValue>([
      ['facts', facts],
      ['Facts', facts],
      ['data', data],
      ['Data', data],
      ['environ', this.#environ],
      ['Environ', this.#environ],
    ])
  }

  /** All functions of expressions; `jet` and `template` are excluded in their own languages. */
  allFunctions(): ReadonlyMap<string, GoFunction> {
    return this.#functions
  }

  jetFunctions(): ReadonlyMap<string, GoFunction> {
    return new Map([...this.#functions].filter(([name]) => name !== 'jet'))
  }

  #evaluate(source: string, result: 'any' | 'bool'): GoValue {
    const { expression, readsFacts, reads } = this.#prepare(source, result)
    const others = readsFacts ? this.#allVariables() : this.#variablesWithoutFacts
    const variables = reads.length === 0 ? others : this.#withVariable(others, reads)
    return this.#reads.evaluate(source, () =>
      this.withBudget((budget) => evaluateExpression(expression, { variables, functions: this.#functions }, budget)),
    )
  }

  #allVariables(): ValueMap {
    this.#variablesWithFacts ??= this.#variables(this.#allFacts())
    return this.#variablesWithFacts
  }

  #withVariable(variables: ValueMap, [first]: readonly ResourceRead[]): ValueMap {
    if (this.#resources === undefined) throw new TemplateError(RESOURCES_NOT_HERE, first?.offset)
    return new Map([...variables, [RESOURCES, this.#resources.variable]])
  }

  #findInResources(path: string): GoValue | undefined {
    const own = resourcePath(path)
    if (own === undefined) return undefined
    if (this.#resources === undefined) throw new TemplateError(RESOURCES_NOT_HERE)
    return this.#resources.find(own)
  }

  /** Looks up a path in strict values, which support alternative spellings and unreadable values. */
  #findStrictly(path: string, lookup: Lookup): GoValue | undefined {
    return findStrictly(path, {
      lookup,
      roots: {
        facts: () => ({ values: this.#allFacts(), strictness: this.#factStrictness() }),
        data: () => ({ values: this.#data, strictness: { root: 'Data' } }),
        environ: () => ({ values: this.#environ, strictness: { root: 'Environ' } }),
      },
    })
  }

  #variables(facts: ValueMap): ValueMap {
    const variables: readonly (readonly [string, GoValue])[] = [
      ['Facts', facts],
      ['Data', this.#data],
      ['Environ', this.#environ],
      ['WorkingDir', this.#options.workingDirectory],
    ]
    const map = new Map<GoValue, GoValue>(variables)
    return this.#options.strict === undefined ? map : guardNames(map)
  }

  #prepare(source: string, result: 'any' | 'bool'): Prepared {
    const key = `${result} ${source}`
    const known = this.#prepared.get(key)
    if (known !== undefined) return known
    const expression = this.#compile(source, result)
    const facts = factsOfExpression(expression.root)
    const readsFacts = facts === 'all' || facts.size > 0
    const prepared = { expression, readsFacts, reads: readsOfExpression(source, expression.root) }
    if (source.length > maxCachedLength) return prepared
    if (this.#prepared.size >= maxCached) this.#prepared.clear()
    this.#prepared.set(key, prepared)
    return prepared
  }

  #compile(source: string, result: 'any' | 'bool'): CompiledExpression {
    try {
      return compileExpression(source, { environment: variableTypes, functionNames: this.#functionNames, result })
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error
      throw placedAt(error, error.offset, `expr compile error for '${excerpt(source)}': ${error.message}`)
    }
  }

  #gatheredFacts(): ValueMap {
    this.#gathered ??= this.#options.facts()
    return this.#gathered
  }

  #allFacts(): ValueMap {
    this.#facts ??= this.#options.strict === undefined ? this.#gatheredFacts() : this.#strictFacts()
    return this.#facts
  }

  #strictFacts(): ValueMap {
    const values = this.#gatheredFacts()
    return strictMap(values, this.#factStrictness())
  }

  #factStrictness(): Strictness {
    const { strict } = this.#options
    return { root: 'Facts', shape: strict?.facts, unread: strict?.unreadFacts() }
  }

  /** Runs a nested template. Offsets in it are removed from errors, since they do not apply to the outer one. */
  #nested<Result>(run: (budget: Budget) => Result): Result {
    return this.withBudget((budget) => {
      try {
        return budget.nested(() => run(budget))
      } catch (error) {
        if (error instanceof TemplateError) throw placedAt(error, undefined)
        throw error
      }
    })
  }
}
