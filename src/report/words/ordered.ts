import type { BaselineComparison, PastDrift } from '../../model/baseline.ts'
import { ACCEPTANCE_WORDS, type Acceptance, isAcceptance } from '../../model/acceptance.ts'
import type { Drift, ReportValue, UnknownProperty } from '../../model/drift.ts'
import type { Position, Problem } from '../../model/problem.ts'
import type {
  ControlResult,
  HealthAttempt,
  HealthResult,
  ImageIdentity,
  PolicyResult,
  ReportedDrift,
  ResourceResult,
  Run,
  RunOrigin,
  RunTarget,
  ScannedTarget,
} from '../../model/run.ts'
import type { WaiverRecord, WaiverTerms, WaiverUse } from '../../model/waiver.ts'

/**
 * Every field of `T` in the order of the report: a field that is added to the type and missing here does not compile.
 * Undefined fields are left out of JSON.
 */
type Ordered<T> = Readonly<Record<keyof T, unknown>>

/** A run with its fields in the order of the report. */
export function orderRun({
  schema,
  tool,
  run,
  target,
  policies,
  summary,
  exit,
  problems,
  notes,
  ...more
}: Run): Ordered<Run> {
  return {
    schema,
    tool: { name: tool.name, version: tool.version } satisfies Ordered<Run['tool']>,
    run: {
      id: run.id,
      mode: run.mode,
      startedAt: run.startedAt,
      finishedAt: run.finishedAt,
      durationMs: run.durationMs,
      interrupted: run.interrupted,
      order: run.order,
    } satisfies Ordered<Run['run']>,
    target: orderTarget(target),
    policies: policies.map(orderPolicy),
    summary: orderSummary(summary),
    exit: orderExit(exit),
    problems: problems?.map(orderProblem),
    notes,
    waivers: more.waivers?.map(orderWaiver),
    baseline: more.baseline && orderBaseline(more.baseline),
    targets: more.targets?.map(orderScanned),
  }
}

function orderSummary(summary: Run['summary']): Ordered<Run['summary']> {
  return {
    total: summary.total,
    compliant: summary.compliant,
    drifted: summary.drifted,
    fixed: summary.fixed,
    'fix-failed': summary['fix-failed'],
    error: summary.error,
    blocked: summary.blocked,
    'not-applicable': summary['not-applicable'],
    waived: summary.waived,
  }
}

function orderExit({ code, reasons }: Run['exit']): Ordered<Run['exit']> {
  return { code, reasons }
}

function orderScanned({ summary, exit, ...target }: ScannedTarget): Ordered<ScannedTarget> {
  const { name, spec, kind, labels, reason, runId } = target
  return { name, spec, kind, labels, reason, runId, summary: orderSummary(summary), exit: orderExit(exit) }
}

/** The target with its fields in the order of the report. */
export function orderTarget({ kind, name, hostname, os, machine, boot, path, image }: RunTarget): Ordered<RunTarget> {
  const orderedOs: Ordered<RunTarget['os']> = { id: os.id, version: os.version }
  return { kind, name, hostname, os: orderedOs, machine, boot, path, image: image && orderImage(image) }
}

function orderImage({ name, digest, platform }: ImageIdentity): Ordered<ImageIdentity> {
  return { name, digest, platform }
}

/** The origin with its fields in the order of the report. */
export function orderOrigin({ runId, mode, startedAt, target }: RunOrigin): Ordered<RunOrigin> {
  return { runId, mode, startedAt, target: orderTarget(target) }
}

/** A policy with its fields in the order of the report. */
export function orderPolicy(policy: PolicyResult): Ordered<PolicyResult> {
  return {
    id: policy.id,
    title: policy.title,
    version: policy.version,
    source: policy.source,
    sha256: policy.sha256,
    target: policy.target,
    origin: policy.origin && orderOrigin(policy.origin),
    resources: policy.resources.map(orderResource),
    controls: policy.controls.map(orderControl),
    skipped: policy.skipped,
    inputs: policy.inputs,
  }
}

