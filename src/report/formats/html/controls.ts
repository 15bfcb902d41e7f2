import type { ControlResult } from '../../../core/run.ts'
import { linesOf, type Markup, markup, type Part } from './markup.ts'
import { facts, joined, linkIfAddress, linkTo, severityLabel, verdictLabel } from './pieces.ts'
import { type ControlEntry, type Group, type View, worstFirst } from './view.ts'
import { countOf, formatCount } from './words.ts'

/** More controls that hold are folded away, so that those that do not stand together. */
const HOLDING_SHOWN = 8

/** Every control with what it asks for, by policy if there are several. */
export function controlsSection({ groups, hosts }: View): Markup {
  const shown = groups.filter(({ controls }) => controls.length > 0)
  if (shown.length === 0) return markup``
  const count = shown.reduce((sum, { controls }) => sum + controls.length, 0)
  const isApart = groups.length > 1
  return markup`<section id="controls" aria-labelledby="controls-title">
<h2 id="controls-title">Controls <span class="count">${formatCount(count)}</span></h2>
${shown.map((group) => [isApart && heading(group, hosts), controlList(group)])}</section>
`
}

function heading({ policy, origin, anchor }: Group, hosts: readonly string[]): Markup {
  const host = hosts.length > 1 && markup`<span class="host">${origin.target.hostname}</span> `
  return markup`<h3 class="of-policy">${host}${linkTo(anchor, policy.title ?? policy.id)}</h3>\n`
}

function controlList(group: Group): Markup {
  const sorted = worstFirst(group.controls, ({ control }) => control)
  const holding = sorted.filter(isHolding)
  if (holding.length <= HOLDING_SHOWN) return list(sorted, group)
  const failing = sorted.filter((entry) => !isHolding(entry))
  return markup`${failing.length > 0 && list(failing, group)}<details class="folded"><summary><span>${countOf(holding.length, 'control')} ${holding.length === 1 ? 'holds' : 'hold'}, or ${
    holding.length === 1 ? 'does' : 'do'
  } not apply</span></summary>
${list(holding, group)}</details>
`
}

function isHolding({ control }: ControlEntry): boolean {
  return control.verdict === 'compliant' || control.verdict === 'not-applicable'
}

function list(entries: readonly ControlEntry[], group: Group): Markup {
  return markup`<div class="list">${entries.map((entry) => controlDetails(entry, group))}</div>\n`
}

function controlDetails({ control, anchor }: ControlEntry, group: Group): Markup {
  const { path = [], id, title, verdict, severity, resources } = control
  const name = markup`${path.map((parent) => markup`<span class="parents">${parent} › </span>`)}${id}`
  return markup`<details class="control" id="${anchor}">
<summary>${verdictLabel(verdict)} ${severityLabel(severity)} <span class="what"><span class="id">${name}</span>${title !== undefined && markup` <span class="title">${title}</span>`}</span> <span class="extent">${countOf(resources.length, 'resource')}</span></summary>
<div class="body">${paragraph(control.description)}${facts([
    ['remediation', control.remediation !== undefined && linesOf(control.remediation.trim())],
    ...references(control),
    ['tags', (control.tags ?? []).length > 0 && (control.tags ?? []).join(', ')],
    ['resources', resources.length > 0 && resourceLinks(control, group)],
  ])}</div>
</details>
`
}

function paragraph(text: string | undefined): Part {
  return text !== undefined && markup`<p class="prose">${linesOf(text.trim())}</p>`
}

function references({ references: all = {} }: ControlResult): readonly (readonly [string, Part])[] {
  return Object.entries(all).map(([catalogue, ids]) => [catalogue, joined(ids.map(linkIfAddress), ', ')])
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
