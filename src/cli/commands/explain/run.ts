import { scan } from '../../../engine/local.ts'
import { explain } from '../../../inspect/explain/index.ts'
import type { LoadPolicyOptions } from '../../../policy/load.ts'
import type { PolicyDocument } from '../../../policy/read/policy.ts'
import type { ResourceType } from '../../../resource-type/define.ts'
import { createLocalTarget } from '../../../target/local/local-target.ts'
import type { Target } from '../../../target/target.ts'
import { watchInterruption } from '../../interruption.ts'
import type { Io } from '../../output/io.ts'
import { withOne } from '../../load-one.ts'
import { reportProblems } from '../../problems.ts'
import { explanationToJson, showExplanation } from './show-explanation.ts'

/** One resource to be explained, as the command line asks for it. */
export interface ExplainRequest {
  readonly source: string
  readonly reference: string
  readonly types: readonly ResourceType[]
  readonly inputs: LoadPolicyOptions
  readonly format: 'text' | 'json'
  /** Whether the audit may run commands that the policy names. */
  readonly runCommands: boolean
  /** Whether addresses of the policy may be made of environment variables and files. */
  readonly urlValues: boolean
}

/** Explains a resource on standard output and returns the exit code. */
export async function explainOne(request: ExplainRequest, io: Io): Promise<number> {
  const { source, inputs, types } = request
  const target = createLocalTarget()
  const interruption = watchInterruption((name) => io.say(`driftgate: ${name}: once more ends at once\n`))
  const { signal } = interruption
  try {
    const loading = { ...inputs, types, target, signal, source, beside: '', command: 'explain', io }
    const code = await withOne(loading, (document) => show(document, request, { target, signal, io }))
    return code ?? 1
  } finally {
    interruption.release()
  }
}

interface Surroundings {
  readonly target: Target
  readonly signal: AbortSignal
  readonly io: Io
}

async function show(
  document: PolicyDocument,
  { reference, types, runCommands, urlValues, format }: ExplainRequest,
  { target, signal, io }: Surroundings,
): Promise<number> {
  const explained = await explain(document, reference, {
    types,
    target,
    audit: (policy) => scan(policy, { target, types, signal, runCommands, urlValues }),
  })
  if (!explained.ok) {
    await reportProblems(explained.problems, io)
    return 1
  }
  const { explanation, run } = explained
  await reportProblems(run.problems ?? [], io)
  await io.print(
    format === 'json' ? explanationToJson(explanation) : showExplanation(explanation, await io.paintOutput()),
  )
  return run.run.interrupted ? run.exit.code : 0
}
