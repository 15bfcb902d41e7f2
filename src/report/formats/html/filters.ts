import { SEVERITIES } from '../../../model/verdict.ts'
import type { ResourceResult } from '../../../model/run.ts'
import { type Markup, markup } from '../../words/markup.ts'
import type { Group, View } from './view.ts'
import { countVerdicts, formatCount, formatTime } from './words.ts'

/** The filter values of resources, each with its number in the page. */
export interface Vocabulary {
  readonly types: ReadonlyMap<string, number>
  readonly controls: ReadonlyMap<string, number>
  readonly policies: readonly string[]
  readonly hosts: readonly string[]
  readonly hasBaseline: boolean
}

/** The filter values of a run. Policies have the numbers of the groups. */
export function vocabularyOf({ groups, hosts, hasSeveralRuns, results, run }: View): Vocabulary {
  return {
    types: number(results.map(({ type }) => type)),
    controls: number(results.flatMap(({ controls }) => controls)),
    policies: groups.map((group) => nameOf(group, { hosts, hasSeveralRuns })),
    hosts,
    hasBaseline: run.baseline !== undefined,
  }
}

/** The filter form, hidden without a script. Filters with a single value are left out. */
export function filterForm(vocabulary: Vocabulary, results: readonly ResourceResult[]): Markup {
  const severities = SEVERITIES.toReversed().map(
    (severity) => [severity, results.filter((result) => result.severity === severity).length] as const,
  )
  return markup`<form id="filters" role="search" aria-label="Filter the resources" autocomplete="off" hidden="">
<div class="search"><label for="search">Search</label>
<input type="search" id="search" name="text" placeholder="Name, property, value, message" spellcheck="false"/><kbd title="press / to search">/</kbd></div>
${choices('Verdict', 'v', countVerdicts(results))}
${choices(
  'Severity',
  's',
  severities.filter(([, count]) => count > 0),
)}
<div class="selects">
${select('Type', 't', toOptions(vocabulary.types))}
${select('Control', 'c', toOptions(vocabulary.controls))}
${select('Host', 'h', vocabulary.hosts.map(toOption))}
${select('Policy', 'p', vocabulary.policies.map(toOption))}
${vocabulary.hasBaseline && select('Baseline', 'b', BASELINE)}
<label>Order <select name="order"><option value="worst">worst first</option><option value="policy">as in the policy</option></select></label>
</div>
<div class="outcome"><p id="shown" role="status"></p>
<button type="button" id="unfold">Unfold all</button> <button type="button" id="fold">Fold all</button> <button type="reset" id="clear">Clear filters <kbd>Esc</kbd></button></div>
</form>`
}

type Option = readonly [value: string | number, text: string]

const BASELINE: readonly Option[] = [
  ['new changed', 'new or changed'],
  ['new', 'new'],
  ['changed', 'changed'],
  ['unchanged', 'unchanged'],
]

/** A name of a policy that is unique in the report. */
function nameOf({ policy, origins }: Group, { hosts, hasSeveralRuns }: Pick<View, 'hosts' | 'hasSeveralRuns'>): string {
  const [origin] = origins
  const time = hasSeveralRuns && hosts.length < 2 && origin !== undefined ? `, ${formatTime(origin.startedAt)}` : ''
  return policy.id + time
}

function number(names: readonly string[]): ReadonlyMap<string, number> {
  return new Map([...new Set(names)].toSorted().map((name, index) => [name, index]))
}

function toOptions(names: ReadonlyMap<string, number>): readonly Option[] {
  return [...names].map(([name, value]) => [value, name])
}

function toOption(text: string, index: number): Option {
  return [index, text]
}

function choices(legend: string, name: string, values: readonly (readonly [value: string, count: number])[]): Markup {
  if (values.length < 2) return markup``
  const boxes = values.map(
    ([value, count]) =>
      markup`<label class="chip"><input type="checkbox" name="${name}" value="${value}"/>${value} <span class="count">${formatCount(count)}</span></label>`,
  )
  return markup`<fieldset><legend>${legend}</legend><div class="chips">${boxes}</div></fieldset>`
}

function select(label: string, name: string, options: readonly Option[]): Markup {
  if (options.length < 2) return markup``
  const all = options.map(([value, text]) => markup`<option value="${value}">${text}</option>`)
  return markup`<label>${label} <select name="${name}"><option value="">all</option>${all}</select></label>`
}
