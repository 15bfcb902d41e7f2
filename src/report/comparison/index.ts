import { toSafeJson } from '../../model/safe-json.ts'
import { escapeForTerminal } from '../../model/escape.ts'
import { countOf } from '../../model/count-of.ts'
import { formatValue } from '../../model/format-value.ts'
import { EXIT } from '../../model/gate.ts'
import type { DriftFate } from '../../model/baseline.ts'
import type { ComparedDrift, ComparedResource, ComparedRun, Comparison } from '../../model/findings/compare.ts'
import type { RenderOptions, Tone } from '../format.ts'
import { type Channel, joinSections, layOut, type Row } from '../words/rows.ts'

/** The exit code of a comparison: 2 for new or changed drift, 3 for incomparable drift, otherwise 0. */
export function exitOfComparison({ counts, resources }: Comparison): number {
  if (counts.new + counts.changed > 0) return EXIT.drift
  return counts.incomparable > 0 || resources.some(({ why }) => why !== undefined) ? EXIT.undecided : EXIT.ok
}

/** The fates of drift in order of importance, with their tones. */
export const FATES: readonly (readonly [fate: DriftFate, tone: Tone])[] = [
  ['new', 'bad'],
  ['changed', 'bad'],
  ['incomparable', 'warn'],
  ['resolved', 'good'],
  ['unchanged', 'dim'],
]

/** The comparison as JSON, described by `schemas/comparison.schema.json`. */
export function comparisonJson(comparison: Comparison): string {
  return `${toSafeJson(comparison, 2)}\n`
}

/** The comparison as text; unchanged drift is only counted unless `verbose`. */
export function comparisonText(comparison: Comparison, { verbose, paint }: RenderOptions): string {
  const channel: Channel = { escape: escapeForTerminal, paint }
  const { before, after, drift, resources } = comparison
  const listed = FATES.filter(([fate]) => fate !== 'unchanged' || verbose)
  const blocks = listed.flatMap(([fate, tone]) =>
    drift.filter((each) => each.fate === fate).map((each) => driftLines(each, tone, channel)),
  )
  const sections = [
    [`before  ${runLine(before, channel)}`, `after   ${runLine(after, channel)}`],
    ...blocks,
    otherVerdicts(comparison, channel),
    [
      `${countFates(comparison)}${resources.length === 0 ? '' : `; ${countOf(resources.length, 'resource')} with another verdict`}`,
    ],
  ]
  return joinSections(sections)
}

function runLine({ hostname, startedAt, runId, exitCode }: ComparedRun, { escape, paint }: Channel): string {
  return `${escape(startedAt)}  ${escape(hostname)}  exit ${exitCode}  ${paint('dim', escape(runId))}`
}

function driftLines(drift: ComparedDrift, tone: Tone, channel: Channel): readonly string[] {
  const { escape, paint } = channel
  const width = Math.max(...FATES.map(([{ length }]) => length))
  const name = paint('strong', escape([...(drift.path ?? []), drift.resource].join(' > ')))
  const place = paint('dim', escape(placeOf(drift)))
  const headline = `${paint(tone, drift.fate.padEnd(width))}  ${drift.severity}  ${name}  ${place}`
  return [headline, ...layOut(driftRows(drift, escape), paint).map((line) => `    ${line}`)]
}

function placeOf({ hostname, policy }: Pick<ComparedDrift, 'hostname' | 'policy'>): string {
  return hostname === undefined ? policy : `${policy} on ${hostname}`
}

function driftRows(drift: ComparedDrift, escape: Channel['escape']): readonly Row[] {
  const { property, before, after, cause, why, waiver } = drift
  const values = (label: string, { desired, observed }: NonNullable<typeof before>): Row => ({
    label,
    lines: [escape(`want ${formatValue(desired)}, found ${formatValue(observed)}`)],
  })
  return [
    { label: 'property', lines: [escape(property)] },
    ...(before === undefined ? [] : [values('before', before)]),
    ...(after === undefined ? [] : [values('after', after)]),
    ...(cause === undefined ? [] : [{ label: 'cause', lines: [CAUSES[cause]] as const }]),
    ...(why === undefined ? [] : [{ label: 'why', lines: [escape(why)] as const }]),
    ...(waiver === undefined ? [] : [{ label: 'waiver', lines: [escape(waiver)] as const }]),
  ]
}

/** The causes in words. */
export const CAUSES: Readonly<Record<NonNullable<ComparedDrift['cause']>, string>> = {
  policy: 'the policy or its data changed',
  machine: 'the host changed',
  both: 'the policy and the host changed',
  unclear: 'the policy has another version; the reports do not show whether the host changed',
}

type Identified = Pick<ComparedResource, 'hostname' | 'policy' | 'path' | 'resource'>

/** Changed verdicts without a changed drift: resources that became unknown, or are no longer unknown. */
function otherVerdicts({ resources, drift }: Comparison, { escape, paint }: Channel): readonly string[] {
  const told = new Set(drift.filter(({ fate }) => fate !== 'unchanged').map(identityOf))
  return resources
    .filter((each) => !told.has(identityOf(each)))
    .map((each) => {
      const name = escape([...(each.path ?? []), each.resource].join(' > '))
      return `${name}: ${verdictChange(each)}  ${paint('dim', escape(placeOf(each)))}`
    })
}

function identityOf({ hostname = '', policy, path = [], resource }: Identified): string {
  return JSON.stringify([hostname, policy, ...path, resource])
}

function verdictChange(resource: ComparedResource): string {
  const { why } = resource
  return why === undefined ? verdictsOf(resource) : `${verdictsOf(resource)}: ${why}`
}

function verdictsOf({ before, after }: ComparedResource): string {
  if (before === after) return `is ${after ?? ''}`
  if (before === undefined) return `now ${after ?? ''}, was not in the earlier run`
  return after === undefined ? `was ${before}, is not in the later run` : `was ${before}, is ${after}`
}

/** Counts of drift by fate, in order of importance. */
export function countFates({ counts }: Comparison): string {
  const parts = FATES.filter(([fate]) => counts[fate] > 0).map(([fate]) => `${counts[fate]} ${fate}`)
  return parts.length === 0 ? 'no drift in either run' : parts.join(', ')
}
