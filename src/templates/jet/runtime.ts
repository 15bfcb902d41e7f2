import type { Budget, GoFunction } from '../govalue/index.ts'
import type { Origin } from './ast.ts'
import type { TemplateLibrary } from './loader.ts'
import type { Scope } from './scope.ts'
import type { JetCall, JetValue } from './values.ts'

/** The state of one rendering. */
export interface Runtime {
  readonly budget: Budget
  readonly library: TemplateLibrary
  readonly functions: ReadonlyMap<string, GoFunction>
  /** What printing nil does. */
  readonly nil: 'print' | 'refuse'
  /** Applied to printed values, not to text and writers. */
  readonly escape: (text: string) => string
  /** Renders another template for a builtin; part of the state because builtins and statements need each other. */
  readonly renderOther: (runtime: Runtime, ...args: Parameters<JetCall['render']>) => ReturnType<JetCall['render']>
  /** The template that was asked for; offsets in errors are indexes into its source. */
  readonly main: Origin
  /** The template the statement at work was written in. */
  origin: Origin
  scope: Scope
  context: JetValue
  /** The dot is an element of a list or map: Go prints such a one as it prints lists, floats with exponents. */
  contextIsElement: boolean
  /** Renders the content a block was handed. */
  content: ContentRenderer | undefined
  output: string[]
  includeDepth: number
}

/** Renders content, with another dot when one is given. */
export type ContentRenderer = (changes: Pick<Surroundings, 'context'>) => void

/** The parts of the state a construct may change for its body. */
export type Surroundings = Partial<
  Pick<Runtime, 'origin' | 'scope' | 'context' | 'contextIsElement' | 'content' | 'output'>
>

/** Runs `work` with other surroundings and puts the old ones back, also after an error. */
export function within<T>(runtime: Runtime, surroundings: Surroundings, work: () => T): T {
  const { origin, scope, context, contextIsElement, content, output } = runtime
  Object.assign(runtime, 'context' in surroundings ? { contextIsElement: false } : {}, surroundings)
  try {
    return work()
  } finally {
    Object.assign(runtime, { origin, scope, context, contextIsElement, content, output })
  }
}

/** Writes text as it is. */
export function write(runtime: Runtime, text: string): void {
  runtime.budget.output(text)
  runtime.output.push(text)
}
