import process from 'node:process'
import { EXIT } from '../../../model/gate.ts'
import { type EvaluatedBeside, evaluateBeside, startWithoutPolicy } from '../../../policy/expand/evaluate-beside.ts'
import type { Evaluation } from '../../../policy/expand/evaluation.ts'
import type { LoadPolicyOptions } from '../../../policy/load.ts'
import { readInputs } from '../../../policy/operator-inputs.ts'
import { redactValue } from '../../../policy/secrets/redact-value.ts'
import { createRedactor, redactProblem, SECRET } from '../../../policy/secrets/redactor.ts'
import { formatGoValue, type GoValue } from '../../../templates/govalue/index.ts'
import type { Traced } from '../../../policy/template/read-log.ts'
import { reportProblems, usageError } from '../../errors.ts'
import { withOne } from '../../load-one.ts'
import { loadingOf } from '../../options/loading.ts'
import type { Io } from '../../output/io.ts'
import { showText, toJson } from '../../output/show-value.ts'
import type { EvalInvocation } from './index.ts'

/** Evaluates an expression or template, prints its value or the problem, and returns the exit code. */
export async function runEval({ operands: [expression = ''], options }: EvalInvocation, io: Io): Promise<number> {
  const [policy, second] = options.policy
  if (second !== undefined) throw usageError('option --policy is given more than once', 'eval')
  if (policy === undefined && options.untrusted) {
    throw usageError('--untrusted requires --policy', 'eval')
  }
  const loading = await loadingOf(options.policy, options, 'eval', io)
  if (policy === undefined) return show(expression, await startWithout(expression, loading, io), options, io)
  const code = await withOne({ ...loading, source: policy, beside: expression }, ({ evaluation }) =>
    show(expression, evaluation, options, io),
  )
  return code ?? EXIT.notPerformed
}

async function show(
  text: string,
  evaluation: Evaluation | undefined,
  { json, 'show-secrets': showsSecrets }: EvalInvocation['options'],
  io: Io,
): Promise<number> {
  if (evaluation === undefined) return EXIT.notPerformed
  const { environment, reads } = evaluation
  const evaluate = (): Traced<EvaluatedBeside> => reads.during(() => evaluateBeside(environment, text))
  const { result: outcome, isDerived } = await (evaluation.complete?.(evaluate) ?? evaluate())
  const redactor = createRedactor(showsSecrets ? [] : evaluation.secrets)
  if ('problem' in outcome) {
    await reportProblems([redactProblem(outcome.problem, redactor)], io)
    return EXIT.notPerformed
  }
  const value = isDerived && !showsSecrets ? SECRET : redactValue(outcome.value, redactor)
  await io.print(json ? toJson(value) : showInText(value))
  return EXIT.ok
}

/** Starts an evaluation without the data of a policy. */
async function startWithout(text: string, inputs: LoadPolicyOptions, io: Io): Promise<Evaluation | undefined> {
  const read = await readInputs(inputs)
  if (!read.ok) {
    await reportProblems(read.problems, io)
    return undefined
  }
  const evaluation = await startWithoutPolicy(text, read.value.inputs, process.cwd())
  await reportProblems(read.value.warnings, io)
  return evaluation
}

function showInText(value: GoValue): string {
  const printed = showText(formatGoValue(value))
  return printed.endsWith('\n') ? printed : `${printed}\n`
}
