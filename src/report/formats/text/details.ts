import { hasBelow } from '../../../model/roll-up.ts'
import type { ControlResult, PolicyResult, ResourceResult, Run } from '../../../model/run.ts'
import { compareResults, type Requirement, worstRequirementsFirst } from '../../words/requirements.ts'
import { areAllTold, controlsWorthALine, linesOfControl } from './controls.ts'
import { type Page, takeWithin } from './page.ts'
import { type Entry, entriesOf, type Leaf, leavesOf, linesOfLeaf, worstOf } from './resources.ts'

/** The details of a policy, worst first. */
export interface Details {
  readonly policy: PolicyResult
  readonly entries: readonly Entry[]
  readonly controls: readonly ControlResult[]
}

/** The details shown in the report: the worst of all policies, as far as there is room. */
export interface Choice {
  readonly details: readonly Details[]
  readonly entries: ReadonlySet<Entry>
  readonly controls: ReadonlySet<ControlResult>
}

interface Wishes {
  readonly requirements: readonly Requirement[]
  /** Number of lines for details; `Infinity` for no limit. */
  readonly room: number
  /** Whether a resource is listed if not all are. */
  readonly isWorthALine: (result: ResourceResult) => boolean
}

/** Usual maximum number of lines of an apply resource. */
const LINES_OF_PARENT = 4

/** Maximum number of lines of resources whose controls are listed, in a brief report. */
const MOST_BRIEF = 40

/** Maximum share of controls in the room, so that resources are shown, too. */
const PART_OF_CONTROLS = 1 / 3

/** Chooses the resources and controls to show. */
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
  const leaves = details
    .flatMap(({ entries }) => leavesOf(entries))
    .toSorted((one, other) => compareResults(worstOf(one), worstOf(other)))
  const linesOfEntry = (leaf: Leaf): number => linesWithNeighbours(leaf, page)
  const isLong = page.brief && leaves.reduce((sum, leaf) => sum + linesOfEntry(leaf), 0) > MOST_BRIEF
  const shown = isLong ? leaves.filter(({ results }) => results.some(({ controls: own }) => own.length === 0)) : leaves
  const controls = takeWithin(worst, linesOf, room * (shown.length === 0 ? 1 : PART_OF_CONTROLS))
  const entries = takeWithin(shown, linesOfEntry, room - controls.lines)
  return { details, controls: controls.taken, entries: entries.taken }
}

/** Number of lines for equal resources, including separators and enclosing apply resources. */
function linesWithNeighbours(leaf: Leaf, page: Page): number {
  const above = worstOf(leaf).path?.length ?? 0
  return linesOfLeaf(leaf, page).length + 1 + above * LINES_OF_PARENT
}

/** The results to list, with their enclosing apply resources. */
function worthALine(
  results: readonly ResourceResult[],
  isWorthALine: Wishes['isWorthALine'],
): readonly ResourceResult[] {
  const shown: ResourceResult[] = []
  // Children follow their apply resource, so in reverse order they come first.
  for (let index = results.length - 1; index >= 0; index--) {
    const result = results[index]
    if (result !== undefined && (isWorthALine(result) || hasBelow(result, shown.at(-1)))) shown.push(result)
  }
  return shown.toReversed()
}
