import type { Budget, GoFunction } from '../govalue/index.ts'
import type { Origin } from './ast.ts'
import type { TemplateLibrary } from './loader.ts'
import type { Scope } from './scope.ts'
import type { JetCall, JetValue } from './values.ts'

export interface Runtime {
  readonly budget: Budget
  readonly library: TemplateLibrary
  readonly functions: ReadonlyMap<string, GoFunction>
  /** Whether nil is printed or is an error. */
  readonly nil: 'print' | 'refuse'
  /** Applied to printed values, not to text and writers. */
  readonly escape: (text: string) => string
  /** Renders another template for a builtin; part of the state because builtins and statements need each other. */
  readonly renderOther: (runtime: Runtime, ...args: Parameters<JetCall['render']>) => ReturnType<JetCall['render']>
  /** The template passed to the renderer; offsets in errors refer to its source. */
  readonly main: Origin
  /** Source template of the current statement. */
  origin: Origin
  scope: Scope
  context: JetValue
  /** Whether the dot is an element of a list or map: Go prints it like a list item, floats with exponents. */
  contextIsElement: boolean
  /** Renders the content passed to the block. */
  content: ContentRenderer | undefined
  output: string[]
  includeDepth: number
}

/** Renders content, optionally with another dot. */
export type ContentRenderer = (changes: Pick<Surroundings, 'context'>) => void

/** State that a construct may change for its body. */
export type Surroundings = Partial<
  Pick<Runtime, 'origin' | 'scope' | 'context' | 'contextIsElement' | 'content' | 'output'>
>

/** Runs `work` with changed state and restores the old state, also after an error. */
export function withSurroundings<T>(runtime: Runtime, surroundings: Surroundings, work: () => T): T {
  const { origin, scope, context, contextIsElement, content, output } = runtime
  Object.assign(runtime, 'context' in surroundings ? { contextIsElement: false } : {}, surroundings)
  try {
    return work()
  } finally {
    Object.assign(runtime, { origin, scope, context, contextIsElement, content, output })
  }
}

export function write(runtime: Runtime, text: string): void {
  runtime.budget.output(text)
  runtime.output.push(text)
}
