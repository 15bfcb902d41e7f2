import { countOf } from '../../model/count-of.ts'
import type { ReportValue } from '../../model/drift.ts'
import { formatProperty, formatValue } from '../../model/format-value.ts'
import { isAcceptance } from '../../model/acceptance.ts'
import { type Finding, resourceOf } from './finding.ts'

/** A change of one property, for a decision. Not escaped; `from` and `to` may have several lines. */
export interface PropertyChange {
  readonly resource: string
  readonly property: string
  readonly from: string
  readonly to: string
  /** Full difference of the contents; absent if the files are not world-readable. */
  readonly diff?: string
}

/** Number of content lines in a table; the full difference has all of them. */
const MOST_LINES = 6

/** All changes of a resource. Contents are shown as lines, never as digests. */
export function changesOf(finding: Finding): readonly PropertyChange[] {
  return finding.drift.map((drift): PropertyChange => {
    const { diff, observed, desired } = drift
    return {
      resource: resourceOf(finding),
      property: formatProperty(drift),
      from: sideOf(observed, linesOf(diff, '-')),
      to: sideOf(desired, linesOf(diff, '+')),
      ...(diff !== undefined && diff !== '' && { diff }),
    }
  })
}

/** Lines of one side of a unified diff, without its headers. */
function linesOf(diff = '', sign: '-' | '+'): readonly string[] {
  return diff
    .split('\n')
    .slice(2)
    .flatMap((line) => (line.startsWith(sign) ? [line.slice(1)] : []))
}

function sideOf(value: ReportValue, lines: readonly string[]): string {
  const more = lines.length - MOST_LINES
  const shown = [...lines.slice(0, MOST_LINES), ...(more > 0 ? [`and ${countOf(more, 'more line')}`] : [])]
  const text = textOf(value, lines.length > 0)
  return [...(text === '' ? [] : [text]), ...shown].join('\n')
}

/** A digest does not help a decision: contents that cannot be shown appear as their size. */
function textOf(value: ReportValue, hasLines: boolean): string {
  if (value === null || typeof value !== 'object' || isAcceptance(value)) return formatValue(value)
  if ('redacted' in value) return '(secret, not shown)'
  if ('sha256' in value) return hasLines ? '' : `contents of ${countOf(value.sizeBytes, 'byte')}, not shown`
  return formatValue(value)
}
