import { hostNameOf } from '../../../model/host-name.ts'
import type { PolicyResult, Run, RunOrigin } from '../../../model/run.ts'
import { originOf, originOfRun } from '../../words/origin.ts'
import { serializeSarif } from '../../words/sarif-log.ts'
import { type SarifPart, toSarifRun } from './run.ts'
import { remarksOf } from '../../words/run-remarks.ts'

/**
 * Complete SARIF 2.1.0: a rule per control, and per type for resources without one, a result per drift and per resource
 * without drift. A merged report has a SARIF run for each merged run.
 */
export function render(run: Run): string {
  return serializeSarif(partsOf(run).map((part) => toSarifRun(run, part)))
}

function partsOf(run: Run): readonly SarifPart[] {
  const groups = new Map<string, { origin: RunOrigin; policies: PolicyResult[] }>()
  const own = originOfRun(run)
  // The merged run is a SARIF run only if it has remarks.
  if (run.target.kind !== 'merged' || run.policies.length === 0 || remarksOf(run).length > 0) {
    groups.set(keyOf(own), { origin: own, policies: [] })
  }
  for (const policy of run.policies) {
    const origin = originOf(run, policy)
    const group = groups.get(keyOf(origin)) ?? { origin, policies: [] }
    group.policies.push(policy)
    groups.set(keyOf(origin), group)
  }
  const parts = [...groups.values()]
  return parts.map(({ origin, policies }) => ({
    origin,
    isOwn: keyOf(origin) === keyOf(own),
    policies,
    resolved: (run.baseline?.resolved ?? []).filter(({ policy }) => findPart(parts, policy)?.policies === policies),
  }))
}

/** The first part with that policy, otherwise the first part. */
function findPart<Part extends Pick<SarifPart, 'policies'>>(parts: readonly Part[], policy: string): Part | undefined {
  return parts.find(({ policies }) => policies.some(({ id }) => id === policy)) ?? parts[0]
}

function keyOf({ runId, target }: RunOrigin): string {
  return JSON.stringify([runId, hostNameOf(target)])
}
