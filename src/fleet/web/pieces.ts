import { countOf } from '../../model/count-of.ts'
import { spanWords } from '../../model/span-words.ts'
import { SEVERITIES, type Severity } from '../../model/verdict.ts'
import type { FleetHost, HostAnswer } from '../census.ts'
import type { BySeverity, FleetFinding } from '../findings.ts'
import { isUnheard, type Presence } from '../presence.ts'
import { type Markup, markup, type Part, SIGN } from '../../report/words/markup.ts'
import { addressOf, type Part as ListPart } from './query.ts'

/** Placeholder for an empty cell. */
export const NOTHING: Markup = markup`<span class="dim">${SIGN.dash}</span>`

/** Number with grouped digits, the same in every locale. */
export function groupDigits(count: number): string {
  return String(count).replaceAll(/\B(?=(\d{3})+$)/g, ',')
}

/** Grouped number with its noun. */
export function manyOf(count: number, noun: string): string {
  return `${groupDigits(count)} ${countOf(count, noun).replace(/^\d+ /, '')}`
}

/** Label of a host state, whose colour only repeats the word; a dash for a retired host. */
export function answerLabel({ presence, answer }: Pick<FleetHost, 'presence' | 'answer'>): Markup {
  return presence === 'retired' ? NOTHING : renderChip(answer, ANSWER_TONES[answer])
}

const ANSWER_TONES: Readonly<Record<HostAnswer, Tone>> = { drifted: 'bad', undecided: 'warn', compliant: 'good' }

type Tone = 'bad' | 'warn' | 'good' | 'mute'

/** A word in the colour of its tone. */
export function renderChip(word: string, tone: Tone): Markup {
  return markup`<span class="chip" data-tone="${tone}">${word}</span>`
}

/** Label of a control's state on a host. */
export function standingLabel(standing: FleetFinding['standing']): Markup {
  if (standing === 'undecided') return renderChip('unknown', 'warn')
  return renderChip(standing, standing === 'drifted' ? 'bad' : 'mute')
}

/** Label of a host's report freshness. */
export function presenceLabel(presence: Presence): Markup {
  return presence === 'reporting' ? markup`<span class="dim">reporting</span>` : renderChip(presence, toneOf(presence))
}

export function toneOf(presence: Presence): Tone {
  if (isUnheard(presence)) return 'bad'
  return presence === 'reporting' ? 'good' : presence === 'retired' ? 'mute' : 'warn'
}

/** Counts by severity, most severe first; a dash if all are zero. */
export function severities(counts: BySeverity): Markup {
  const found = SEVERITIES.toReversed().filter((severity) => counts[severity] > 0)
  if (found.length === 0) return NOTHING
  return markup`<span class="severities">${found.map((severity) => severityCount(severity, counts[severity]))}</span>`
}

function severityCount(severity: Severity, count: number): Markup {
  return markup`<span class="severity" data-s="${severity}"><b>${groupDigits(count)}</b> ${severity}</span> `
}

export function severityLabel(severity: Severity): Markup {
  return markup`<span class="severity" data-s="${severity}">${severity}</span>`
}

/** Relative time, with the absolute time as a tooltip. */
export function renderAge(timeMs: number | undefined, nowMs: number, suffix = ''): Markup {
  if (timeMs === undefined) return NOTHING
  const time = new Date(timeMs).toISOString()
  return markup`<time datetime="${time}" title="${timeWords(timeMs)}">${spanWords(nowMs - timeMs)}${suffix}</time>`
}

/** Due time, or how long it is overdue. */
export function renderDueTime(timeMs: number, nowMs: number): Markup {
  if (timeMs <= nowMs) return markup`<span class="caution">was due ${renderAge(timeMs, nowMs, ' ago')}</span>`
  const time = new Date(timeMs).toISOString()
  return markup`<time datetime="${time}" title="${timeWords(timeMs)}">in ${spanWords(timeMs - nowMs)}</time>`
}

/** Time for display, `2026-11-20 12:00:05 UTC`. */
export function timeWords(timeMs: number): string {
  return `${new Date(timeMs).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

/** Link to the page of a host. */
export function hostLink(name: string): Markup {
  return markup`<a href="${addressOf('/host', { name })}">${name}</a>`
}

/** Link to the page of a requirement. */
export function controlLink({ policy, name }: { readonly policy: string; readonly name: string }): Markup {
  return markup`<a href="${addressOf('/control', { policy, name })}">${name}</a>`
}

/** Shortened digest, with the full digest as a tooltip. */
export function digest(sha256: string): Markup {
  return markup`<code title="${sha256}">${sha256.slice(0, 12)}</code>`
}

export interface Column<Row> {
  readonly label: string
  readonly cell: (row: Row) => Part
  /** `number` aligns right; `name` marks the row header. */
  readonly kind?: 'number' | 'name'
}

/** A table whose rows become labelled cards on a narrow screen. */
export function table<Row>(caption: string, columns: readonly Column<Row>[], rows: readonly Row[]): Markup {
  const head = columns.map(({ label, kind }) => markup`<th scope="col"${numeric(kind)}>${label}</th>`)
  return markup`<table>
<caption>${caption}</caption>
<thead><tr>${head}</tr></thead>
<tbody>
${rows.map((row) => markup`<tr>${columns.map((column) => cellOf(column, row))}</tr>\n`)}</tbody>
</table>`
}

function cellOf<Row>({ label, cell, kind }: Column<Row>, row: Row): Markup {
  if (kind === 'name') return markup`<th scope="row">${cell(row)}</th>`
  return markup`<td data-label="${label}"${numeric(kind)}><div>${cell(row)}</div></td>`
}

function numeric(kind: Column<never>['kind']): Part {
  return kind === 'number' && markup` class="number"`
}

export function renderFacts(rows: readonly (readonly [label: string, value: Part])[]): Markup {
  return markup`<dl class="facts">${rows.map(([label, value]) => markup`<div><dt>${label}</dt><dd>${value}</dd></div>`)}</dl>`
}

export function section(id: string, heading: Part, body: Part): Markup {
  return markup`<section id="${id}" aria-labelledby="${id}-heading">
<h2 id="${id}-heading">${heading}</h2>
${body}
</section>
`
}

/** Page position in a list, with links to the other pages. */
export function paging(path: string, params: URLSearchParams, part: ListPart<unknown>): Part {
  const { page, pages, total, members, first } = part
  if (pages === 1) return undefined
  const to = (number: number, text: string, rel: string): Markup => {
    const next = new URLSearchParams(params)
    next.set('page', String(number))
    return markup`<a href="${addressOf(path, next)}" rel="${rel}">${text}</a>`
  }
  return markup`<nav class="paging" aria-label="Pages">
<span>${groupDigits(first)}${SIGN.dash}${groupDigits(first + members.length - 1)} of ${groupDigits(total)}</span>
${page > 1 && to(1, 'First', 'first')} ${page > 1 && to(page - 1, 'Previous', 'prev')} ${page < pages && to(page + 1, 'Next', 'next')} ${page < pages && to(pages, 'Last', 'last')}
</nav>
`
}
