import process from 'node:process'
import { countOf } from '../../model/count-of.ts'
import { EXIT } from '../../model/gate.ts'
import type { Policy } from '../../model/policy.ts'
import type { Run } from '../../model/run.ts'
import { isAtLeast, SEVERITIES } from '../../model/verdict.ts'
import type { Reviewer } from '../../engine/review.ts'
import type { Target } from '../../host/target.ts'
import type { ScanFlags } from '../options/scan.ts'
import type { Io } from '../output/io.ts'
import { announcement, haveLevels, keyInRun } from './announce.ts'

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
