import type { Policy } from '../model/policy.ts'
import type { ResourceResult } from '../model/run.ts'
import type { RunContext } from './resource-run.ts'

/** Progress of a run. */
export interface Progress {
  readonly done: number
  readonly total: number
  readonly drifted: number
  /** Id of the current resource. */
  readonly current: string
}

interface Listeners {
  readonly onProgress?: (progress: Progress) => void
  readonly onResult?: (policy: string, result: ResourceResult) => Promise<void> | void
}

export function progressReporter(
  policies: readonly Policy[],
  selected: ReadonlyMap<Policy, ReadonlySet<string>>,
  { onProgress, onResult }: Listeners,
): Pick<RunContext, 'onResource' | 'onResult' | 'pause'> {
  let done = 0
  let drifted = 0
  let held: Promise<void> | undefined
  const total = policies.reduce((sum, policy) => sum + sizeOf(policy, selected.get(policy) ?? new Set()), 0)
  return {
    onResource: (current) => onProgress?.({ done, total, drifted, current }),
    onResult(policy, result) {
      done++
      if (result.drift.length > 0) drifted++
      const wait = onResult?.(policy, result)
      if (wait instanceof Promise) held = wait
    },
    pause() {
      const wait = held
      held = undefined
      return wait
    },
  }
}

/** Number of counted resources: a child manifest counts through its resources, and once more for its health checks. */
function sizeOf({ children, resources }: Policy, selected: ReadonlySet<string>): number {
  if (children === undefined) return selected.size
  return resources.filter(
    ({ id, healthChecks }) => selected.has(id) && (healthChecks !== undefined || children.get(id)?.kind !== 'loaded'),
  ).length
}
