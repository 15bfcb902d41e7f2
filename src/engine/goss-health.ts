import type { HealthAttempt } from '../model/run.ts'
import { formatDrift } from '../model/format-value.ts'
import { decideGoss, type Findings } from '../subjects/goss/decide.ts'
import { type GossContext, observeGoss } from '../subjects/goss/observe.ts'
import type { GossContent } from '../subjects/goss/files/resource.ts'
import type { Target } from '../host/target.ts'

/** Evaluates Goss rules as a health check; the output is their summary and the failed rules. */
export async function judgeHealthRules(
  rules: unknown,
  target: Target,
  context: GossContext,
): Promise<Omit<HealthAttempt, 'durationMs'>> {
  // The rules were validated when the policy was read.
  const seen = await observeGoss(target, rules as GossContent, context)
  if (seen.kind === 'unknown') return { status: 'UNKNOWN', output: seen.detail, trouble: seen.reason }
  const { drift, unknown } = decideGoss(seen.context)
  const failed = drift.map((each) => formatDrift(each))
  const open = unknown.map(({ property, detail }) => `${property}: ${detail}`)
  const output = [summaryOf(seen.context), ...failed, ...open].join('; ')
  const [first] = unknown
  if (failed.length > 0) return { status: 'CRITICAL', output }
  return first === undefined ? { status: 'OK', output } : { status: 'UNKNOWN', output, trouble: first.reason }
}

function summaryOf({ examined }: Findings): string {
  const kinds = examined.flatMap(({ results }) => results.map(({ kind }) => kind))
  const count = (wanted: string): number => kinds.filter((kind) => kind === wanted).length
  return `Count: ${kinds.length}, Failed: ${count('fail')}, Skipped: ${count('skipped')}`
}
