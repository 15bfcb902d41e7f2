import { formatAcceptance, isAcceptance } from './acceptance.ts'
import type { ContentDigest, Drift, Redacted, ReportValue } from './drift.ts'
import { countOf } from './count-of.ts'

/** How much of a digest a person reads; the JSON report has all of it. */
const DIGEST_CHARACTERS = 12

/** A value as people read it. Not escaped: text comes out as the machine or the policy had it, quoted if need be. */
export function formatValue(value: ReportValue): string {
  if (isAcceptance(value)) return formatAcceptance(value, formatValue)
  if (value === null) return 'nothing'
  if (typeof value === 'string') return needsQuotes(value) ? `"${value}"` : value
  if (typeof value !== 'object') return String(value)
  if (isRedacted(value)) return `(secret, digest ${value.digest.slice(0, DIGEST_CHARACTERS)})`
  return `sha256 ${value.sha256.slice(0, DIGEST_CHARACTERS)}, ${countOf(value.sizeBytes, 'byte')}`
}

/** How much drift of one resource people read; the JSON report has all of it. */
const MOST_DRIFTS = 100

/** The drifts of a resource that people are shown, and how many there are beside them. */
export function shownDrifts<Shown extends Drift>(
  drifts: readonly Shown[],
): { readonly shown: readonly Shown[]; readonly others: number } {
  return { shown: drifts.slice(0, MOST_DRIFTS), others: Math.max(0, drifts.length - MOST_DRIFTS) }
}

/** That more drift was found than is shown. */
export function moreDrifts(others: number): string {
  return `and ${countOf(others, 'other difference')}, all of which are in the JSON report`
}

/** All that drifted in one text, as far as people read it. Not escaped. */
export function formatDrifts(drifts: readonly Drift[]): string {
  const { shown, others } = shownDrifts(drifts)
  return [...shown.map(formatDrift), ...(others === 0 ? [] : [moreDrifts(others)])].join('; ')
}

/** A drift in one sentence: `mode: want 0600, found 0644`. Not escaped. */
export function formatDrift(drift: Drift): string {
  return `${formatProperty(drift)}: want ${formatValue(drift.desired)}, found ${formatValue(drift.observed)}`
}

/** The property, with the file inside the resource where one resource covers many. Not escaped. */
export function formatProperty(drift: Drift): string {
  return drift.path === undefined ? drift.property : `${drift.property} ${drift.path}`
}

function isRedacted(value: ContentDigest | Redacted): value is Redacted {
  return 'redacted' in value
}

/** A CI system would take two colons at the beginning of a line for a command. */
function needsQuotes(text: string): boolean {
  return text === '' || text.trim() !== text || text.startsWith('::')
}
