import { defined } from '../defined.ts'
import type { BaselineClass, BaselineComparison, PastDrift } from '../baseline.ts'
import { formatProperty } from '../format-value.ts'
import type { PolicyIdentity } from '../policy-identity.ts'
import type { PolicyResult, ReportedDrift, ResourceResult, Run } from '../run.ts'
import { alignPolicies } from './align.ts'
import { valuesOf } from './fingerprint.ts'
import { type GoneDrift, goneDrift } from './gone.ts'
import { keyOf, seenResources } from './standing.ts'

/** The reference report of a gate. */
export interface Baseline {
  /** The reference for a run of these policies. */
  readonly against: (policies: readonly PolicyIdentity[]) => BaselineOfRun
}

/** The reference for a run of given policies. */
export interface BaselineOfRun {
  /** The class of a drift of the current run; the drift must have its fingerprint. */
  readonly classify: (policy: string, result: ResourceResult, drift: ReportedDrift) => BaselineClass
  /** The fate of each drift of the earlier run, after the current run. */
  readonly compare: (run: Run) => BaselineComparison
}

/** Makes a reference of a run of one machine. `source` is the file name as the operator wrote it. */
export function createBaseline(earlier: Run, source: string): Baseline {
  return { against: (policies) => compareWithRun(alignPolicies(earlier, { policies, byHost: false }), source) }
}

function compareWithRun(before: Run, source: string): BaselineOfRun {
  const then = seenResources(before, false)
  return {
    classify(policy, result, drift) {
      const earlier = then.get(keyOf('', policy, result))?.drift?.get(drift.fingerprint ?? '')
      if (earlier === undefined) return 'new'
      return valuesOf(earlier) === valuesOf(drift) ? 'unchanged' : 'changed'
    },
    compare(after) {
      const gone = goneDrift(then, seenResources(after, false), after)
      const resolved = gone.filter(({ why }) => why === undefined).map(pastDrift)
      const incomparable = gone.flatMap((each) => (each.why === undefined ? [] : { ...pastDrift(each), why: each.why }))
      const classes = countClasses(after.policies)
      return {
        source,
        runId: before.run.id,
        startedAt: before.run.startedAt,
        counts: { ...classes, resolved: resolved.length, incomparable: incomparable.length },
        resolved,
        incomparable,
      }
    },
  }
}

function pastDrift({ past: { policy, result }, fingerprint, drift }: GoneDrift): PastDrift {
  return {
    policy: policy.id,
    resource: result.id,
    ...defined({ path: result.path }),
    property: formatProperty(drift),
    fingerprint,
    severity: result.severity,
    desired: drift.desired,
    observed: drift.observed,
  }
}

function countClasses(policies: readonly PolicyResult[]): Readonly<Record<BaselineClass, number>> {
  const counts = { new: 0, changed: 0, unchanged: 0 }
  const drift = policies.flatMap(({ resources }) => resources).flatMap((result) => result.drift)
  for (const { baseline } of drift) if (baseline !== undefined) counts[baseline]++
  return counts
}
