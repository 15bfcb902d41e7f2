import type { Summary } from '../../../model/run.ts'
import type { TrendPoint } from '../../format.ts'
import { type Markup, markup } from '../../words/markup.ts'
import type { View } from './view.ts'
import { countOf, formatCount, formatTime } from './words.ts'

/** Maximum number of runs side by side; the latest are shown. */
const RUNS_SHOWN = 60

/** Keeps the bars slim if there are few runs. */
const LEAST_SLOTS = 16

/** Width of a slot and of its bar, in units of the drawing. */
const SLOT = 10
const BAR = 7
const HEIGHT = 100

/** Failed, unknown and accepted results by run; the run of the report is the last. */
export function trendSection({ run }: View, trend: readonly TrendPoint[] = []): Markup {
  const earlier = trend.filter(({ runId }) => runId !== run.run.id)
  if (earlier.length === 0) return markup``
  const { id, startedAt } = run.run
  const all: readonly TrendPoint[] = [
    ...earlier,
    { runId: id, startedAt, summary: run.summary, exitCode: run.exit.code },
  ]
  const points = all.slice(-RUNS_SHOWN)
  const most = Math.max(...points.map(({ summary }) => sum(summary)))
  return markup`<section id="trend" aria-labelledby="trend-title">
<h2 id="trend-title">Trend <span class="count">${countOf(points.length, 'run')}</span></h2>
<figure>
<p class="scale" aria-hidden="true">${most === 0 ? '' : formatCount(most)}</p>
${renderDrawing(points, most)}
<p class="ends" aria-hidden="true">this run</p>
<figcaption>${inWords(points)} <span class="legend"><span data-k="failing">drifted or not fixed</span> <span data-k="undecided">undecided or blocked</span> <span data-k="waived">waived</span></span></figcaption>
</figure>
<details class="folded"><summary><span>The numbers</span></summary>${table(points)}</details>
</section>
`
}

const KINDS = ['failing', 'undecided', 'waived'] as const

function partsOf(summary: Summary): Readonly<Record<(typeof KINDS)[number], number>> {
  return {
    failing: summary.drifted + summary['fix-failed'],
    undecided: summary.error + summary.blocked,
    waived: summary.waived,
  }
}

function sum(summary: Summary): number {
  const parts = partsOf(summary)
  return parts.failing + parts.undecided + parts.waived
}

/** The drawing is stretched to the width of the page, so it contains no text. */
function renderDrawing(points: readonly TrendPoint[], most: number): Markup {
  const width = SLOT * Math.max(points.length, LEAST_SLOTS)
  const left = width - SLOT * points.length + (SLOT - BAR)
  const bars = points.map(({ summary, startedAt }, index) => {
    const parts = partsOf(summary)
    let top = HEIGHT
    const pieces = KINDS.map((kind) => {
      const height = most === 0 ? 0 : round((parts[kind] / most) * HEIGHT)
      top = round(top - height)
      return (
        height > 0 &&
        markup`<rect data-k="${kind}" x="${left + index * SLOT}" y="${top}" width="${BAR}" height="${height}"/>`
      )
    })
    const none =
      sum(summary) === 0 &&
      markup`<rect data-k="none" x="${left + index * SLOT}" y="${HEIGHT - 1}" width="${BAR}" height="1"/>`
    return markup`<g><title>${formatTime(startedAt)}: ${parts.failing} failing, ${parts.undecided} unknown, ${parts.waived} waived of ${summary.total}</title>${pieces}${none}</g>`
  })
  return markup`<svg class="bars" width="480" height="100" fill="gray" viewBox="0 0 ${width} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${inWords(points)}">${bars}</svg>`
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}

function inWords(points: readonly TrendPoint[]): string {
  const [first, last] = [points[0], points.at(-1)]
  if (first === undefined || last === undefined) return ''
  const before = partsOf(first.summary).failing
  const now = partsOf(last.summary).failing
  const change =
    before === now
      ? `stayed at ${countOf(now, 'resource')}`
      : `went from ${formatCount(before)} to ${countOf(now, 'resource')}`
  return `Over ${points.length} runs since ${formatTime(first.startedAt)}, drift ${change}.`
}

function table(points: readonly TrendPoint[]): Markup {
  const columns = ['Run', 'Resources', 'Compliant', 'Drifted', 'Not fixed', 'Unknown', 'Waived', 'Exit']
  const rows = points.toReversed().map(({ startedAt, summary, exitCode }) => {
    const { total, compliant, drifted, waived, error, blocked } = summary
    const cells = [total, compliant, drifted, summary['fix-failed'], error + blocked, waived].map(formatCount)
    return markup`<tr><th scope="row">${formatTime(startedAt)}</th>${[...cells, String(exitCode)].map((cell) => markup`<td>${cell}</td>`)}</tr>`
  })
  return markup`<div class="scroll" tabindex="0" role="region" aria-label="The numbers of the trend"><table class="figures"><thead><tr>${columns.map((name) => markup`<th scope="col">${name}</th>`)}</tr></thead><tbody>${rows}</tbody></table></div>`
}
