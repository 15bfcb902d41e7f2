import { defined } from '../defined.ts'
import { fateCounts, type DriftFate, type FateCounts } from '../baseline.ts'
import type { Drift } from '../drift.ts'
import { formatProperty } from '../format-value.ts'
import { hostNameOf, hostOfPolicy } from '../host-name.ts'
import type { ReportedDrift, Run } from '../run.ts'
import type { Severity, Verdict } from '../verdict.ts'
import { alignPolicies } from './align.ts'
import { valuesOf } from './fingerprint.ts'
import { goneDrift, whyLost } from './gone.ts'
import { type ObservedResource, type ObservedResources, seenResources } from './standing.ts'

export interface ComparedRun {
  readonly runId: string
  readonly startedAt: string
  readonly hostname: string
  readonly exitCode: number
}

/**
 * The cause of a difference: another desired value (`policy`), another state of the `machine`, or `both`; `unclear` if
 * the policy changed and the reports do not tell.
 */
export type Cause = 'policy' | 'machine' | 'both' | 'unclear'

/** A drift of at least one of two runs. */
export interface ComparedDrift {
  readonly fate: DriftFate
  /** Undefined for `unchanged` and `incomparable`. */
  readonly cause?: Cause
  readonly policy: string
  /** Set only if a report contains several machines. */
  readonly hostname?: string
  readonly resource: string
  readonly path?: readonly string[]
  readonly property: string
  readonly fingerprint: string
  readonly severity: Severity
  readonly before?: Pick<Drift, 'desired' | 'observed'>
  readonly after?: Pick<Drift, 'desired' | 'observed'>
  /** The waiver that accepts the drift in the later run. */
  readonly waiver?: string
  /** The reason why it is incomparable. */
  readonly why?: string
}

/** A resource whose verdict changed, or that only one of the runs has. */
export interface ComparedResource {
  readonly policy: string
  readonly hostname?: string
  readonly resource: string
  readonly path?: readonly string[]
  readonly before?: Verdict
  readonly after?: Verdict
  /** Why the later run has no verdict, although the earlier one did. */
  readonly why?: string
}

/** The difference between two runs, `driftgate.comparison/v1`. JSON Schema: `schemas/comparison.schema.json`. */
export interface Comparison {
  readonly schema: 'driftgate.comparison/v1'
  readonly before: ComparedRun
  readonly after: ComparedRun
  readonly counts: FateCounts
  readonly drift: readonly ComparedDrift[]
  readonly resources: readonly ComparedResource[]
}

/** Compares two runs, drift by drift. Machines of merged reports are kept apart. */
export function compareRuns(earlier: Run, after: Run): Comparison {
  const byHost = earlier.target.kind === 'merged' || after.target.kind === 'merged'
  const before = alignPolicies(earlier, { ...after, byHost })
  const then = seenResources(before, byHost)
  const now = seenResources(after, byHost)
  const drift = [...presentDrift(then, now, { after, byHost }), ...pastDrift(then, now, { before, after, byHost })]
  return {
    schema: 'driftgate.comparison/v1',
    before: describeRun(before),
    after: describeRun(after),
    counts: fateCounts((fate) => drift.filter((each) => each.fate === fate).length),
    drift,
    resources: changedResources(then, now, { before, after, byHost }),
  }
}

interface Scope {
  readonly after: Run
  readonly byHost: boolean
}

interface Runs extends Scope {
  readonly before: Run
}

function presentDrift(
  then: ObservedResources,
  now: ObservedResources,
  { after, byHost }: Scope,
): readonly ComparedDrift[] {
  return [...now].flatMap(([key, current]) => {
    const past = then.get(key)
    return [...(current.drift ?? [])].map(([fingerprint, drift]): ComparedDrift => {
      const earlier = past?.drift?.get(fingerprint)
      return {
        ...judge(drift, earlier, { past, current }),
        ...identify(current, after, byHost),
        ...describeDrift(current, fingerprint, drift),
        ...(earlier === undefined ? {} : { before: valuesIn(earlier) }),
        after: valuesIn(drift),
        ...defined({ waiver: drift.waiver }),
      }
    })
  })
}

