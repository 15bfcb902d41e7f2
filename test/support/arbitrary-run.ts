import fc from 'fast-check'
import type { Drift, ReportValue } from '../../src/core/drift.ts'
import { ERROR_REASONS } from '../../src/core/observation.ts'
import type { Problem } from '../../src/core/problem.ts'
import type { ControlResult, PolicyResult, ResourceResult, Run } from '../../src/core/run.ts'
import { SEVERITIES, VERDICTS } from '../../src/core/verdict.ts'
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

const drift: fc.Arbitrary<Drift> = fc.record(
  { property: text, desired: value, observed: value, path: text, diff: text, note: text },
  { requiredKeys: ['property', 'desired', 'observed'] },
)

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
    drift: fc.array(drift, { minLength: 1, maxLength: 2 }),
    remaining: fc.array(drift, { maxLength: 1 }),
    unknown: fc.array(fc.record({ property: text, reason, detail: text }), { maxLength: 1 }),
    actions: texts,
    output: text,
    message: text,
    reason,
    errors: texts,
    blockedBy: texts,
    severity,
    controls: texts,
    tags: texts,
    source: position,
    durationMs,
  })
  .map(({ path, ...result }) => (path.length === 0 ? result : { ...result, path }))
  .map((result) => (result.verdict === 'compliant' ? { ...result, drift: [] } : result))

const control: fc.Arbitrary<ControlResult> = fc.record(
  {
    id: text,
    path: fc.array(text, { minLength: 1, maxLength: 2 }),
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
  },
  { requiredKeys: ['id', 'source', 'sha256', 'resources', 'controls'] },
)

const problem: fc.Arbitrary<Problem> = fc.record(
  { message: text, position, sourceLine: text, severity: fc.constantFrom('error', 'warning') },
  { requiredKeys: ['message', 'severity'] },
)

/** A run of the right shape with hostile text in every field that holds text. */
export const arbitraryRun: fc.Arbitrary<Run> = fc
  .record({
    policies: fc.array(policy, { maxLength: 3 }),
    hostname: text,
    osId: text,
    osVersion: text,
    id: text,
    version: text,
    interrupted: fc.boolean(),
    code: fc.constantFrom(0, 1, 2, 3, 4, 5, 130, 143),
    reasons: texts,
    problems: fc.array(problem, { maxLength: 2 }),
    notes: texts,
  })
  .map(({ policies, hostname, osId, osVersion, id, version, interrupted, code, reasons, problems, notes }) =>
    runOf({
      policies,
      tool: { name: 'driftgate', version },
      run: { ...runOf().run, id, interrupted },
      target: { kind: 'local', hostname, os: { id: osId, version: osVersion } },
      exit: { code, reasons },
      problems,
      notes,
    }),
  )
