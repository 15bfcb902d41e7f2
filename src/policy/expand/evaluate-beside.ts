import type { Problem } from '../../model/problem.ts'
import { expandTyped, type TemplateEnvironment } from '../template/index.ts'
import type { GoValue } from '../../templates/govalue/index.ts'
import { type Evaluation, loadEvaluation } from './evaluation.ts'
import type { PolicyInputs } from './inputs.ts'
import { type SourceText, sourceText } from '../document/lines.ts'
import { templateProblem } from './template-error.ts'
import type { TreeScalar } from '../document/tree.ts'

/** What problems of a text that belongs to no file name as their file. */
const NAME = 'expression'

/** The value of a text that is evaluated beside a policy, or what is wrong with it. */
export type EvaluatedBeside = { readonly value: GoValue } | { readonly problem: Problem }

/** Evaluates an expression, or a template: a text that starts with `{{` or `${`, which no expression does. */
export function evaluateBeside(environment: TemplateEnvironment, text: string): EvaluatedBeside {
  const source = sourceText(NAME, text)
  try {
    const isTemplate = /^\s*(\{\{|\$\{)/.test(text)
    return { value: isTemplate ? expandTyped(text, environment) : environment.evaluate(text) }
  } catch (error) {
    return { problem: templateProblem(source, scalarOf(source), error) }
  }
}

/** The environment of templates without a policy: the operator's data over nothing. */
export function startWithoutPolicy(text: string, inputs: PolicyInputs, workingDirectory: string): Promise<Evaluation> {
  return loadEvaluation('', inputs, text).then((start) =>
    start(sourceText(NAME, ''), { kind: 'map', offset: 0, entries: new Map() }, workingDirectory),
  )
}

function scalarOf({ text }: SourceText): TreeScalar {
  return { kind: 'scalar', offset: 0, text, value: text }
}
