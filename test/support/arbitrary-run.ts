import fc from 'fast-check'
import type { BaselineComparison, PastDrift } from '../../src/model/baseline.ts'
import type { Drift, ReportValue } from '../../src/model/drift.ts'
import { ERROR_REASONS } from '../../src/model/observation.ts'
import type { Problem } from '../../src/model/problem.ts'
import type {
  ControlResult,
  HealthResult,
  PolicyResult,
  ReportedDrift,
  ResourceResult,
  Run,
  RunOrigin,
  RunTarget,
} from '../../src/model/run.ts'
import { SEVERITIES, VERDICTS } from '../../src/model/verdict.ts'
import type { WaiverRecord, WaiverUse } from '../../src/model/waiver.ts'
import { hostileText } from './hostile-text.ts'
import { runOf } from './run.ts'

const text = hostileText
const texts = fc.array(text, { maxLength: 2 })
const count = fc.integer({ min: 1, max: 9999 })
const sha256 = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }).map((number) => number.toString(16).padStart(64, '0'))
const position = fc.record({ file: text, line: count, column: count })
const severity = fc.constantFrom(...SEVERITIES)
const verdict = fc.constantFrom(...VERDICTS)
const reason = fc.constantFrom(...ERROR_REASONS)
const durationMs = fc.integer({ min: 0, max: 10_000_000 }).map((microseconds) => microseconds / 1000)

const value: fc.Arbitrary<ReportValue> = fc.oneof(
  text,
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.record({ sha256, sizeBytes: fc.nat() }),
  fc.record({ redacted: fc.constant<true>(true), digest: text }),
)