/** A result with its fields in the order of the report. */
export function orderResource(result: ResourceResult): Ordered<ResourceResult> {
  return {
    id: result.id,
    path: result.path,
    type: result.type,
    name: result.name,
    alias: result.alias,
    provider: result.provider,
    verdict: result.verdict,
    change: result.change,
    changeReason: result.changeReason,
    ensure: result.ensure && { desired: result.ensure.desired, observed: result.ensure.observed },
    drift: result.drift.map(orderReportedDrift),
    remaining: result.remaining?.map(orderDrift),
    unknown: result.unknown?.map(orderUnknown),
    actions: result.actions,
    effect: result.effect?.map(({ kind, object, alongside }) => ({ kind, object, alongside })),
    risk: result.risk,
    irreversible: result.irreversible,
    output: result.output,
    message: result.message,
    reason: result.reason,
    errors: result.errors,
    blockedBy: result.blockedBy,
    health: result.health?.map(orderHealth),
    waivers: result.waivers?.map(orderWaiverUse),
    warnings: result.warnings,
    severity: result.severity,
    controls: result.controls,
    tags: result.tags,
    source: orderPosition(result.source),
    durationMs: result.durationMs,
  }
}

function orderDrift({
  property,
  desired,
  observed,
  observedDigest,
  path,
  diff,
  note,
  confidential,
}: Drift): Ordered<Drift> {
  const values = { desired: orderValue(desired), observed: orderValue(observed), observedDigest }
  return { property, ...values, path, diff, note, confidential }
}

function orderReportedDrift(reported: ReportedDrift): Ordered<ReportedDrift> {
  const { fingerprint, waiver, baseline } = reported
  return { ...orderDrift(reported), fingerprint, waiver, baseline }
}

function orderTerms({ id, reason, approver, expires, created, ticket }: WaiverTerms): Ordered<WaiverTerms> {
  return { id, reason, approver, expires, created, ticket }
}

function orderWaiverUse(use: WaiverUse): Ordered<WaiverUse> {
  return { ...orderTerms(use), state: use.state, covers: use.covers }
}

function orderWaiver(record: WaiverRecord): Ordered<WaiverRecord> {
  return {
    ...orderTerms(record),
    resource: record.resource,
    control: record.control,
    property: record.property,
    host: record.host,
    value: record.value,
    source: orderPosition(record.source),
    state: record.state,
    daysLeft: record.daysLeft,
    expiresSoon: record.expiresSoon,
    accepted: record.accepted,
  }
}

function orderBaseline({ source, runId, startedAt, counts, ...past }: BaselineComparison): Ordered<BaselineComparison> {
  return {
    source,
    runId,
    startedAt,
    counts: {
      new: counts.new,
      changed: counts.changed,
      unchanged: counts.unchanged,
      resolved: counts.resolved,
      incomparable: counts.incomparable,
    } satisfies Ordered<BaselineComparison['counts']>,
    resolved: past.resolved.map(orderPastDrift),
    incomparable: past.incomparable.map((drift) => ({ ...orderPastDrift(drift), why: drift.why })),
  }
}

function orderPastDrift(drift: PastDrift): Ordered<PastDrift> {
  return {
    target: drift.target,
    policy: drift.policy,
    resource: drift.resource,
    path: drift.path,
    property: drift.property,
    fingerprint: drift.fingerprint,
    severity: drift.severity,
    desired: orderValue(drift.desired),
    observed: orderValue(drift.observed),
  }
}

function orderValue(value: ReportValue): unknown {
  if (value === null || typeof value !== 'object') return value
  if (isAcceptance(value)) return orderAcceptance(value)
  if ('redacted' in value) return { redacted: value.redacted, digest: value.digest }
  return { sha256: value.sha256, sizeBytes: value.sizeBytes }
}

function orderAcceptance(acceptance: Acceptance): Acceptance {
  const words = ACCEPTANCE_WORDS.filter((word) => acceptance[word] !== undefined)
  return Object.fromEntries(words.map((word) => [word, acceptance[word]]))
}

function orderUnknown({ property, reason, detail }: UnknownProperty): Ordered<UnknownProperty> {
  return { property, reason, detail }
}

function orderHealth({ name, status, attempts }: HealthResult): Ordered<HealthResult> {
  return { name, status, attempts: attempts.map(orderAttempt) }
}

function orderAttempt(attempt: HealthAttempt): Ordered<HealthAttempt> {
  const { status, exitCode, output, trouble, durationMs } = attempt
  return { status, exitCode, output, trouble, durationMs }
}

function orderControl(control: ControlResult): Ordered<ControlResult> {
  return {
    id: control.id,
    path: control.path,
    title: control.title,
    severity: control.severity,
    description: control.description,
    remediation: control.remediation,
    references: control.references,
    tags: control.tags,
    verdict: control.verdict,
    resources: control.resources,
  }
}

function orderProblem({ message, position, sourceLine, severity }: Problem): Ordered<Problem> {
  return { message, position: position && orderPosition(position), sourceLine, severity }
}

function orderPosition({ file, line, column }: Position): Ordered<Position> {
  return { file, line, column }
}
