import { assertNever } from '../../model/assert-never.ts'
import type { Drift } from '../../model/drift.ts'
import type { ResourceResult } from '../../model/run.ts'
import type { WaiverRecord } from '../../model/waiver.ts'
import { formatDrift, formatProperty, formatValue, moreDrifts, shownDrifts } from '../../model/format-value.ts'
import { columnsOf, widestOf } from '../../model/columns.ts'
import { describeEffects } from '../../model/effect.ts'
import { type Channel, WIDEST_CELL, columnWidth, type Row } from './rows.ts'
import { waiverRows } from './waivers.ts'

/** Maximum command output in text; the JSON report has more. */
const FIRST_LINES = 10
const LAST_LINES = 30
const LONGEST_LINE = 500

/**
 * The details of a resource except its name and verdict: each drift with both values, then its circumstances. Empty for
 * a compliant resource without actions. `records` have the remaining time of waivers.
 */
export function describeResource(
  result: ResourceResult,
  channel: Channel,
  records?: readonly WaiverRecord[],
): readonly Row[] {
  return [...describeDrifts(result.drift, channel), ...describeCircumstances(result, channel, records)]
}

/**
 * The circumstances of a resource: waivers, unreadable properties, planned or performed actions, remaining drift,
 * errors, blocking requirements and command output.
 */
export function describeCircumstances(
  result: ResourceResult,
  { escape }: Channel,
  records?: readonly WaiverRecord[],
): readonly Row[] {
  return [
    ...waiverRows(result, escape, records),
    ...(result.unknown ?? []).map((it) => row('unknown', `${it.property} (${it.reason}): ${it.detail}`, escape)),
    ...effectWords(result).map((action) => describeAction(action, escape)),
    ...hazardWords(result).map(([label, text]) => row(label, text, escape)),
    ...describeChange(result, escape),
    ...describeBaseline(result, escape),
    ...(result.warnings ?? []).map((warning) => row('warning', warning, escape)),
    ...describeRemaining(result.remaining ?? [], escape),
    ...describeTrouble(result).map(([label, text]) => row(label, text, escape)),
    ...describeOutput(result, escape),
  ]
}

function row(label: string, text: string, escape: Channel['escape']): Row {
  return { label, lines: [escape(text)] }
}

function describeRemaining(remaining: readonly Drift[], escape: Channel['escape']): readonly Row[] {
  const { shown, others } = shownDrifts(remaining)
  const rows = shown.map((drift) => row('remains', formatDrift(drift), escape))
  return others === 0 ? rows : [...rows, row('remains', moreDrifts(others), escape)]
}

function describeDrifts(drifts: readonly Drift[], channel: Channel): readonly Row[] {
  const { shown, others } = shownDrifts(drifts)
  const rows = describeShown(shown, channel)
  return others === 0 ? rows : [...rows, row('…', moreDrifts(others), channel.escape)]
}

function describeShown(drifts: readonly Drift[], channel: Channel): readonly Row[] {
  const values = drifts.map((drift) => ({
    drift,
    desired: channel.escape(formatValue(drift.desired)),
    observed: channel.escape(formatValue(drift.observed)),
  }))
  const width = columnWidth(values.map(({ desired }) => desired))
  return values.map(({ drift, desired, observed }) => {
    const found = `found ${channel.paint('bad', observed)}`
    const extra = describeExtras(drift, channel)
    const notes = drift.note === undefined ? 0 : 1
    const label = channel.escape(formatProperty(drift))
    if (widestOf([desired, observed]) > WIDEST_CELL) {
      return { label, lines: [`want  ${channel.paint('good', desired)}`, found, ...extra], prose: 2 + notes }
    }
    const want = `want ${channel.paint('good', desired)}${' '.repeat(width - columnsOf(desired))}`
    return { label, lines: [`${want}  ${found}`, ...extra], prose: 1 + notes }
  })
}

/** The note of a drift and its diff, line by line. */
export function describeExtras(drift: Drift, channel: Channel): readonly string[] {
  const note = drift.note === undefined ? [] : [`note: ${channel.escape(drift.note)}`]
  return [...note, ...describeDiff(drift.diff ?? '', channel)]
}

/** Each line of a diff is escaped on its own. */
function describeDiff(diff: string, { escape, paint }: Channel): readonly string[] {
  if (diff === '') return []
  return diff
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => paintDiffLine(line, escape(line), paint))
}

function paintDiffLine(line: string, escaped: string, paint: Channel['paint']): string {
  if (/^(?:@@|---|\+\+\+|\\)/.test(line)) return paint('dim', escaped)
  if (line.startsWith('+')) return paint('good', escaped)
  return line.startsWith('-') ? paint('bad', escaped) : escaped
}

