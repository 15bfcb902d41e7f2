import { DRIFT_FATES, type PastDrift } from '../../../model/baseline.ts'
import { formatValue } from '../../../model/format-value.ts'
import type { Run } from '../../../model/run.ts'
import type { Page } from './page.ts'

/** Maximum number of resolved and incomparable drifts listed, unless verbose. */
const DRIFTS_SHOWN = 10

/** The comparison with the reference report: counts, resolved and incomparable drift. */
export function baselineLines({ baseline }: Run, { escape, paint, verbose }: Page): readonly string[] {
  if (baseline === undefined) return []
  const { counts, source, startedAt, resolved, incomparable } = baseline
  const total = DRIFT_FATES.filter((fate) => counts[fate] > 0).map((fate) => `${counts[fate]} ${fate}`)
  const found = total.length === 0 ? 'no drift then and now' : total.join(', ')
  const shown = <T>(drifts: readonly T[]): readonly T[] => (verbose ? drifts : drifts.slice(0, DRIFTS_SHOWN))
  const more = (drifts: readonly unknown[], fate: string): readonly string[] => {
    const others = drifts.length - shown(drifts).length
    return others === 0 ? [] : [`  ${paint('dim', `${others} more ${fate}, listed with --verbose`)}`]
  }
  return [
    `${paint('strong', 'baseline')} ${escape(source)} ${paint('dim', `(${escape(startedAt)})`)}: ${found}`,
    ...shown(resolved).map((drift) => `  ${paint('good', 'resolved')}      ${escape(describePast(drift))}`),
    ...more(resolved, 'resolved'),
    ...shown(incomparable).map((drift) => {
      return `  ${paint('warn', 'incomparable')}  ${escape(describePast(drift))}: ${escape(drift.why)}`
    }),
    ...more(incomparable, 'incomparable'),
  ]
}

function describePast({ path = [], resource, property, desired, observed }: PastDrift): string {
  const values = `wanted ${formatValue(desired)}, found ${formatValue(observed)}`
  return `${[...path, resource].join(' > ')}  ${property}: ${values}`
}
