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

/** How a template is written and what it is called. */
export interface JetParseOptions {
  /** Its path in messages and for other templates to be relative to; absent is `/main`. */
  readonly name?: string
  /** The marks of actions, `{{` and `}}` when absent; CCM uses `[[` and `]]`. */
  readonly delimiters?: readonly [left: string, right: string]
  /** The marks of comments, `{*` and `*}` when absent. */
  readonly commentDelimiters?: readonly [left: string, right: string]
  /** Limits; absent uses the default ones. */
  readonly budget?: Budget
}

/** What a template is rendered with. */
export interface JetRenderOptions {
  /** Variables by name. */
  readonly variables?: ReadonlyMap<string, GoValue>
  /** The dot. */
  readonly context?: GoValue
  /** Functions by name. They win over Jet's own; what they return as nil prints nothing. */
  readonly functions?: ReadonlyMap<string, GoFunction>
  /** What happens to printed values; CCM escapes nothing. */
  readonly escape?: 'none' | 'html'
  /** What printing a nil that is stored somewhere does: it prints as Go prints it (default), or it is an error. */
  readonly nil?: 'print' | 'refuse'
  /** Finds templates for `include`, `extends`, `import` and `exec`; absent finds none. */
  readonly loader?: JetLoader
  /** Limits; absent uses the default ones. */
  readonly budget?: Budget
}

/**
 * Parses a Jet template. The result never changes and may be rendered any number of times. Throws `TemplateError` with
 * the offset of what does not parse, `BudgetError` when the template is too long or too complex.
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
 * Renders a parsed template. Throws `TemplateError` (`Jet Runtime Error ("name":line): …`) with the offset of the
 * expression when it lies in this template, `BudgetError` when a limit is reached.
 */
export function renderParsedJet(template: JetTemplate, options: JetRenderOptions = {}): string {
  return withinMemory(() => render(template, options))
}

/** Parses and renders a template in one go, on one budget. */
export function renderJet(source: string, options: JetParseOptions & JetRenderOptions = {}): string {
  const budget = options.budget ?? new Budget()
  return renderParsedJet(parseJet(source, { ...options, budget }), { ...options, budget })
}

function render(template: JetTemplate, options: JetRenderOptions): string {
  const { budget = new Budget(), loader = () => undefined } = options
  const library = new TemplateLibrary(loader, template.syntax, budget)
  const { root, blocks } = library.link(template)
  const variables = new Map<string, JetValue>()
  // A nil variable is no value, while a nil inside data is a value that prints as <nil>.
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
