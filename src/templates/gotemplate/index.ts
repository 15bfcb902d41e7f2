import { Budget, type BudgetLimits, type GoFunction, type GoValue } from '../govalue/index.ts'
import { TemplateError, withinMemory } from '../errors.ts'
import type { TemplateBody } from './ast.ts'
import { BUILTINS } from './builtins.ts'
import { evaluateTemplate, placeBudgetError } from './evaluate.ts'
import { functionTable, hostFunction, type TemplateFunction } from './functions.ts'
import { lexGoTemplate, type Delimiters } from './lexer.ts'
import { isEmpty, parseSource } from './parser.ts'
import type { Parser } from './parser-state.ts'
import type { Evaluation } from './scope.ts'
import { deepCopy } from './sprig/dictionaries.ts'
import { MUTATING_FUNCTIONS, SPRIG, UNSUPPORTED_SPRIG } from './sprig/index.ts'

export type { TemplateBody } from './ast.ts'
export { lexGoTemplate, type Delimiters } from './lexer.ts'
export { printStatements } from './print-node.ts'

/** Options of the parser. */
export interface ParseGoTemplateOptions {
  /** Name of the source in error messages and of the template among its associated ones. */
  readonly name: string
  /** Opening and closing delimiter; default `{{` and `}}`. */
  readonly delimiters?: Delimiters | undefined
  /** Host functions. They override those of sprig and Go; the last of several with one name is used. */
  readonly functions?: readonly GoFunction[] | undefined
  /** `sprig` (the default) adds sprig's functions to Go's own. */
  readonly library?: 'sprig' | 'builtin' | undefined
  /** Templates that this one may call, besides those it defines itself. */
  readonly associated?: ParsedGoTemplate | undefined
  /** Counts source and nodes; limits for a file if absent. */
  readonly budget?: Budget | undefined
}

/** Parsed template. Immutable: it can be cached and rendered repeatedly. */
export interface ParsedGoTemplate {
  readonly name: string
  /** The template and the templates it may call, by name. */
  readonly templates: ReadonlyMap<string, TemplateBody>
  readonly functions: ReadonlyMap<string, TemplateFunction>
  /** Whether it calls a function that changes dicts, so that it needs a copy of the data. */
  readonly changesData: boolean
}

/** Options of a rendering. */
export interface RenderGoTemplateOptions {
  /** Counts steps, output and nesting; nested templates share it. */
  readonly budget?: Budget | undefined
  /** Host functions for this rendering; they replace those of the parser with the same name. */
  readonly functions?: readonly GoFunction[] | undefined
  /** Whether nil is printed as `<no value>`, as in Go (default), or is an error. */
  readonly nil?: 'print' | 'refuse' | undefined
  /** Whether a missing map key is nil (default), or an error, as with `missingkey=error`. */
  readonly missingKey?: 'nil' | 'refuse' | undefined
}

// A file has many more nodes than an expression.
const PARSE_LIMITS: Partial<BudgetLimits> = { nodes: 200_000 }

const GO_FUNCTIONS = functionTable(BUILTINS)
const ALL_FUNCTIONS: ReadonlyMap<string, TemplateFunction> = new Map([...GO_FUNCTIONS, ...SPRIG])

function functionsOf({ functions = [], library }: ParseGoTemplateOptions): ReadonlyMap<string, TemplateFunction> {
  const base = library === 'builtin' ? GO_FUNCTIONS : ALL_FUNCTIONS
  if (functions.length === 0) return base
  return new Map([...base, ...functionTable(functions.map(hostFunction))])
}

/**
 * Parses a template of Go's text/template, with the functions of sprig v3.3.0 that depend only on their arguments. Throws a
 * `TemplateError` with the offset of a syntax error; functions with results that differ between runs are refused by name.
 */
export function parseGoTemplate(source: string, options: ParseGoTemplateOptions): ParsedGoTemplate {
  const budget = options.budget ?? new Budget(PARSE_LIMITS)
  budget.checkSource(source)
  const functions = functionsOf(options)
  const used = new Set<string>()
  const checkFunction = (name: string, offset: number): void => {
    used.add(name)
    if (functions.has(name)) return
    const reason = options.library === 'builtin' ? undefined : UNSUPPORTED_SPRIG.get(name)
    if (reason === undefined) throw new TemplateError(`function "${name}" not defined`, offset)
    throw new TemplateError(`function "${name}" is not supported: ${reason}`, offset)
  }
  const parser: Parser = {
    source,
    sourceName: options.name,
    tokens: lexGoTemplate(source, {
      delimiters: options.delimiters,
      isFunction: (name) => functions.has(name),
    }),
    budget,
    checkFunction,
    templates: new Map(),
    index: 0,
    furthest: 0,
    variables: ['$'],
    rangeDepth: 0,
    depth: 0,
    actionOffset: undefined,
  }
  parseSource(parser)
  const { associated } = options
  return {
    name: options.name,
    templates: associate(associated?.templates ?? new Map(), parser.templates),
    functions,
    changesData: Array.from(used).some((name) => MUTATING_FUNCTIONS.has(name)) || associated?.changesData === true,
  }
}

// An empty template does not replace a non-empty one.
function associate(
  known: ReadonlyMap<string, TemplateBody>,
  added: ReadonlyMap<string, TemplateBody>,
): ReadonlyMap<string, TemplateBody> {
  const kept = [...added].filter(([name, body]) => !known.has(name) || !isEmpty(body.statements))
  return new Map([...known, ...kept])
}

/**
 * Renders a template with `data` as its dot. The data is never changed: a template with functions that change dicts works on a
 * copy. Throws a `TemplateError` with the offset in the template, in text/template's words.
 */
export function renderGoTemplate(
  template: ParsedGoTemplate,
  data: GoValue,
  options: RenderGoTemplateOptions = {},
): string {
  const budget = options.budget ?? new Budget()
  const isolate = (value: GoValue): GoValue => (template.changesData ? deepCopy(value, budget) : value)
  const overrides = functionTable((options.functions ?? []).map(hostFunction))
  const evaluation: Evaluation = {
    context: { budget, isolate },
    templates: template.templates,
    nil: options.nil ?? 'print',
    missingKey: options.missingKey ?? 'nil',
    findFunction: (name) => overrides.get(name) ?? template.functions.get(name),
    output: '',
    place: undefined,
  }
  const body = template.templates.get(template.name)
  if (body === undefined) throw new TemplateError(`template: "${template.name}" is an incomplete or empty template`)
  try {
    withinMemory(() => evaluateTemplate(evaluation, body, isolate(data) ?? undefined))
  } catch (error) {
    throw placeBudgetError(evaluation, error)
  }
  return evaluation.output
}
