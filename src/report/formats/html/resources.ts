import { hostNameOf } from '../../../model/host-name.ts'
import type { ResourceResult } from '../../../model/run.ts'
import type { Verdict } from '../../../model/verdict.ts'
import { filterForm, type Vocabulary, vocabularyOf } from './filters.ts'
import { escapeText, type Markup, markup, trustHtml } from '../../words/markup.ts'
import { verdictLabel } from './pieces.ts'
import { briefEntry, fullEntry, isBrief } from './resource.ts'
import { type Entry, type Group, type View, worstFirst } from './view.ts'
import { countOf, countVerdicts, formatCount, formatTime } from './words.ts'

/** Up to this number, findings are unfolded initially. */
const UNFOLDED = 10

const FOLDABLE: ReadonlySet<Verdict> = new Set(['fixed', 'waived', 'compliant', 'not-applicable'])

/** All resources by policy, with the filter form. */
export function resourcesSection(view: View): Markup {
  const entries = view.groups.flatMap((group) => group.entries)
  if (entries.length === 0) return markup``
  const vocabulary = vocabularyOf(view)
  const findings = entries.filter(({ result }) => isFinding(result))
  const page: Page = { view, vocabulary, unfolds: findings.length <= UNFOLDED }
  const isMany = view.matrix !== undefined
  return markup`<section id="resources" aria-labelledby="resources-title">
<h2 id="resources-title">Resources <span class="count">${formatCount(view.results.length)}</span></h2>
${!isMany && markup`<p class="on-paper only-long">On paper, resources of controls are above with their controls. Filter the page to print them here.</p>\n`}${isMany && markup`<p class="on-paper">On paper there is what fails, above. Each resource is in the file that was printed.</p>\n`}${entries.length > 1 && filterForm(vocabulary, view.results)}
<p id="nothing" hidden="">No matching resources.</p>
${view.groups.map((group) => groupSection(group, page))}</section>
`
}

interface Page {
  readonly view: View
  readonly vocabulary: Vocabulary
  readonly unfolds: boolean
}

function isFinding({ verdict }: ResourceResult): boolean {
  return !FOLDABLE.has(verdict)
}

function groupSection(group: Group, page: Page): Markup {
  const brief = group.entries.filter(({ result }) => isBrief(result))
  const full = worstFirst(
    group.entries.filter(({ result }) => !isBrief(result)),
    ({ result }) => result,
  )
  const attributes = attributesFor(page.vocabulary)
  const list = full.map((entry) =>
    fullEntry(entry, group, {
      hosts: page.view.hosts,
      attributes: attributes(entry),
      open: page.unfolds && isFinding(entry.result),
    }),
  )
  return markup`<section class="group" id="${group.anchor}" data-p="${group.index}" aria-labelledby="${group.anchor}-title">
${groupHeading(group, page.view)}
${full.length > 0 && markup`<div class="list">${list}</div>`}
${(['compliant', 'not-applicable'] as const).map((verdict) =>
  briefList(
    verdict,
    brief.filter(({ result }) => result.verdict === verdict),
    { attributes, hosts: page.view.hosts },
  ),
)}</section>
`
}

function groupHeading({ policy, anchor, origins, entries }: Group, { hosts, hasSeveralRuns }: View): Markup {
  const [origin] = origins
  const isOfOne = hosts.length < 2
  const about = [
    policy.title === undefined ? undefined : policy.id,
    policy.version === undefined ? undefined : `version ${policy.version}`,
    policy.source,
    isOfOne && hasSeveralRuns && origin !== undefined ? `scanned ${formatTime(origin.startedAt)}` : undefined,
    isOfOne ? undefined : countOf(new Set(origins.map(({ target }) => hostNameOf(target))).size, 'machine'),
  ].filter((text) => text !== undefined)
  const results = entries.flatMap(({ result, machines }) => Array.from({ length: machines.length || 1 }, () => result))
  const counts = countVerdicts(results).map(([verdict, count]) => `${formatCount(count)} ${verdict}`)
  const quantity = counts.length === 0 ? 'no resource was evaluated' : counts.join(', ')
  return markup`<header><h3 id="${anchor}-title">${policy.title ?? policy.id}</h3>
<p>${about.join(' · ')} <span class="counts">${quantity}</span></p></header>`
}

interface Listing {
  readonly attributes: (entry: Entry) => Markup
  readonly hosts: readonly string[]
}

function briefList(verdict: Verdict, entries: readonly Entry[], { attributes, hosts }: Listing): Markup {
  if (entries.length === 0) return markup``
  return markup`<details class="folded"><summary>${verdictLabel(verdict)} <span>${countOf(entries.length, 'resource')} without anything to report</span></summary>
<ul>${entries.map((entry) => briefEntry(entry, { attributes: attributes(entry), hosts }))}</ul></details>
`
}

function attributesFor(vocabulary: Vocabulary): (entry: Entry) => Markup {
  return ({ result, order, machines }) => {
    const controls = result.controls.map((id) => vocabulary.controls.get(id)).join(' ')
    const baseline = [...new Set(result.drift.flatMap((drift) => drift.baseline ?? []))].join(' ')
    return trustHtml(
      ` data-v="${result.verdict}" data-s="${result.severity}" data-t="${vocabulary.types.get(result.type) ?? ''}"` +
        (controls === '' ? '' : ` data-c="${controls}"`) +
        (baseline === '' ? '' : ` data-b="${escapeText(baseline)}"`) +
        (machines.length === 0 ? '' : ` data-h="${machines.join(' ')}"`) +
        ` data-i="${order}"`,
    )
  }
}
