import type { Problem } from '../../model/problem.ts'
import { expandTyped, type TemplateEnvironment } from '../template/index.ts'
import type { GoValue } from '../../templates/govalue/index.ts'
import { type Evaluation, loadEvaluation } from './evaluation.ts'
import type { PolicyInputs } from './inputs.ts'
import { type SourceText, sourceText } from '../document/lines.ts'
import { templateProblem } from './template-error.ts'
import type { TreeScalar } from '../document/tree.ts'

/** The file name in problems of a text without a file. */
const NAME = 'expression'

/** The value of a text evaluated with a policy, or its problem. */
export type EvaluatedBeside = { readonly value: GoValue } | { readonly problem: Problem }

/** Evaluates an expression or a template; a template starts with `{{` or `${`, which no expression does. */
export function evaluateBeside(environment: TemplateEnvironment, text: string): EvaluatedBeside {
  const source = sourceText(NAME, text)
  try {
    const isTemplate = /^\s*(\{\{|\$\{)/.test(text)
    return { value: isTemplate ? expandTyped(text, environment) : environment.evaluate(text) }
  } catch (error) {
    return { problem: templateProblem(source, scalarOf(source), error) }
  }
}

/** An evaluation without a policy: only the operator's data. */
export function startWithoutPolicy(text: string, inputs: PolicyInputs, workingDirectory: string): Promise<Evaluation> {
  return loadEvaluation('', inputs, text).then((start) =>
    start(sourceText(NAME, ''), { kind: 'map', offset: 0, entries: new Map() }, workingDirectory),
  )
}

function scalarOf({ text }: SourceText): TreeScalar {
  return { kind: 'scalar', offset: 0, text, value: text }
}
