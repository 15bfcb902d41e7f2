import type { ResourceResult } from './run.ts'

/**
 * The results that count: all but those of apply resources whose children are listed, which say nothing that the
 * children do not. An apply resource without any, ruled out or not to be evaluated, counts itself, and so does one with
 * health checks of its own.
 */
export function withoutRollUps(results: readonly ResourceResult[]): readonly ResourceResult[] {
  return results.filter((result, index) => !isRollUp(result, results[index + 1]))
}

/** Whether a result does nothing but roll up those that follow it. */
function isRollUp(result: ResourceResult, next: ResourceResult | undefined): boolean {
  return result.health === undefined && hasBelow(result, next)
}

/** Whether the following result is that of a resource in the child manifest. */
export function hasBelow(result: ResourceResult, next: ResourceResult | undefined): boolean {
  return depthOf(next) > depthOf(result)
}

function depthOf(result: ResourceResult | undefined): number {
  return result?.path?.length ?? 0
}