const fingerprint = fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }).map((number) => number.toString(16).padStart(32, '0'))
const instant = fc
  .date({ min: new Date('2000-01-01'), max: new Date('2099-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString())
const day = instant.map((time) => time.slice(0, 'yyyy-mm-dd'.length))
const path = fc.array(text, { minLength: 1, maxLength: 2 })

const driftFields = { property: text, desired: value, observed: value, path: text, diff: text, note: text }
const DRIFT_REQUIRED = ['property', 'desired', 'observed'] as const

const drift: fc.Arbitrary<Drift> = fc.record(driftFields, { requiredKeys: [...DRIFT_REQUIRED] })

const reportedDrift: fc.Arbitrary<ReportedDrift> = fc.record(
  { ...driftFields, fingerprint, waiver: text, baseline: fc.constantFrom('new', 'changed', 'unchanged') },
  { requiredKeys: [...DRIFT_REQUIRED] },
)

const termsFields = { id: text, reason: text, approver: text, expires: day, created: day, ticket: text }
const TERMS_REQUIRED = ['id', 'reason', 'approver', 'expires'] as const

const waiverUse: fc.Arbitrary<WaiverUse> = fc.record(
  { ...termsFields, state: fc.constantFrom('in-force', 'expired', 'lapsed'), covers: texts },
  { requiredKeys: [...TERMS_REQUIRED, 'state', 'covers'] },
)

const waiverRecord: fc.Arbitrary<WaiverRecord> = fc.record(
  {
    ...termsFields,
    resource: text,
    control: text,
    property: text,
    host: text,
    value: text,
    source: position,
    state: fc.constantFrom('in-force', 'expired'),
    daysLeft: fc.integer({ min: -999, max: 999 }),
    expiresSoon: fc.boolean(),
    accepted: fc.nat({ max: 99 }),
  },
  { requiredKeys: [...TERMS_REQUIRED, 'source', 'state', 'daysLeft', 'expiresSoon', 'accepted'] },
)

const pastFields = {
  policy: text,
  resource: text,
  path,
  property: text,
  fingerprint,
  severity,
  desired: value,
  observed: value,
}
const PAST_REQUIRED = ['policy', 'resource', 'property', 'fingerprint', 'severity', 'desired', 'observed'] as const

const pastDrift: fc.Arbitrary<PastDrift> = fc.record(pastFields, { requiredKeys: [...PAST_REQUIRED] })

const baseline: fc.Arbitrary<BaselineComparison> = fc.record({
  source: text,
  runId: text,
  startedAt: instant,
  counts: fc.record({
    new: fc.nat(),
    changed: fc.nat(),
    unchanged: fc.nat(),
    resolved: fc.nat(),
    incomparable: fc.nat(),
  }),
  resolved: fc.array(pastDrift, { maxLength: 1 }),
  incomparable: fc.array(fc.record({ ...pastFields, why: text }, { requiredKeys: [...PAST_REQUIRED, 'why'] }), {
    maxLength: 1,
  }),
})

const health: fc.Arbitrary<HealthResult> = fc.record({
  name: text,
  status: fc.constantFrom('OK', 'WARNING', 'CRITICAL', 'UNKNOWN'),
  attempts: fc.array(
    fc.record(
      {
        status: fc.constantFrom('OK', 'WARNING', 'CRITICAL', 'UNKNOWN'),
        exitCode: fc.nat({ max: 255 }),
        output: text,
        trouble: reason,
        durationMs,
      },
      { requiredKeys: ['status', 'output', 'durationMs'] },
    ),
    { minLength: 1, maxLength: 2 },
  ),
})

const target = (kind: RunTarget['kind']): fc.Arbitrary<RunTarget> =>
  fc.record({ kind: fc.constant(kind), hostname: text, os: fc.record({ id: text, version: text }) })

const origin: fc.Arbitrary<RunOrigin> = fc.record({
  runId: text,
  mode: fc.constantFrom('audit', 'fix'),
  startedAt: instant,
  target: target('local'),
})

const resource: fc.Arbitrary<ResourceResult> = fc
  .record({
    id: text,
    path: texts,
    type: text,
    name: text,
    alias: text,
    provider: text,
    verdict,
    change: fc.constantFrom('will', 'may', 'cannot'),
    changeReason: text,
    ensure: fc.record({ desired: text, observed: text }),
    drift: fc.array(reportedDrift, { minLength: 1, maxLength: 2 }),
    remaining: fc.array(drift, { maxLength: 1 }),
    unknown: fc.array(fc.record({ property: text, reason, detail: text }), { maxLength: 1 }),
    actions: texts,
    output: text,
    message: text,
    reason,
    errors: texts,
    blockedBy: texts,
    health: fc.option(fc.array(health, { maxLength: 1 }), { nil: undefined }),
    waivers: fc.array(waiverUse, { maxLength: 2 }),
    warnings: texts,
    severity,
    controls: texts,
    tags: texts,
    source: position,
    durationMs,
  })
  .map(({ path: above, health: checks, ...result }) => ({
    ...result,
    ...(above.length === 0 ? {} : { path: above }),
    ...(checks === undefined ? {} : { health: checks }),
  }))
  .map((result) => (result.verdict === 'compliant' ? { ...result, drift: [] } : result))

const control: fc.Arbitrary<ControlResult> = fc.record(
  {
    id: text,
    path,
    title: text,
    severity,
    description: text,
    remediation: text,
    references: fc.dictionary(text, texts, { maxKeys: 2, noNullPrototype: true }),
    tags: texts,
    verdict,
    resources: texts,
  },
  { requiredKeys: ['id', 'severity', 'verdict', 'resources'] },
)

const policy: fc.Arbitrary<PolicyResult> = fc.record(
  {
    id: text,
    title: text,
    version: text,
    source: text,
    sha256,
    resources: fc.array(resource, { maxLength: 4 }),
    controls: fc.array(control, { maxLength: 2 }),
    skipped: count,
    inputs: fc.array(text, { minLength: 1, maxLength: 2 }),
  },
  { requiredKeys: ['id', 'source', 'sha256', 'resources', 'controls'] },
)

const problem: fc.Arbitrary<Problem> = fc.record(
  { message: text, position, sourceLine: text, severity: fc.constantFrom('error', 'warning') },
  { requiredKeys: ['message', 'severity'] },
)

/** A run of the right shape with hostile text in every field that holds text; a third of them are merged of several. */
export const arbitraryRun: fc.Arbitrary<Run> = fc
  .record({
    policies: fc.array(fc.tuple(policy, origin), { maxLength: 3 }),
    target: fc.oneof({ arbitrary: target('local'), weight: 2 }, target('merged')),
    id: text,
    version: text,
    interrupted: fc.boolean(),
    code: fc.constantFrom(0, 1, 2, 3, 4, 5, 130, 143),
    reasons: texts,
    problems: fc.array(problem, { maxLength: 2 }),
    notes: texts,
    waivers: fc.option(fc.array(waiverRecord, { maxLength: 2 }), { nil: undefined }),
    baseline: fc.option(baseline, { nil: undefined }),
  })
  .map((parts) =>
    runOf({
      policies: parts.policies.map(([each, from]) =>
        parts.target.kind === 'merged' ? { ...each, origin: from } : each,
      ),
      tool: { name: 'driftgate', version: parts.version },
      run: { ...runOf().run, id: parts.id, interrupted: parts.interrupted },
      target: parts.target,
      exit: { code: parts.code, reasons: parts.reasons },
      problems: parts.problems,
      notes: parts.notes,
      ...(parts.waivers === undefined ? {} : { waivers: parts.waivers }),
      ...(parts.baseline === undefined ? {} : { baseline: parts.baseline }),
    }),
  )
