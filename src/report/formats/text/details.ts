import { hasBelow } from '../../../model/roll-up.ts'
import type { ControlResult, PolicyResult, ResourceResult, Run } from '../../../model/run.ts'
import { compareResults, type Requirement, worstRequirementsFirst } from '../../words/requirements.ts'
import { areAllTold, controlsWorthALine, linesOfControl } from './controls.ts'
import { type Page, takeWithin } from './page.ts'
import { type Entry, entriesOf, type Leaf, leavesOf, linesOfLeaf, worstOf } from './resources.ts'

/** What there is to say about a policy, the worst first. */
export interface Details {
  readonly policy: PolicyResult
  readonly entries: readonly Entry[]
  readonly controls: readonly ControlResult[]
}

/** What of it the report says: the worst of all policies, as far as there is room. */
export interface Choice {
  readonly details: readonly Details[]
  readonly entries: ReadonlySet<Entry>
  readonly controls: ReadonlySet<ControlResult>
}

interface Wishes {
  readonly requirements: readonly Requirement[]
  /** How many lines there are for details; `Infinity` for all. */
  readonly room: number
  /** Whether a resource is worth a line where not all of them are asked for. */
  readonly isWorthALine: (result: ResourceResult) => boolean
}

/** What an apply resource takes at most as a rule. */
const LINES_OF_PARENT = 4

/** Controls take at most this part of the room, so that what is the matter with resources stands beside them. */
const PART_OF_CONTROLS = 1 / 3

/** Chooses what a report says about resources and controls. */
export function chooseDetails(run: Run, { requirements, room, isWorthALine }: Wishes, page: Page): Choice {
  const sorted = worstRequirementsFirst(requirements)
  const details = run.policies.map((policy): Details => {
    const results = page.verbose ? policy.resources : worthALine(policy.resources, isWorthALine)
    const controls = sorted.flatMap(({ policy: own, control }) =>
      own === policy && control !== undefined ? [control] : [],
    )
    return { policy, entries: entriesOf(results, page), controls }
  })
  const wanted = new Set(details.flatMap(({ controls }) => controlsWorthALine(controls, page)))
  const worst = sorted.flatMap(({ control }) => (control !== undefined && wanted.has(control) ? [control] : []))
  const advised = new Set(details.flatMap(({ controls: all }) => (areAllTold(all, page) ? all : [])))
  const linesOf = (control: ControlResult): number =>
    linesOfControl(control, { isAdvised: advised.has(control) }, page).length
  const controls = takeWithin(worst, linesOf, room * PART_OF_CONTROLS)
  const leaves = details
    .flatMap(({ entries }) => leavesOf(entries))
    .toSorted((one, other) => compareResults(worstOf(one), worstOf(other)))
  const entries = takeWithin(leaves, (leaf) => linesWithNeighbours(leaf, page), room - controls.lines)
  return { details, controls: controls.taken, entries: entries.taken }
}

/** The lines about resources that are alike, with those that keep them apart and those of the apply resources above. */
function linesWithNeighbours(leaf: Leaf, page: Page): number {
  const above = worstOf(leaf).path?.length ?? 0
  return linesOfLeaf(leaf, page).length + 1 + above * LINES_OF_PARENT
}

/** What is worth a line, and the apply resources through which it was reached. */
function worthALine(
  results: readonly ResourceResult[],
  isWorthALine: Wishes['isWorthALine'],
): readonly ResourceResult[] {
  const shown: ResourceResult[] = []
  // The results below an apply resource follow it, so from the end they are known before it.
  for (let index = results.length - 1; index >= 0; index--) {
    const result = results[index]
    if (result !== undefined && (isWorthALine(result) || hasBelow(result, shown.at(-1)))) shown.push(result)
  }
  return shown.toReversed()
}
