import { formatProblem } from '../../model/format-problem.ts'
import { loadPolicy } from '../../policy/load.ts'
import type { ResourceType } from '../../resource-type/define.ts'

/** Reads a policy that was written, as a scan would. Throws an error for one that is not sound, which is our own mistake. */
export async function checkText(text: string, types: readonly ResourceType[]): Promise<void> {
  const loaded = await loadPolicy(NAME, { types, texts: new Map([[NAME, text]]) })
  await loaded.dispose()
  if (!loaded.ok)
    throw new Error(`the policy that was written is not sound: ${loaded.problems.map(formatProblem).join('\n')}`)
}

const NAME = 'what was written'
