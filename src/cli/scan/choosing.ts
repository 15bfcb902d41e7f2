import process from 'node:process'
import { countOf } from '../../model/count-of.ts'
import { EXIT } from '../../model/gate.ts'
import type { Policy } from '../../model/policy.ts'
import type { ControlResult, ResourceResult, Run } from '../../model/run.ts'
import { isAtLeast, SEVERITIES, type Verdict } from '../../model/verdict.ts'
import type { Reviewer } from '../../engine/review.ts'
import type { Target } from '../../host/target.ts'
import type { ScanFlags } from '../options/scan.ts'
import type { Io } from '../output/io.ts'
import { keyOf } from '../../model/findings/standing.ts'

const LEVEL = /^level-(?<level>\d+)$/

/** Verdicts of drifted resources that were not changed. */
const LEFT: ReadonlySet<Verdict> = new Set(['drifted', 'fix-failed'])

/** Context of the selection besides the options. */
export interface Choosing {
  /** Reviewer of the plan that the scan writes or applies. */
  readonly plan: Reviewer | undefined
  readonly io: Io
  readonly signal: AbortSignal
  /** The machine, which is observed again after counting. */
  readonly target: Pick<Target, 'forget'>
  readonly policies: readonly Pick<Policy, 'controls'>[]
}

/** A scan with a reviewer. */
export type Performed = (how: { readonly fix: boolean; readonly review: Reviewer | undefined }) => Promise<Run>

/**
 * Performs a scan that changes the resources the operator chooses, or, above `--max-changes`, returns the audit that
 * counted them. For a benchmark, first announces the number of controls. Throws an `OperatorError` if a prompt has no
 * terminal.
 */
export async function performChosen(options: ScanFlags, choosing: Choosing, perform: Performed): Promise<Run> {
  const { fix, 'max-changes': most } = options
  const review = await reviewOf(options, choosing)
  const isAnnounced = fix && !options.quiet && haveLevels(choosing.policies)
  if (most === undefined && !isAnnounced) return perform({ fix, review })
  const count = { resources: 0, others: 0 }
  const changed = new Set<string>()
  const counting: Reviewer = ({ isTried, policy, result }) => {
    if (!isTried) return undefined
    const { effect = [] } = result
    changed.add(keyInRun(policy, result))
    count.resources++
    count.others += effect.filter(({ alongside }) => alongside === true).length
    return undefined
  }
  // Counting needs no prompt.
  const counted = await perform({ fix: false, review: await reviewOf({ ...options, ask: false }, choosing, counting) })
  if (isAnnounced && !choosing.signal.aborted) choosing.io.say(`driftgate: ${announcement(counted, changed)}\n`)
  if (most !== undefined && count.resources + count.others > Number(most)) return tooManyChanges(counted, count, most)
  choosing.target.forget()
  return perform({ fix, review })
}

/** Describes an invalid combination of options; undefined if valid. */
export function wrongChoice({ fix, ask, ...options }: ScanFlags, command: string): string | undefined {
  const { 'fix-severity': severity, 'max-changes': most, 'save-plan': savePlan } = options
  if (most !== undefined && !fix) return '--max-changes requires --fix'
  if (!fix && savePlan === undefined && (ask || severity !== undefined)) {
    return '--fix-severity and --ask require --fix or --save-plan'
  }
  if (!ask) return undefined
  if (command === 'schedule' || command === 'watch') return '--ask needs a terminal: omit it in scripts'
  if (process.stdin.isTTY && process.stderr.isTTY) return undefined
  return '--ask needs a terminal: without one, select changes with --only, --fix-severity or --plan'
}

/** Combined reviewer; undefined without reviewers. */
async function reviewOf(
  options: ScanFlags,
  { plan, io, signal }: Choosing,
  last?: Reviewer,
): Promise<Reviewer | undefined> {
  const { fix, ask, 'fix-severity': severity, 'confirm-risky': confirmRisky, 'confirm-within': within } = options
  const byRisk = confirmRisky && within === undefined ? withoutRisk : undefined
  const bySeverity = severity === undefined ? undefined : onlyAtLeast(severity)
  // Loaded only for prompts.
  const byOperator = ask ? await (await import('./asking.ts')).createReviewer(io, signal) : undefined
  // A fix asks only about changes that the plan allows; a saved plan omits declined changes.
  const all = fix ? [bySeverity, plan, byRisk, byOperator] : [bySeverity, byOperator, plan]
  return inTurn([...all, last].flatMap((reviewer) => reviewer ?? []))
}

