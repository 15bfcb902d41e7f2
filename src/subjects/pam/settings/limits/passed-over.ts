import type { Assignment } from '../../../../settings/assignment.ts'

/**
 * The lines of both types that pam_limits passes over for somebody: where a soft limit of a user, or of a group before `*`, stands
 * before such a line of a weaker domain, the hard limit of that line does not count for them either.
 */
export function passedOver(assignments: readonly Assignment[]): readonly Assignment[] {
  return assignments.flatMap((hard, index): readonly Assignment[] => {
    const soft = assignments[index + 1]
    if (!hard.key.startsWith('hard.') || soft?.line !== hard.line || soft.file !== hard.file) return []
    const before = assignments
      .slice(0, index)
      .filter(({ key, scope }) => key === soft.key && rankOf(scope) < rankOf(hard.scope))
    const scopes = new Set(before.map(({ scope }) => scope))
    const hasOwn = (scope: string | undefined): boolean =>
      assignments.some((each) => each.key === hard.key && each.scope === scope)
    return [...scopes]
      .filter((scope) => !hasOwn(scope))
      .map((scope) => ({
        ...hard,
        ...(scope === undefined ? {} : { scope }),
        unclear: `pam_limits passes over this line for ${scope}, for whom a soft limit stands before it`,
      }))
  })
}

/** A user wins over a group, and that over all. */
function rankOf(scope: string | undefined): number {
  if (scope === undefined) return 3
  return /^[@%]/.test(scope) ? 2 : 1
}
