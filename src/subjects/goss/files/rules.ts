import type { GossProblem } from './problem.ts'
import { readGoss } from './read.ts'
import type { GossContent } from './resource.ts'

export function rulesProblems(rules: GossContent): readonly GossProblem[] {
  const { resources, includes, problems: found } = readGoss(rules)
  const problems = found.filter(({ isWarning }) => isWarning !== true)
  if (problems.length > 0) return problems
  if (includes.length > 0) {
    const message = 'is supported only in Goss files, which "driftgate scan" reads'
    return [{ path: ['gossfile'], message }]
  }
  if (!resources.every(({ isSkipped }) => isSkipped)) return []
  return [{ path: [], message: 'check nothing: set at least one resource that is not skipped' }]
}
