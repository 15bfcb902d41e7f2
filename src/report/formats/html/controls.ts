import { hostNameOf } from '../../../model/host-name.ts'
import type { ControlResult } from '../../../model/run.ts'
import { isFailure } from '../../../model/verdict.ts'
import { formatDrift } from '../../../model/format-value.ts'
import { clip } from '../../words/clip.ts'
import { describeTrouble } from '../../words/describe.ts'
import { namesOf } from '../../words/host-names.ts'
import { findingsOfRow, type MatrixRow, type SharedFinding } from '../../words/matrix.ts'
import { isOpen, type Requirement, worstRequirementsFirst } from '../../words/requirements.ts'
import { linesOf, type Markup, markup, type Part, SIGN } from '../../words/markup.ts'
import { badge, renderFacts, joinParts, linkIfAddress, linkTo, severityLabel, verdictLabel } from './pieces.ts'
import { type ControlEntry, type Group, type View } from './view.ts'
import { countOf, formatCount } from './words.ts'

/** More compliant controls than this are folded, so that the others stay together. */
const HOLDING_SHOWN = 8

/** Number of controls of several machines that are printed with their findings. */
const PRINTED = 20

/** Maximum number of different findings shown; for more machines than `NAMES_PRINTED`, print only shows their number. */
const FINDINGS_SHOWN = 4
const NAMES_PRINTED = 4
const FOUND_CHARACTERS = 300

/** All controls with their resources, worst first, by policy if there are several. */
export function controlsSection({ groups, hosts, matrix }: View): Markup {
  const shown = groups.filter(({ controls }) => controls.length > 0)
  if (shown.length === 0) return markup``
  const count = shown.reduce((sum, { controls }) => sum + controls.length, 0)
  const page: Page = { hosts, rows: new Map(matrix?.failing.map((row, rank) => [row.worst, { row, rank }])) }
  return markup`<section id="controls" aria-labelledby="controls-title">
<h2 id="controls-title">Controls <span class="count">${formatCount(count)}</span></h2>
${shown.map((group) => [groups.length > 1 && heading(group, hosts), controlList(group, page)])}${renderUnprinted(page)}</section>
`
}

interface Page {
  readonly hosts: readonly string[]
  /** Failing requirements with their rank, worst first. */
  readonly rows: ReadonlyMap<Requirement, { readonly row: MatrixRow; readonly rank: number }>
}

/** The remark on controls left out in print, since the matrix has them in one line each. */
function renderUnprinted({ rows }: Page): Part {
  const others = rows.size - PRINTED
  return (
    others > 0 &&
    markup`<p class="on-paper">The ${PRINTED} worst are printed with what was found. ${formatCount(others)} more are in the table above, and in the file that was printed.</p>\n`
  )
}

function heading({ policy, origins, anchor }: Group, hosts: readonly string[]): Markup {
  const [origin] = origins
  const host =
    hosts.length > 1 &&
    origins.length === 1 &&
    markup`<span class="host">${origin && hostNameOf(origin.target)}</span> `
  return markup`<h3 class="of-policy">${host}${linkTo(anchor, policy.title ?? policy.id)}</h3>\n`
}

function controlList(group: Group, page: Page): Markup {
  const order = worstRequirementsFirst(group.controls.map(({ requirement }) => requirement))
  const places = new Map(order.map((requirement, index) => [requirement, index]))
  const sorted = group.controls.toSorted(
    (left, right) => (places.get(left.requirement) ?? 0) - (places.get(right.requirement) ?? 0),
  )
  const holding = sorted.filter(isHolding)
  if (holding.length <= HOLDING_SHOWN) return list(sorted, group, page)
  const failing = sorted.filter((entry) => !isHolding(entry))
  return markup`${failing.length > 0 && list(failing, group, page)}<details class="folded"><summary><span>${countOf(holding.length, 'control')} compliant or not applicable</span></summary>
${list(holding, group, page)}</details>
`
}

function isHolding({ control }: ControlEntry): boolean {
  return control.verdict === 'compliant' || control.verdict === 'not-applicable'
}

function list(entries: readonly ControlEntry[], group: Group, page: Page): Markup {
  return markup`<div class="list">${entries.map((entry) => controlDetails(entry, group, page))}</div>\n`
}