function pastDrift(
  then: ObservedResources,
  now: ObservedResources,
  { before, after, byHost }: Runs,
): readonly ComparedDrift[] {
  return goneDrift(then, now, after).map(({ past, current, fingerprint, drift, why }): ComparedDrift => {
    const fate = why === undefined ? { fate: 'resolved' as const, cause: causeOf(past, current) } : { why }
    return {
      fate: 'incomparable',
      ...fate,
      ...identify(past, before, byHost),
      ...describeDrift(past, fingerprint, drift),
      before: valuesIn(drift),
    }
  })
}

/** Resources whose verdict changed, new and removed ones, and those with properties that became unreadable. */
function changedResources(
  then: ObservedResources,
  now: ObservedResources,
  { before, after, byHost }: Runs,
): readonly ComparedResource[] {
  const here = [...now].flatMap(([key, current]) => {
    const past = then.get(key)
    const was = past?.result.verdict
    const why = past && whyLost(past, current, after)
    if (was === current.result.verdict && why === undefined) return []
    return { ...identify(current, after, byHost), ...defined({ before: was, why }), after: current.result.verdict }
  })
  const gone = [...then].filter(([key]) => !now.has(key))
  return [
    ...here,
    ...gone.map(([, past]) => {
      const why = whyLost(past, undefined, after)
      return { ...identify(past, before, byHost), before: past.result.verdict, ...defined({ why }) }
    }),
  ]
}

interface Sides {
  readonly past: ObservedResource | undefined
  readonly current: ObservedResource
}

function judge(
  drift: ReportedDrift,
  earlier: ReportedDrift | undefined,
  { past, current }: Sides,
): Pick<ComparedDrift, 'fate' | 'cause'> {
  if (earlier === undefined) return { fate: 'new', cause: causeOf(past, current) }
  if (valuesOf(earlier) === valuesOf(drift)) return { fate: 'unchanged' }
  const isWantedOtherwise = valuesOf({ ...drift, desired: earlier.desired }) !== valuesOf(drift)
  const isFoundOtherwise = valuesOf({ ...earlier, desired: null }) !== valuesOf({ ...drift, desired: null })
  const cause = isWantedOtherwise && isFoundOtherwise ? 'both' : isWantedOtherwise ? 'policy' : 'machine'
  return { fate: 'changed', cause }
}

/**
 * The cause of a new or resolved drift. Reports do not contain matching values, so if the policy changed and only one
 * run has the drift, the values cannot tell.
 */
function causeOf(past: ObservedResource | undefined, current: ObservedResource | undefined): Cause {
  if (past === undefined || current === undefined) return 'policy'
  if (past.drift === undefined) return 'unclear'
  if (past.policy.sha256 === current.policy.sha256 || current.result.verdict === 'fixed') return 'machine'
  return past.result.ensure?.desired === current.result.ensure?.desired ? 'unclear' : 'policy'
}

function identify(
  { policy, result }: ObservedResource,
  run: Run,
  byHost: boolean,
): Pick<ComparedResource, 'policy' | 'hostname' | 'resource' | 'path'> {
  return {
    policy: policy.id,
    ...(byHost ? { hostname: hostOfPolicy(run, policy) } : {}),
    resource: result.id,
    ...defined({ path: result.path }),
  }
}

function describeDrift(
  { result }: ObservedResource,
  fingerprint: string,
  drift: Drift,
): Pick<ComparedDrift, 'property' | 'fingerprint' | 'severity'> {
  return { property: formatProperty(drift), fingerprint, severity: result.severity }
}

function valuesIn({ desired, observed }: Drift): Pick<Drift, 'desired' | 'observed'> {
  return { desired, observed }
}

function describeRun({ run, target, exit }: Run): ComparedRun {
  return { runId: run.id, startedAt: run.startedAt, hostname: hostNameOf(target), exitCode: exit.code }
}
