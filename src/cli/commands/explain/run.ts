import { EXIT } from '../../../model/gate.ts'
import { scan } from '../../../engine/local.ts'
import { explain } from '../../../engine/inspect/explain/index.ts'
import type { PolicyDocument } from '../../../policy/read/policy.ts'
import { loadTypes } from '../../../subjects/index.ts'
import type { ResourceType } from '../../../resource-type/define.ts'
import type { Target } from '../../../host/target.ts'
import { reportProblems } from '../../errors.ts'
import { watchInterruption } from '../../interruption.ts'
import { withOne } from '../../load-one.ts'
import { loadingOf } from '../../options/loading.ts'
import { targetOf } from '../../options/target.ts'
import type { Io } from '../../output/io.ts'
import type { ExplainInvocation } from './index.ts'
import { explanationToJson, showExplanation } from './show-explanation.ts'

/** Prints the explanation of a resource and returns the exit code. */
export async function runExplain(
  { operands: [source = '', reference = ''], options }: ExplainInvocation,
  io: Io,
): Promise<number> {
  const loading = await loadingOf([source], options, 'explain', io)
  const { types = await loadTypes(), untrusted } = loading
  const target = await targetOf(options)
  const interruption = watchInterruption(io, (name) => io.say(`driftgate: ${name}: a second signal stops at once\n`))
  const { signal } = interruption
  try {
    const code = await withOne({ ...loading, types, target, signal, source, beside: '' }, (document) =>
      show(document, reference, { types, target, signal, untrusted, options, io }),
    )
    return code ?? EXIT.notPerformed
  } finally {
    interruption.release()
  }
}

interface Surroundings {
  readonly types: readonly ResourceType[]
  readonly target: Target
  readonly signal: AbortSignal
  readonly untrusted: boolean
  readonly options: ExplainInvocation['options']
  readonly io: Io
}

async function show(
  document: PolicyDocument,
  reference: string,
  { types, target, signal, untrusted, options, io }: Surroundings,
): Promise<number> {
  const { json, 'no-commands': noCommands, 'clean-env': cleanEnvironment, 'url-values': urlValues } = options
  const { 'no-ask': noAsk, 'ask-sandboxed': askSandboxed } = options
  const explained = await explain(document, reference, {
    types,
    target,
    audit: (policy) =>
      scan(policy, {
        target,
        types,
        signal,
        runCommands: !noCommands,
        cleanEnvironment,
        askPrograms: !noAsk,
        askSandboxed,
        urlValues,
        untrusted,
      }),
  })
  if (!explained.ok) {
    await reportProblems(explained.problems, io)
    return EXIT.notPerformed
  }
  const { explanation, run } = explained
  await reportProblems(run.problems ?? [], io)
  await io.print(json ? explanationToJson(explanation) : showExplanation(explanation, await io.paintOutput()))
  return run.run.interrupted ? run.exit.code : EXIT.ok
}
