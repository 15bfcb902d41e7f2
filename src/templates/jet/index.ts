import { Budget, type GoFunction, type GoValue } from '../govalue/index.ts'
import type { JetTemplate } from './ast.ts'
import { withinMemory } from '../errors.ts'
import { executeBody, renderOther } from './execute.ts'
import { escapeTemplateHtml } from './go-strings.ts'
import { DEFAULT_SYNTAX } from './lexer.ts'
import { TemplateLibrary, type JetLoader } from './loader.ts'
import { parseTemplate } from './parser.ts'
import type { Runtime } from './runtime.ts'
import type { JetValue } from './values.ts'

export type { JetSyntax, JetTemplate } from './ast.ts'
export { tokenize } from './lexer.ts'
export type { JetLoader } from './loader.ts'
export { printTemplate } from './print.ts'
export type { Token, TokenKind } from './tokens.ts'

/** Options of the parser. */
export interface JetParseOptions {
  /** Path for messages and relative references; default `/main`. */
  readonly name?: string
  /** Delimiters of actions, default `{{` and `}}`; CCM uses `[[` and `]]`. */
  readonly delimiters?: readonly [left: string, right: string]
  /** Delimiters of comments, default `{*` and `*}`. */
  readonly commentDelimiters?: readonly [left: string, right: string]
  /** Limits; the default limits if absent. */
  readonly budget?: Budget
}

/** Options of a rendering. */
export interface JetRenderOptions {
  /** Variables by name. */
  readonly variables?: ReadonlyMap<string, GoValue>
  /** The dot. */
  readonly context?: GoValue
  /** Functions by name. They override Jet's own; a nil result prints nothing. */
  readonly functions?: ReadonlyMap<string, GoFunction>
  /** Escaping of printed values; CCM escapes nothing. */
  readonly escape?: 'none' | 'html'
  /** Whether a stored nil is printed as in Go (default), or is an error. */
  readonly nil?: 'print' | 'refuse'
  /** Finds templates for `include`, `extends`, `import` and `exec`; without it none is found. */
  readonly loader?: JetLoader
  /** Limits; the default limits if absent. */
  readonly budget?: Budget
}

/**
 * Parses a Jet template. The result is immutable and can be rendered repeatedly. Throws a `TemplateError` with the offset of a
 * syntax error, a `BudgetError` if the template is too long or too complex.
 * @see https://github.com/CloudyKit/jet/blob/master/docs/syntax.md
 */
export function parseJet(source: string, options: JetParseOptions = {}): JetTemplate {
  const { name = '/main', budget = new Budget() } = options
  const syntax = {
    delimiters: options.delimiters ?? DEFAULT_SYNTAX.delimiters,
    commentDelimiters: options.commentDelimiters ?? DEFAULT_SYNTAX.commentDelimiters,
  }
  return withinMemory(() => parseTemplate(source, { name, syntax, budget }))
}

/**
 * Renders a parsed template. Throws a `TemplateError` (`Jet Runtime Error ("name":line): …`), with an offset if the expression is
 * in this template, and a `BudgetError` if a limit is reached.
 */
export function renderParsedJet(template: JetTemplate, options: JetRenderOptions = {}): string {
  return withinMemory(() => render(template, options))
}

/** Parses and renders a template with one budget. */
export function renderJet(source: string, options: JetParseOptions & JetRenderOptions = {}): string {
  const budget = options.budget ?? new Budget()
  return renderParsedJet(parseJet(source, { ...options, budget }), { ...options, budget })
}

function render(template: JetTemplate, options: JetRenderOptions): string {
  const { budget = new Budget(), loader = () => undefined } = options
  const library = new TemplateLibrary(loader, template.syntax, budget)
  const { root, blocks } = library.link(template)
  const variables = new Map<string, JetValue>()
  // A nil variable is `undefined`, while a nil inside data prints as <nil>.
  for (const [name, value] of options.variables ?? []) variables.set(name, value ?? undefined)
  const output: string[] = []
  const runtime: Runtime = {
    budget,
    library,
    functions: options.functions ?? new Map(),
    nil: options.nil ?? 'print',
    escape: options.escape === 'html' ? escapeTemplateHtml : (text) => text,
    renderOther,
    main: template.origin,
    origin: root.origin,
    scope: { parent: undefined, variables, blocks },
    context: options.context ?? undefined,
    contextIsElement: false,
    content: undefined,
    output,
    includeDepth: 0,
  }
  executeBody(runtime, root.body)
  return output.join('')
}
