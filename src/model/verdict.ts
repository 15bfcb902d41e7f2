/** The result of one resource. Only the engine computes it, never a resource type. */
export const VERDICTS = [
  'compliant',
  'drifted',
  'fixed',
  'fix-failed',
  'error',
  'blocked',
  'not-applicable',
  'waived',
] as const

/** One of `VERDICTS`. */
export type Verdict = (typeof VERDICTS)[number]

/** The verdicts in the order of precedence for a group. */
export const WORST_FIRST: readonly Verdict[] = [
  'fix-failed',
  'error',
  'drifted',
  'blocked',
  'waived',
  'fixed',
  'compliant',
  'not-applicable',
]

/** The verdict of a group: the worst of its members; `not-applicable` for an empty group. */
export function worstVerdict(verdicts: Iterable<Verdict>): Verdict {
  const present = new Set(verdicts)
  return WORST_FIRST.find((verdict) => present.has(verdict)) ?? 'not-applicable'
}

/** The verdicts that require action. */
export const FAILURES = ['fix-failed', 'error', 'drifted', 'blocked'] as const satisfies readonly Verdict[]

/** Whether a verdict of a resource or a control, or the state of a finding, requires action. */
export function isFailure(verdict: string): boolean {
  return FAILURES.some((failure) => failure === verdict)
}

/** The verdicts of a control: those of a resource, and `not-evaluated` for one that needs manual review. */
export const CONTROL_VERDICTS = [...VERDICTS, 'not-evaluated'] as const

/** One of `CONTROL_VERDICTS`. */
export type ControlVerdict = (typeof CONTROL_VERDICTS)[number]

/** The verdicts of controls, worst first. */
export const CONTROLS_WORST_FIRST: readonly ControlVerdict[] = WORST_FIRST.flatMap((verdict): ControlVerdict[] =>
  verdict === 'blocked' ? [verdict, 'not-evaluated'] : [verdict],
)

/** Whether a fix would resolve the drift of a resource: `may` depends on another pending change. */
export type Change = 'will' | 'may' | 'cannot'

/** Severities of controls, mildest first. */
export const SEVERITIES = ['info', 'low', 'medium', 'high', 'critical'] as const

/** One of `SEVERITIES`. */
export type Severity = (typeof SEVERITIES)[number]

/** The severity of a resource without a control. */
export const DEFAULT_SEVERITY: Severity = 'medium'

export function isAtLeast(severity: Severity, threshold: Severity): boolean {
  return SEVERITIES.indexOf(severity) >= SEVERITIES.indexOf(threshold)
}

/** The highest of the severities; the default for an empty list. */
export function worstSeverity(severities: readonly Severity[]): Severity {
  if (severities.length === 0) return DEFAULT_SEVERITY
  return severities.reduce((worst, severity) => (isAtLeast(severity, worst) ? severity : worst))
}
