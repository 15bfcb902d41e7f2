import { formatProblem } from '../../model/format-problem.ts'
import { loadPolicy } from '../../policy/load.ts'
import type { ResourceType } from '../../resource-type/define.ts'

/** Validates a generated policy. Throws an error if it is invalid, which is a bug. */
export async function checkText(text: string, types?: readonly ResourceType[]): Promise<void> {
  const loaded = await loadPolicy(NAME, { types, texts: new Map([[NAME, text]]) })
  await loaded.dispose()
  if (!loaded.ok) throw new Error(`the captured policy is invalid: ${loaded.problems.map(formatProblem).join('\n')}`)
}

const NAME = 'captured policy'
