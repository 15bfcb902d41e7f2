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
import { MUTATING_FUNCTIONS, REGEX_FUNCTION_NAMES, SPRIG, UNSUPPORTED_SPRIG } from './sprig/index.ts'
import { loadRegexEngine } from './sprig/regex-engine.ts'

export type { TemplateBody } from './ast.ts'
export { lexGoTemplate, type Delimiters, type LexerOptions } from './lexer.ts'
export { printStatements } from './print-node.ts'
export type { Token, TokenKind } from './token.ts'

/** How a template is parsed. */
export interface ParseGoTemplateOptions {
  /** Name of the source in error messages and of the template among its associated ones. */
  readonly name: string
  /** What opens and closes an action; `{{` and `}}` when absent. */
  readonly delimiters?: Delimiters | undefined
  /** Functions of the host. They hide those of sprig and Go; later ones hide earlier ones of the same name. */
  readonly functions?: readonly GoFunction[] | undefined
  /** `sprig` (the default) adds sprig's functions to Go's own. */
  readonly library?: 'sprig' | 'builtin' | undefined
  /** Templates that this one may call beside those it defines itself. */
  readonly associated?: ParsedGoTemplate | undefined
  /** Counts source and nodes; absent uses limits that suit a file. */
  readonly budget?: Budget | undefined
}

/** A parsed template. Immutable: it may be kept and rendered any number of times. */
export interface ParsedGoTemplate {
  readonly name: string
  /** The template itself and those it may call, by name. */
  readonly templates: ReadonlyMap<string, TemplateBody>
  readonly functions: ReadonlyMap<string, TemplateFunction>
  /** It calls a function that needs `prepareGoTemplate`. */
  readonly needsRegex: boolean
  /** It calls a function that changes dicts, so it gets a copy of the data. */
  readonly changesData: boolean
}

/** How a parsed template is rendered. */
export interface RenderGoTemplateOptions {
  /** Counts steps, output and nesting; templates rendered inside each other share one. */
  readonly budget?: Budget | undefined
  /** Functions of the host for this run, in place of those of the same name given when parsing. */
  readonly functions?: readonly GoFunction[] | undefined
  /** What printing nil does: `<no value>`, as in Go (default), or it is an error. */
  readonly nil?: 'print' | 'refuse' | undefined
  /** What reading a field does that a map does not have: it is nil (default), or an error, as with `missingkey=error`. */
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
 * Parses a template of Go's text/template, with the functions of sprig v3.3.0 that depend on nothing but their
 * arguments. Throws `TemplateError` with the offset of the mistake; functions whose result would differ at every run are
 * refused by name.
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
  const uses = (names: ReadonlySet<string>): boolean => Array.from(used).some((name) => names.has(name))
  return {
    name: options.name,
    templates: associate(associated?.templates ?? new Map(), parser.templates),
    functions,
    needsRegex: uses(REGEX_FUNCTION_NAMES) || associated?.needsRegex === true,
    changesData: uses(MUTATING_FUNCTIONS) || associated?.changesData === true,
  }
}

// A template that is empty does not replace one that is not.
function associate(
  known: ReadonlyMap<string, TemplateBody>,
  added: ReadonlyMap<string, TemplateBody>,
): ReadonlyMap<string, TemplateBody> {
  const kept = [...added].filter(([name, body]) => !known.has(name) || !isEmpty(body.statements))
  return new Map([...known, ...kept])
}

/** Loads what the template needs to be rendered. Call it once before the first `renderGoTemplate`. */
export async function prepareGoTemplate(template: ParsedGoTemplate): Promise<void> {
  if (template.needsRegex) await loadRegexEngine()
}

/**
 * Renders a template with `data` as its dot. The data is never changed: a template with functions that change dicts
 * works on a copy. Throws `TemplateError` with the offset in the template, in text/template's words.
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
