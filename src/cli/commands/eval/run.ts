import process from 'node:process'
import { createRedactor } from '../../../secrets/redactor.ts'
import type { Evaluation } from '../../../policy/expand/evaluation.ts'
import type { LoadPolicyOptions } from '../../../policy/load.ts'
import { redactValue, SECRET } from '../../../secrets/redact-value.ts'
import { formatGoValue, type GoValue } from '../../../template/govalue/index.ts'
import type { Io } from '../../output/io.ts'
import { withOne } from '../../load-one.ts'
import { reportProblems } from '../../problems.ts'
import { showText, toJson } from '../../show-value.ts'

/** How an expression is evaluated and shown. */
export interface EvaluateTextOptions {
  readonly inputs: LoadPolicyOptions
  /** The policy whose data it sees; none where absent. */
  readonly policy?: string
  readonly format: 'text' | 'json'
  readonly secrets: 'hide' | 'show'
}

/** Evaluates an expression or template, prints its value or what is wrong with it, and returns the exit code. */
export async function evaluateText(text: string, options: EvaluateTextOptions, io: Io): Promise<number> {
  const { inputs, policy } = options
  if (policy !== undefined) {
    const loading = { ...inputs, source: policy, beside: text, command: 'eval', io }
    const code = await withOne(loading, ({ evaluation }) => show(text, evaluation, options, io))
    return code ?? 1
  }
  return show(text, await startWithout(text, inputs, io), options, io)
}

async function show(
  text: string,
  evaluation: Evaluation | undefined,
  { format, secrets }: EvaluateTextOptions,
  io: Io,
): Promise<number> {
  if (evaluation === undefined) return 1
  const { evaluateBeside } = await import('../../../policy/expand/evaluate-beside.ts')
  const { environment, reads } = evaluation
  const { result: outcome, isDerived } = reads.during(() => evaluateBeside(environment, text))
  const redactor = createRedactor(undefined)
  if (secrets === 'hide') for (const secret of evaluation.secrets) redactor.addSecret(secret)
  if ('problem' in outcome) {
    await reportProblems([{ ...outcome.problem, message: redactor.text(outcome.problem.message) }], io)
    return 1
  }
  const value = isDerived && secrets === 'hide' ? SECRET : redactValue(outcome.value, redactor)
  await io.print(format === 'json' ? toJson(value) : showInText(value))
  return 0
}

/** Starts an evaluation that sees no policy's data. */
async function startWithout(text: string, inputs: LoadPolicyOptions, io: Io): Promise<Evaluation | undefined> {
  const [{ readInputs }, { startWithoutPolicy }] = await Promise.all([
    import('../../../policy/operator-inputs.ts'),
    import('../../../policy/expand/evaluate-beside.ts'),
  ])
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