/**
 * The planned or performed effects of a fix. If the type declares none, or in reports of earlier versions, the
 * sentences of `actions`.
 */
export function effectWords({ verdict, actions, effect }: ResourceResult): readonly string[] {
  if (effect === undefined || actions.length === 0) return actions
  return [describeEffects(effect, verdict === 'fixed' ? 'done' : 'planned')]
}

/** A planned action starts with `would`; a performed one is in the past tense. */
function describeAction(action: string, escape: Channel['escape']): Row {
  return row(/^would /i.test(action) ? 'plan' : 'done', action, escape)
}

/** The hazards of a change. Not escaped. */
export function hazardWords({
  risk,
  irreversible,
}: ResourceResult): readonly (readonly [label: string, text: string])[] {
  const said = [['risky', risk] as const, ['cannot be undone', irreversible] as const]
  return said.flatMap(([label, text]) => (text === undefined ? [] : [[label, text] as const]))
}

function describeChange({ change, changeReason }: ResourceResult, escape: Channel['escape']): readonly Row[] {
  if (change === undefined || change === 'will') return []
  if (changeReason?.startsWith(`${change} `) === true) return [row('change', changeReason, escape)]
  return [row('change', changeReason === undefined ? change : `${change}, ${changeReason}`, escape)]
}

/** The comparison of drift with the reference report, by property if they differ. */
function describeBaseline({ drift }: ResourceResult, escape: Channel['escape']): readonly Row[] {
  const compared = drift.filter(({ baseline }) => baseline !== undefined)
  const classes = [...new Set(compared.flatMap(({ baseline }) => baseline ?? []))]
  const [only] = classes
  if (only === undefined) return []
  if (classes.length === 1) return [row('baseline', only, escape)]
  const texts = classes.map((wanted) => {
    const { shown, others } = shownDrifts(compared.filter(({ baseline }) => baseline === wanted))
    const more = others === 0 ? [] : [`${others} more`]
    return `${[...shown.map(formatProperty), ...more].join(', ')} ${wanted}`
  })
  return [row('baseline', texts.join('; '), escape)]
}

/** Command output, line by line; long output is cut in the middle. */
function describeOutput({ output = '' }: ResourceResult, escape: Channel['escape']): readonly Row[] {
  const lines = output
    .replace(/\n+$/, '')
    .split('\n')
    .map((line) => escape(shorten(line)))
  const leftOut = lines.length - FIRST_LINES - LAST_LINES
  const [first = '', ...others] =
    leftOut <= 1 ? lines : [...lines.slice(0, FIRST_LINES), `[${leftOut} lines omitted]`, ...lines.slice(-LAST_LINES)]
  return first === '' && others.length === 0 ? [] : [{ label: 'output', lines: [first, ...others] }]
}

function shorten(line: string): string {
  return line.length <= LONGEST_LINE ? line : `${line.slice(0, LONGEST_LINE)}…`
}

/** The reasons of the verdict without repetitions, since a message often contains the errors. Not escaped. */
export function describeTrouble(result: ResourceResult): readonly (readonly [label: string, text: string])[] {
  const { message = '', errors = [], blockedBy = [], reason } = result
  const news = errors.filter((error) => !message.includes(error))
  const remains = (result.remaining ?? []).length > 0
  switch (result.verdict) {
    case 'error':
      return [withReason(reason, message), ...news].filter((text) => text !== '').map((text) => ['error', text])
    case 'fix-failed': {
      const texts = errors.length > 0 ? errors : remains || message === '' ? [] : [message]
      return texts.map((text) => ['error', text])
    }
    case 'blocked': {
      const unnamed = blockedBy.filter((id) => !message.includes(id))
      const by = unnamed.length === 0 ? [] : [['blocked by', unnamed.join(', ')] as const]
      return message === '' ? by : [...by, ['blocked', message]]
    }
    case 'drifted':
      return result.drift.length > 0 || message === '' ? [] : [['drift', message]]
    case 'waived':
      // The waivers have more details.
      return message === '' || (result.waivers ?? []).length > 0 ? [] : [['reason', message]]
    case 'not-applicable':
      return message === '' ? [] : [['reason', message]]
    case 'compliant':
    case 'fixed':
      return []
    default:
      return assertNever(result.verdict)
  }
}

function withReason(reason: string | undefined, message: string): string {
  if (reason === undefined || message.includes(reason) || message.includes(reason.replaceAll('-', ' '))) return message
  return message === '' ? reason : `${reason}: ${message}`
}
