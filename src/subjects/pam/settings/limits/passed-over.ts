import { defined } from '../../../../model/defined.ts'
import type { Assignment } from '../../../../settings/assignment.ts'

/**
 * Lines for both types that pam_limits skips: if a soft limit for a user, or for a group before `*`, precedes such a line
 * of a weaker domain, the hard limit of that line does not apply either.
 */
export function passedOver(assignments: readonly Assignment[]): readonly Assignment[] {
  const limited = new Set(assignments.map(({ key, scope }) => nameOf(key, scope)))
  const softened = new Map<string, Set<string | undefined>>()
  const passed: Assignment[] = []
  for (const [index, hard] of assignments.entries()) {
    const soft = assignments[index + 1]
    if (hard.key.startsWith('soft.')) softened.set(hard.key, (softened.get(hard.key) ?? new Set()).add(hard.scope))
    if (!hard.key.startsWith('hard.') || soft?.line !== hard.line || soft.file !== hard.file) continue
    for (const scope of softened.get(soft.key) ?? []) {
      const name = nameOf(hard.key, scope)
      if (rankOf(scope) >= rankOf(hard.scope) || limited.has(name)) continue
      // If the effective limit of a user is unclear, later lines do not resolve it.
      limited.add(name)
      const unclear = `pam_limits skips this line for ${scope}, which has a soft limit before it`
      passed.push({ ...hard, ...defined({ scope }), unclear })
    }
  }
  return passed
}

function nameOf(key: string, scope: string | undefined): string {
  return `${key} ${scope ?? ''}`
}

/** A user takes precedence over a group, and a group over `*`. */
function rankOf(scope: string | undefined): number {
  if (scope === undefined) return 3
  return /^[@%]/.test(scope) ? 2 : 1
}
