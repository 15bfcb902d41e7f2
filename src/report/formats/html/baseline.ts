import { type BaselineComparison, DRIFT_FATES, type PastDrift } from '../../../model/baseline.ts'
import { valueOf } from './drift-table.ts'
import { type Markup, markup, type Part, SIGN } from '../../words/markup.ts'
import { cell, linkTo, severityLabel } from './pieces.ts'
import { isKnown } from '../../../model/known.ts'
import type { Entry, View } from './view.ts'
import { countOf, formatCount, formatTime } from './words.ts'

/** The comparison with the reference report of the gate. */
export function baselineSection({ run: { baseline }, groups }: View): Markup {
  if (baseline === undefined) return markup``
  const { startedAt, source, runId, resolved, incomparable } = baseline
  const entries = groups.flatMap((group) => group.entries)
  return markup`<section id="baseline" aria-labelledby="baseline-title">
<h2 id="baseline-title">Compared with the baseline</h2>
<p class="about">${formatTime(startedAt)} ${SIGN.dot} ${source} ${SIGN.dot} run <span class="place">${runId}</span></p>
${countList(baseline)}
${renderDrifting('New or changed', entries.filter(isFresh))}
${renderDrifting(
  'Known',
  entries.filter(({ result }) => isKnown(result)),
)}
${renderPastDrifts('Resolved', resolved)}
${renderPastDrifts('Incomparable', incomparable, ({ why }) => why)}</section>
`
}

function countList({ counts }: BaselineComparison): Markup {
  const items = DRIFT_FATES.map((name) => markup`<li><b>${formatCount(counts[name])}</b> ${name}</li>`)
  return markup`<ul class="numbers" aria-label="Drifts by class">${items}</ul>`
}

function isFresh({ result }: Entry): boolean {
  return result.drift.some(({ baseline }) => baseline === 'new' || baseline === 'changed')
}

function renderDrifting(title: string, entries: readonly Entry[]): Markup {
  if (entries.length === 0) return markup``
  const items = entries.map(({ result, anchor }) => {
    const name = [...(result.path ?? []), result.id].join(' › ')
    return markup`<li>${linkTo(anchor, markup`<code>${name}</code>`)} <span class="dim">${result.severity}</span></li>`
  })
  return markup`<details class="folded"><summary><span>${title}: ${countOf(entries.length, 'resource')}</span></summary><ul>${items}</ul></details>
`
}

function renderPastDrifts<T extends PastDrift>(title: string, drifts: readonly T[], why?: (drift: T) => Part): Markup {
  if (drifts.length === 0) return markup``
  const columns = [title, 'Severity', 'Wanted then', 'Found then', ...(why === undefined ? [] : ['Why'])]
  const rows = drifts.map(
    (
      drift,
    ) => markup`<tr><th scope="row"><code>${[...(drift.path ?? []), drift.resource].join(' › ')}</code> ${drift.property}<p>${drift.policy}</p></th>
${cell('Severity', severityLabel(drift.severity))}${cell('Wanted then', valueOf(drift.desired))}${cell('Found then', valueOf(drift.observed))}${
      why !== undefined && cell('Why', why(drift))
    }</tr>
`,
  )
  return markup`<table class="wide">
<thead><tr>${columns.map((name) => markup`<th scope="col">${name}</th>`)}</tr></thead>
<tbody>${rows}</tbody>
</table>
`
}
