import { DRIFT_FATES, type PastDrift } from '../../core/baseline.ts'
import { formatValue } from '../../core/format-value.ts'
import type { Run } from '../../core/run.ts'
import type { Channel } from './describe.ts'

/** What a comparison with a baseline found: the counts, what is gone, and what nobody can say anything about. */
export function baselineLines({ baseline }: Run, { escape, paint }: Channel): readonly string[] {
  if (baseline === undefined) return []
  const { counts, source, startedAt, resolved, incomparable } = baseline
  const total = DRIFT_FATES.filter((fate) => counts[fate] > 0).map((fate) => `${counts[fate]} ${fate}`)
  const found = total.length === 0 ? 'no drift then and now' : total.join(', ')
  return [
    `${paint('strong', 'baseline')} ${escape(source)} ${paint('dim', `(${escape(startedAt)})`)}: ${found}`,
    ...resolved.map((drift) => `  ${paint('good', 'resolved')}      ${escape(describe(drift))}`),
    ...incomparable.map((drift) => {
      return `  ${paint('warn', 'incomparable')}  ${escape(describe(drift))}: ${escape(drift.why)}`
    }),
  ]
}

function describe({ path = [], resource, property, desired, observed }: PastDrift): string {
  const values = `wanted ${formatValue(desired)}, found ${formatValue(observed)}`
  return `${[...path, resource].join(' > ')}  ${property}: ${values}`
}
