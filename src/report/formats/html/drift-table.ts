import type { Drift, ReportValue } from '../../../model/drift.ts'
import { formatProperty, formatValue, moreDrifts, shownDrifts } from '../../../model/format-value.ts'
import type { ReportedDrift, ResourceResult } from '../../../model/run.ts'
import { describeExtras } from '../../words/describe.ts'
import { differencesOf } from '../../words/differences.ts'
import { escapeText, linesOf, type Markup, markup, type Part, trustHtml } from '../../words/markup.ts'
import { badge } from './pieces.ts'
import type { Channel } from '../../words/rows.ts'

/** The channel of the page for shared report functions. */
export const CHANNEL: Channel = { escape: escapeText, paint: (_tone, html) => html }

/** In a diff, tabs are kept and marked, to distinguish them from spaces. */
const DIFF_CHANNEL: Channel = {
  escape: (text) => text.split('\t').map(escapeText).join('<span class="tab">\t</span>'),
  paint: (tone, html) => `<span class="line-${tone}">${html}\n</span>`,
}

/** Every drift of a resource with both values, the value after a fix, and remarks. */
export function driftTable(result: ResourceResult): Markup | undefined {
  if (result.drift.length === 0) return undefined
  const after = cellsAfterFix(result)
  const { shown, others } = shownDrifts(result.drift)
  const columns = after === undefined ? ['wanted', 'found'] : ['wanted', 'found before', 'after the fix']
  return markup`<table class="drift">
<thead><tr>${['property', ...columns].map((name) => markup`<th>${name}</th>`)}</tr></thead>
<tbody>${shown.map((drift) => driftRows(drift, columns.length, after?.(drift)))}${
    others > 0 && markup`<tr class="extra"><td colspan="${columns.length + 1}">${moreDrifts(others)}</td></tr>`
  }</tbody>
</table>`
}

/** A value, line by line. */
export function valueOf(value: ReportValue): Markup {
  return markup`<code>${linesOf(formatValue(value))}</code>`
}

function driftRows(drift: ReportedDrift, columns: number, after: Part): Markup {
  const badges = driftBadges(drift)
  const extra = renderExtras(drift)
  return markup`<tr><th scope="row">${formatProperty(drift)}${badges}</th><td class="want">${valueOf(drift.desired)}</td><td class="found">${valueOf(drift.observed)}</td>${
    after
  }</tr>${extra !== undefined && markup`<tr class="extra"><td colspan="${columns + 1}">${extra}</td></tr>`}\n`
}

function driftBadges({ waiver, baseline }: ReportedDrift): readonly Part[] {
  return [
    waiver !== undefined && [' ', badge('waived', `waived by ${waiver}`)],
    baseline !== undefined && [' ', badge(baseline === 'unchanged' ? 'quiet' : 'new', baseline)],
  ]
}

function renderExtras({ note, ...drift }: Drift): Markup | undefined {
  const lines = describeExtras(drift, DIFF_CHANNEL)
  if (note === undefined && lines.length === 0) return undefined
  const diff = lines.length > 0 && markup`<pre class="diff" tabindex="0"><code>${lines.map(diffLine)}</code></pre>`
  return markup`${note !== undefined && markup`<p class="note">${linesOf(note)}</p>`}${diff}`
}

/** A line of a diff as a block, so that its colour extends to the edge; the line feed is for copying. */
function diffLine(html: string): Markup {
  return trustHtml(html.startsWith('<span class="line-') ? html : `<span class="line-plain">${html}\n</span>`)
}

/** The cell with the result of a fix; undefined if there was no fix. */
function cellsAfterFix(result: ResourceResult): ((drift: Drift) => Markup) | undefined {
  if (result.verdict !== 'fixed' && result.verdict !== 'fix-failed') return undefined
  const { changes, unverified } = differencesOf(result)
  const changed = new Map(changes.map(({ drift, current }) => [keyOf(drift), current]))
  const unseen = new Set(unverified.map(keyOf))
  return (drift) => {
    if (unseen.has(keyOf(drift))) return markup`<td class="after"><em>not verified</em></td>`
    const change = changed.get(keyOf(drift))
    const current = change === undefined ? drift.observed : change
    return markup`<td class="after ${current === drift.desired ? 'reached' : 'missed'}">${valueOf(current)}</td>`
  }
}

/** A key of a drift within its resource. */
export function keyOf({ property, path }: Drift): string {
  return JSON.stringify([property, path])
}
