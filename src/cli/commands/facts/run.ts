import { EXIT } from '../../../model/gate.ts'
import { OperatorError } from '../../../model/operator-error.ts'
import { findFacts } from '../../../engine/inspect/find-facts.ts'
import { readInputs } from '../../../policy/operator-inputs.ts'
import { reportProblems } from '../../errors.ts'
import { targetOf } from '../../options/target.ts'
import type { Io } from '../../output/io.ts'
import { toJson, toYaml } from '../../output/show-value.ts'
import type { FactsInvocation } from './index.ts'

/** Prints the facts of this machine, or those at a path, and returns the exit code. */
export async function runFacts({ operands: [path], options }: FactsInvocation, io: Io): Promise<number> {
  const read = await readInputs({ target: await targetOf(options), facts: options.facts, fact: options.fact })
  if (!read.ok) {
    await reportProblems(read.problems, io)
    return EXIT.notPerformed
  }
  const { inputs, warnings } = read.value
  const found = findFacts(inputs, path)
  await reportProblems(warnings, io)
  if (!found.ok) throw new OperatorError(found.message)
  await io.print(options.yaml ? toYaml(found.value) : toJson(found.value))
  return EXIT.ok
}