/** The first veto decides. */
function inTurn(reviewers: readonly Reviewer[]): Reviewer | undefined {
  const [only, ...others] = reviewers
  if (others.length === 0) return only
  return async (proposal) => {
    for (const review of reviewers) {
      const veto = await review(proposal)
      if (veto !== undefined) return veto
    }
    return undefined
  }
}

function onlyAtLeast(text: string): Reviewer {
  const threshold = SEVERITIES.find((severity) => severity === text) ?? 'info'
  return ({ result: { severity } }) =>
    isAtLeast(severity, threshold)
      ? undefined
      : { kind: 'left', reason: `its severity is ${severity}, below --fix-severity ${threshold}` }
}

const withoutRisk: Reviewer = ({ isTried, result: { risk } }) =>
  isTried && risk !== undefined ? { kind: 'refused', reason: `risky: ${risk}; needs --confirm-within` } : undefined

/** Changes of a fix: resources, and further objects that change with them. */
interface Count {
  readonly resources: number
  readonly others: number
}

function tooManyChanges(audit: Run, { resources, others }: Count, most: string): Run {
  const more = others === 0 ? '' : ` and ${countOf(others, 'unit or package', 'units or packages')} besides`
  const reason = `${countOf(resources, 'resource')}${more} would be changed, more than --max-changes ${most}: nothing was changed`
  return { ...audit, exit: { code: EXIT.fixFailed, reasons: [reason, ...audit.exit.reasons] } }
}

/** True for a benchmark, whose controls have levels; a fix of one is announced. */
function haveLevels(policies: readonly Pick<Policy, 'controls'>[]): boolean {
  return policies.some(({ controls }) => controls.some(({ tags }) => tags.some((tag) => LEVEL.test(tag))))
}

/** Unique key of a resource in a run. */
function keyInRun(policy: string, result: Pick<ResourceResult, 'path' | 'id'>): string {
  return keyOf('', policy, result)
}

/**
 * Announces how many controls a fix will change, by level, and how many it leaves, with reasons. `changed` holds the
 * keys of the resources to change in the counting audit.
 */
function announcement(audit: Run, changed: ReadonlySet<string>): string {
  const counts = { changed: [] as ControlResult[], risky: 0, impossible: 0, manual: 0, undecided: 0 }
  for (const { id: policy, controls, resources } of audit.policies) {
    const byKey = new Map(resources.map((result) => [keyInRun(policy, result), result]))
    for (const control of controls) {
      const keys = control.resources.map((id) => keyInRun(policy, { ...control, id }))
      const drifted = keys.flatMap((key) => byKey.get(key) ?? []).filter(({ verdict }) => LEFT.has(verdict))
      if (keys.some((key) => changed.has(key))) counts.changed.push(control)
      else if (drifted.some(({ risk }) => risk !== undefined)) counts.risky++
      else if (drifted.length > 0) counts.impossible++
      else if (control.verdict === 'not-evaluated') counts.manual++
      else if (control.verdict === 'error' || control.verdict === 'blocked') counts.undecided++
    }
  }
  const left = [
    [counts.risky, 'risky'],
    [counts.impossible, 'not fixable or not selected'],
    [counts.manual, 'manual (needs review)'],
    [counts.undecided, 'unknown'],
  ] as const
  const reasons = left.flatMap(([count, words]) => (count === 0 ? [] : [`${count} ${words}`]))
  const total = left.reduce((sum, [count]) => sum + count, 0)
  const changes = `this fix will change ${countOf(counts.changed.length, 'control')}${levelsOf(counts.changed)}`
  return `${changes}${total === 0 ? '' : `, and leaves ${total}: ${reasons.join(', ')}`}`
}

function levelsOf(controls: readonly ControlResult[]): string {
  const levels = new Map<string, number>()
  for (const { tags = [] } of controls) {
    const level = tags.map((tag) => LEVEL.exec(tag)?.groups?.['level']).find((found) => found !== undefined)
    if (level !== undefined) levels.set(level, (levels.get(level) ?? 0) + 1)
  }
  const sorted = [...levels].toSorted(([left], [right]) => Number(left) - Number(right))
  return sorted.length === 0 ? '' : ` (${sorted.map(([level, count]) => `${count} of level ${level}`).join(', ')})`
}
