import type { Budget, GoFunction, GoValue } from '../../../templates/govalue/index.ts'

export type EngineName = 'go' | 'jet'

/** Opening and closing delimiter of an action. */
export type Delimiters = readonly [left: string, right: string]

export interface EngineOptions {
  readonly delimiters: Delimiters
  /** Variables of Jet; text/template has only the dot. */
  readonly variables: ReadonlyMap<string, GoValue>
  readonly functions: ReadonlyMap<string, GoFunction>
  /** Whether nil is printed or is an error. */
  readonly nil: 'print' | 'refuse'
}

/** Parsed template, rendered with a value as its dot. Throws a `TemplateError`. */
export type CompiledTemplate = (dot: GoValue, budget: Budget) => string

/** Parses a template; `path` is its name in messages. Throws a `TemplateError`. */
export type Compile = (path: string, source: string, budget: Budget) => CompiledTemplate

/** Loads a template engine and binds the shared options. */
export async function loadEngine(name: EngineName, options: EngineOptions): Promise<Compile> {
  return name === 'go' ? loadGo(options) : loadJet(options)
}

async function loadJet({ delimiters, variables, functions, nil }: EngineOptions): Promise<Compile> {
  const { parseJet, renderParsedJet } = await import('../../../templates/jet/index.ts')
  return (path, source, budget) => {
    const template = parseJet(source, { name: `/${path}`, delimiters, budget })
    return (dot, budgetOfRun) =>
      renderParsedJet(template, { variables, context: dot, functions, escape: 'none', nil, budget: budgetOfRun })
  }
}

async function loadGo({ delimiters: [left, right], functions, nil }: EngineOptions): Promise<Compile> {
  const { parseGoTemplate, renderGoTemplate } = await import('../../../templates/gotemplate/index.ts')
  const list = [...functions.values()]
  return (path, source, budget) => {
    const template = parseGoTemplate(source, { name: path, delimiters: { left, right }, functions: list, budget })
    return (dot, budgetOfRun) => renderGoTemplate(template, dot, { budget: budgetOfRun, nil })
  }
}
