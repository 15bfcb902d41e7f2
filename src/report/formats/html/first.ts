import { coverageOf, describeCoverage, skippedIn } from '../../words/coverage.ts'
import { hostsWhereWrong, type Matrix } from '../../words/matrix.ts'
import { originOf } from '../../words/origin.ts'
import { prioritiesOf, type Priority } from '../../words/priorities.ts'
import type { Requirement } from '../../words/requirements.ts'
import { scoreOf } from '../../words/score.ts'
import { linesOf, type Markup, markup } from '../../words/markup.ts'
import { linkTo, severityLabel } from './pieces.ts'
import type { Group, View } from './view.ts'
import { countOf, formatCount } from './words.ts'

/** Score and coverage of each policy. */
export function scores({ run, groups, requirements }: View): Markup {
  const rows = groups.flatMap(({ policy, origins, anchor }) => {
    const runs = new Set(origins.map(({ runId }) => runId))
    const policies = run.policies.filter((each) => each.id === policy.id && runs.has(originOf(run, each).runId))
    const own = requirements.filter((each) => each.policy.id === policy.id && runs.has(each.origin.runId))
    if (own.length === 0) return []
    const score = scoreOf(own)
    return markup`<li><b>${score === undefined ? 'no score' : `${score} %`}</b> ${linkTo(anchor, policy.title ?? policy.id)} <span class="dim">${describeCoverage(coverageOf(own, skippedIn(policies)), own)}</span></li>`
  })
  if (rows.length === 0) return markup``
  return markup`<ul class="scores" aria-label="Scores">${rows}</ul>
`
}

/** The worst open requirements with their remediation. A failure on several machines is one item. */
export function firstSection({ matrix, requirements, groups }: View): Markup {
  const { first, others } = prioritiesOf(matrix === undefined ? requirements : matrix.failing.map(({ worst }) => worst))
  if (first.length === 0) return markup``
  const more = others > 0 && markup` <span class="count">${formatCount(others)} more below</span>`
  return markup`<section id="first" aria-labelledby="first-title">
<h2 id="first-title">Fix these first${more}</h2>
<ol class="first">${first.map((priority) => item(priority, groups, matrix))}</ol>
</section>
`
}

function item(priority: Priority, groups: readonly Group[], matrix: Matrix | undefined): Markup {
  const { requirement, title, found, command, remediation, obstacle } = priority
  const name = requirement.control?.title === undefined ? undefined : requirement.id
  return markup`<li><p class="title">${severityLabel(requirement.severity)} ${linkTo(anchorOf(requirement, groups), title)}${name !== undefined && markup` <span class="id">${name}</span>`}${matrix !== undefined && markup` <span class="dim">on ${countOf(hostsWhereWrong(requirement, matrix).length, 'machine')}</span>`}</p>
<p class="said">${found}</p>
${remediation !== undefined && markup`<p class="prose">${linesOf(remediation)}</p>`}${obstacle !== undefined && markup`<p class="note">${obstacle}</p>`}${command !== undefined && markup`<pre class="command" tabindex="0"><code>${command}</code></pre>`}</li>
`
}

function anchorOf(requirement: Requirement, groups: readonly Group[]): string | undefined {
  const group = groups.find(({ policy, origins }) => {
    return policy.id === requirement.policy.id && origins.some(({ runId }) => runId === requirement.origin.runId)
  })
  const control = group?.controls.find((each) => each.requirement === requirement)
  return control?.anchor ?? group?.findResource(requirement.path ?? [], requirement.id)
}
