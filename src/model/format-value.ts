import { formatAcceptance, isAcceptance } from './acceptance.ts'
import type { ContentDigest, Drift, Redacted, ReportValue } from './drift.ts'
import { countOf } from './count-of.ts'

/** Characters of a digest in text; the JSON report has all of them. */
const DIGEST_CHARACTERS = 12

/** A value as text. Not escaped, but quoted if necessary. */
export function formatValue(value: ReportValue): string {
  if (isAcceptance(value)) return formatAcceptance(value, formatValue)
  if (value === null) return 'nothing'
  if (typeof value === 'string') return needsQuotes(value) ? `"${value}"` : value
  if (typeof value !== 'object') return String(value)
  if (isRedacted(value)) return `(secret, digest ${value.digest.slice(0, DIGEST_CHARACTERS)})`
  return `sha256 ${value.sha256.slice(0, DIGEST_CHARACTERS)}, ${countOf(value.sizeBytes, 'byte')}`
}

/** Maximum number of drifts of one resource in text; the JSON report has all of them. */
const MOST_DRIFTS = 100

export function shownDrifts<Shown extends Drift>(
  drifts: readonly Shown[],
): { readonly shown: readonly Shown[]; readonly others: number } {
  return { shown: drifts.slice(0, MOST_DRIFTS), others: Math.max(0, drifts.length - MOST_DRIFTS) }
}

/** The remark that more drift exists than is shown. */
export function moreDrifts(others: number): string {
  return `and ${countOf(others, 'other difference')}, all of which are in the JSON report`
}

/** The drifts of a resource in one text, at most `MOST_DRIFTS`. Not escaped. */
export function formatDrifts(drifts: readonly Drift[]): string {
  const { shown, others } = shownDrifts(drifts)
  return [...shown.map(formatDrift), ...(others === 0 ? [] : [moreDrifts(others)])].join('; ')
}

/** A drift in one sentence: `mode: want 0600, found 0644`. Not escaped. */
export function formatDrift(drift: Drift): string {
  return `${formatProperty(drift)}: want ${formatValue(drift.desired)}, found ${formatValue(drift.observed)}`
}

/** The property; if one resource covers many files, with the path of the file. Not escaped. */
export function formatProperty(drift: Drift): string {
  return drift.path === undefined ? drift.property : `${drift.property} ${drift.path}`
}

function isRedacted(value: ContentDigest | Redacted): value is Redacted {
  return 'redacted' in value
}

/** A CI system would run a line that starts with two colons as a command. */
function needsQuotes(text: string): boolean {
  return text === '' || text.trim() !== text || text.startsWith('::')
}
