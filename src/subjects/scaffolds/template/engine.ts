import type { Budget, GoFunction, GoValue } from '../../../templates/govalue/index.ts'

/** The two template languages of scaffolds. */
export type EngineName = 'go' | 'jet'

/** What opens and closes an action. */
export type Delimiters = readonly [left: string, right: string]

/** What all templates of a scaffold share. */
export interface EngineOptions {
  readonly delimiters: Delimiters
  /** Jet's variables; text/template knows the dot alone. */
  readonly variables: ReadonlyMap<string, GoValue>
  readonly functions: ReadonlyMap<string, GoFunction>
  /** What printing nil does. */
  readonly nil: 'print' | 'refuse'
}

/** A parsed template, rendered with a value as its dot. Throws `TemplateError`. */
export type CompiledTemplate = (dot: GoValue, budget: Budget) => string

/** Parses a template; `path` names it in messages. Throws `TemplateError`. */
export type Compile = (path: string, source: string, budget: Budget) => CompiledTemplate

/** Loads a template language and ties it to what the templates share. */
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
  const [{ parseGoTemplate, renderGoTemplate }, { loadRegexEngine }] = await Promise.all([
    import('../../../templates/gotemplate/index.ts'),
    import('../../../templates/gotemplate/sprig/regex-engine.ts'),
  ])
  // A template that is rendered by another is only known in the middle of it, too late to load anything.
  await loadRegexEngine()
  const list = [...functions.values()]
  return (path, source, budget) => {
    const template = parseGoTemplate(source, { name: path, delimiters: { left, right }, functions: list, budget })
    return (dot, budgetOfRun) => renderGoTemplate(template, dot, { budget: budgetOfRun, nil })
  }
}