function controlDetails({ control, anchor, requirement }: ControlEntry, group: Group, page: Page): Markup {
  const { path = [], id, title, verdict, severity, resources } = control
  const name = markup`${path.map((parent) => markup`<span class="parents">${parent} ${SIGN.below} </span>`)}${id}`
  const { row, rank = 0 } = page.rows.get(requirement) ?? {}
  const found = row === undefined ? [] : findingsOfRow(row, page.hosts)
  const own = row === undefined && isOpen(requirement) ? ownFindings(requirement) : []
  const failing = found.reduce((sum, { hosts }) => sum + hosts.length, 0)
  const extent = failing === 0 ? countOf(resources.length, 'resource') : `${failing} of ${page.hosts.length} machines`
  return markup`<details class="control${rank >= PRINTED && ' beyond'}" id="${anchor}">
<summary>${verdictLabel(verdict)} ${severityLabel(severity)} <span class="what"><span class="id">${name}</span>${title !== undefined && markup` <span class="title">${title}</span>`}</span> <span class="extent">${extent}</span></summary>
<div class="body">${paragraph(control.description)}${renderFacts([
    ['remediation', control.remediation !== undefined && linesOf(control.remediation.trim())],
    ...findingFacts(found, page.hosts.length),
    [
      'found',
      own.length > 0 && markup`<ul>${own.map((text) => markup`<li>${clip(text, FOUND_CHARACTERS)}</li>`)}</ul>`,
    ],
    ...references(control),
  ])}<div class="aside">${renderFacts([
    ['tags', (control.tags ?? []).length > 0 && (control.tags ?? []).join(', ')],
    ['resources', resources.length > 0 && resourceLinks(control, group)],
  ])}</div></div>
</details>
`
}

/** The findings of machines, equal ones merged, most frequent first. */
function findingFacts(found: readonly SharedFinding[], all: number): readonly (readonly [string, Part])[] {
  const others = found.slice(FINDINGS_SHOWN).flatMap(({ hosts }) => hosts)
  return [
    ...found.slice(0, FINDINGS_SHOWN).map((finding) => ['found', findingFact(finding, all)] as const),
    ['otherwise', others.length > 0 && `on ${namesOf(others, all, (name) => name)}`],
  ]
}

/** What fails on a single machine; the resources below have the rest. */
function ownFindings({ results }: Requirement): readonly string[] {
  const failing = results.filter(({ verdict }) => isFailure(verdict))
  const texts = failing.flatMap((result) => {
    const drifts = (result.remaining ?? result.drift).map(formatDrift)
    const said = drifts.length > 0 ? drifts : describeTrouble(result).map(([, text]) => text)
    return said.map((text) => (failing.length > 1 ? `${result.id}: ${text}` : text))
  })
  const others = texts.length - FINDINGS_SHOWN
  return others > 0 ? [...texts.slice(0, FINDINGS_SHOWN), `${others} more`] : texts
}

function findingFact({ hosts, found, differs, requirement }: SharedFinding, all: number): Markup {
  const isMany = hosts.length > NAMES_PRINTED
  const count = hosts.length === all ? `all ${all} machines` : countOf(hosts.length, 'machine')
  const names =
    hosts.length < all && markup`<span class="${isMany && 'names'}">${isMany && ': '}${hosts.join(', ')}</span>`
  const texts = found.length === 0 ? [requirement.standing] : found
  const lines = texts.map((text) => markup`<li>${clip(text, FOUND_CHARACTERS)}</li>`)
  return markup`<span class="on">${(isMany || hosts.length === all) && count}${names}</span>${differs && [' ', badge('bad', 'differs')]}<ul>${lines}</ul>`
}

function paragraph(text: string | undefined): Part {
  return text !== undefined && markup`<p class="prose">${linesOf(text.trim())}</p>`
}

function references({ references: all = {} }: ControlResult): readonly (readonly [string, Part])[] {
  return Object.entries(all).map(([catalogue, ids]) => [catalogue, joinParts(ids.map(linkIfAddress), ', ')])
}

function resourceLinks({ resources, path = [] }: ControlResult, group: Group): Markup {
  const links = resources.map((id) => {
    const anchor = group.findResource(path, id)
    const verdict =
      anchor === undefined ? undefined : group.entries.find((entry) => entry.anchor === anchor)?.result.verdict
    return markup`<li>${linkTo(anchor, markup`<code>${id}</code>`)}${verdict !== undefined && markup` <span class="dim">${verdict}</span>`}</li>`
  })
  return markup`<ul>${links}</ul>`
}
