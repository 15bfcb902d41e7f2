import type { ControlResult, PolicyResult, ResourceResult, Run, Summary } from '../../src/model/run.ts'
import type { Verdict } from '../../src/model/verdict.ts'

/** A resource result as the engine would give it, compliant unless told otherwise. */
export function resourceResult(fields: Partial<ResourceResult> = {}): ResourceResult {
  const name = fields.name ?? '/etc/motd'
  return {
    id: `file#${name}`,
    type: 'file',
    name,
    provider: 'posix',
    verdict: 'compliant',
    drift: [],
    actions: [],
    severity: 'medium',
    controls: [],
    source: { file: 'policies/base.yaml', line: 4, column: 9 },
    durationMs: 0.25,
    ...fields,
  }
}

export function controlResult(fields: Partial<ControlResult> = {}): ControlResult {
  return { id: 'base-01', severity: 'medium', verdict: 'compliant', resources: ['file#/etc/motd'], ...fields }
}

export function policyResult(fields: Partial<PolicyResult> = {}): PolicyResult {
  return {
    id: 'base',
    source: 'policies/base.yaml',
    sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    resources: [resourceResult()],
    controls: [],
    ...fields,
  }
}

/** A run over the given policies with its summary counted; one compliant resource unless told otherwise. */
export function runOf(fields: Partial<Run> = {}): Run {
  const policies = fields.policies ?? [policyResult()]
  return {
    schema: 'driftgate.report/v1',
    tool: { name: 'driftgate', version: '0.1.0' },
    run: {
      id: '0f9c2a4e-7b1d-4c3f-9a55-2d1f0e6b8c77',
      mode: 'audit',
      startedAt: '2026-11-20T12:00:00.250Z',
      finishedAt: '2026-11-20T12:00:00.291Z',
      durationMs: 41.5,
      interrupted: false,
    },
    target: { kind: 'local', hostname: 'web01', os: { id: 'debian', version: '12' } },
    policies,
    summary: summarise(policies),
    exit: { code: 0, reasons: [] },
    ...fields,
  }
}

function summarise(policies: readonly PolicyResult[]): Summary {
  // A result that is followed by one below it is that of an apply resource and not counted.
  const verdicts = policies
    .flatMap(({ resources }) =>
      resources.filter(({ path = [] }, index) => (resources[index + 1]?.path?.length ?? 0) <= path.length),
    )
    .map(({ verdict }) => verdict)
  const count = (wanted: Verdict): number => verdicts.filter((verdict) => verdict === wanted).length
  return {
    total: verdicts.length,
    compliant: count('compliant'),
    drifted: count('drifted'),
    fixed: count('fixed'),
    'fix-failed': count('fix-failed'),
    error: count('error'),
    blocked: count('blocked'),
    'not-applicable': count('not-applicable'),
    waived: count('waived'),
  }
}

/** A run of one policy with these resources. */
export function runWith(...resources: readonly Partial<ResourceResult>[]): Run {
  return runOf({ policies: [policyResult({ resources: resources.map(resourceResult) })] })
}
