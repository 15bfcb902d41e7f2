import type { Drift } from '../model/drift.ts'
import { formatDrift } from '../model/format-value.ts'
import type { ErrorReason } from '../model/observation.ts'
import type { HealthResult, ResourceResult } from '../model/run.ts'

export interface HealthRules {
  /** True if the checks follow a fix. */
  readonly isFix: boolean
  /** Treat WARNING as CRITICAL. */
  readonly isStrict: boolean
}

/**
 * Adds health results to a resource result. CRITICAL is drift of property `health` or, after a fix, a failed fix;
 * WARNING is only reported; UNKNOWN makes a compliant resource unknown. Checks never improve a verdict, and drift takes
 * precedence over an unknown check.
 */
export function withHealth(
  result: ResourceResult,
  health: readonly HealthResult[],
  rules: HealthRules,
): ResourceResult {
  const failing = health.filter(({ status }) => status === 'CRITICAL' || (status === 'WARNING' && rules.isStrict))
  const undecided = health.filter(({ status }) => status === 'UNKNOWN')
  const warnings = health.filter((check) => check.status === 'WARNING' && !failing.includes(check)).map(describe)
  const all = [...(result.warnings ?? []), ...warnings]
  const told: ResourceResult = { ...result, health, ...(all.length === 0 ? {} : { warnings: all }) }
  if (failing.length > 0) return toUnhealthy(told, failing, rules)
  return undecided.length > 0 ? toUnproved(told, undecided) : told
}

function toUnhealthy(result: ResourceResult, failing: readonly HealthResult[], { isFix }: HealthRules): ResourceResult {
  const health = failing.map(driftOf)
  const drift = [...result.drift, ...health]
  const message = [result.message ?? '', ...health.map(formatDrift)].filter((text) => text !== '').join('; ')
  switch (result.verdict) {
    // A waiver for resources below does not cover the resource's own health.
    case 'waived':
    case 'compliant':
      if (isFix) return failedFix({ ...result, drift: health }, health, 'unhealthy')
      return { ...result, verdict: 'drifted', change: 'cannot', changeReason: NOT_REPAIRED, drift, message }
    case 'drifted':
      return { ...result, drift, message }
    case 'fixed':
      return failedFix(result, health, 'unhealthy after the fix')
    case 'fix-failed':
      return { ...result, remaining: [...(result.remaining ?? []), ...health] }
    default:
      return { ...result, errors: [...(result.errors ?? []), ...failing.map(describe)] }
  }
}

const NOT_REPAIRED = 'findings of health checks cannot be fixed'

function toUnproved(result: ResourceResult, undecided: readonly HealthResult[]): ResourceResult {
  const details = undecided.map(describe)
  const reason: ErrorReason = undecided[0]?.attempts.at(-1)?.trouble ?? 'command'
  switch (result.verdict) {
    case 'waived':
    case 'compliant':
      return { ...result, verdict: 'error', reason, errors: details, message: details.join('; ') }
    case 'drifted': {
      const unknown = details.map((detail) => ({ property: 'health', reason, detail }))
      return { ...result, unknown: [...(result.unknown ?? []), ...unknown] }
    }
    case 'fixed':
      return failedFix(result, [], `could not be verified: ${details.join('; ')}`)
    default:
      return { ...result, errors: [...(result.errors ?? []), ...details] }
  }
}

/** A completed fix after which the resource is not as desired. */
export function failedFix(result: ResourceResult, remaining: readonly Drift[], message: string): ResourceResult {
  const said = remaining.length === 0 ? message : `${message}: ${remaining.map(formatDrift).join('; ')}`
  return { ...result, verdict: 'fix-failed', change: 'will', remaining, errors: [said], message: said }
}

function driftOf({ name, status, attempts }: HealthResult): Drift {
  const output = attempts.at(-1)?.output ?? ''
  return { property: 'health', desired: 'OK', observed: status, note: output === '' ? name : `${name}: ${output}` }
}

function describe({ name, status, attempts }: HealthResult): string {
  const output = attempts.at(-1)?.output ?? ''
  const tries = attempts.length > 1 ? ` after ${attempts.length} tries` : ''
  return `health check ${name} is ${status}${tries}${output === '' ? '' : `: ${output}`}`
}
