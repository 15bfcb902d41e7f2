import type { ResourceResult } from './run.ts'

/**
 * The results without roll-ups: an apply resource with listed children adds nothing to their results. An apply resource
 * without children (excluded or not evaluated), or with its own health checks, counts itself.
 */
export function withoutRollUps(results: readonly ResourceResult[]): readonly ResourceResult[] {
  return results.filter((result, index) => !isRollUp(result, results[index + 1]))
}

/** Whether a result only rolls up the results after it. */
function isRollUp(result: ResourceResult, next: ResourceResult | undefined): boolean {
  return result.health === undefined && hasBelow(result, next)
}

/** Whether the next result belongs to a resource in the child manifest. */
export function hasBelow(result: ResourceResult, next: ResourceResult | undefined): boolean {
  return depthOf(next) > depthOf(result)
}

function depthOf(result: ResourceResult | undefined): number {
  return result?.path?.length ?? 0
}
