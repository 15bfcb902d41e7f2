import { accessSync, constants, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { countOf } from '../../model/count-of.ts'
import { formatDrifts } from '../../model/format-value.ts'
import { EXIT } from '../../model/gate.ts'
import { OperatorError } from '../../model/operator-error.ts'
import type { ResourceResult, Run } from '../../model/run.ts'
import type { SavedPlan } from '../../model/saved-plan.ts'
import { systemReason } from '../../model/system-reason.ts'
import type { Answer } from '../orders/answer.ts'
import { type Finding, findingOf, isSameFinding, resourceOf } from '../orders/finding.ts'
import type { Fix, Order } from '../orders/order.ts'
import { readPlan } from '../../report/stored/read-plan.ts'
import { replaceFile } from '../../host/live/own-file.ts'
import { errorCode } from '../../host/live/system-error.ts'
import type { ChildScan, ScanOutcome } from '../../runs/watch/child-scan.ts'

/** A scan for an order: it saves a plan, or applies it. */
export type OrderedScan = { readonly savePlan: string } | { readonly plan: string }

/** Context of carrying out an order. */
export interface CarryingOut {
  readonly order: Order
  readonly fix: Fix
  /** Directory for the temporary plan. */
  readonly directory: string
  readonly start: (scan: OrderedScan) => ChildScan
  /** Called before the first change. */
  readonly begin: () => void
}

/** Outcome of an order. */
export type Ended = Pick<Answer, 'state' | 'text' | 'run'>

/**
 * Audits the host and fixes the approved findings if all of them are unchanged: the saved plan is reduced to them, so
 * that intermediate changes are refused. Throws an `OperatorError` if the plan cannot be stored.
 */
export async function carryOut({ order, fix, directory, start, begin }: CarryingOut): Promise<Ended> {
  const why = whyNothingChanges()
  if (why !== undefined) return { state: 'refused', text: why }
  const path = join(directory, `${order.id}.plan`)
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    const looked = await start({ savePlan: path }).outcome
    if (looked.kind !== 'done' || looked.exitCode === EXIT.notPerformed)
      return { state: 'failed', text: `the audit before the fix failed: ${reasonOf(looked)}` }
    const plan = await readPlan(path)
    const refusal = whyRefused(plan, order, fix)
    if (refusal !== undefined) return { state: 'refused', text: refusal }
    if (Date.now() >= Date.parse(order.expires)) return { state: 'refused', text: 'it expired during the audit' }
    replaceFile(path, JSON.stringify(cutDown(plan, order, fix)), { mode: 0o600 })
    begin()
    return judge(await start({ plan: path }).outcome, order, fix)
  } catch (error) {
    if (error instanceof OperatorError) throw error
    throw new OperatorError(`cannot execute order ${order.id} with ${path}: ${systemReason(error)}`, {
      cause: error,
    })
  } finally {
    rmSync(path, { force: true })
  }
}

/** A read-only unit cannot fix anything and would fail midway. */
function whyNothingChanges(): string | undefined {
  try {
    accessSync('/etc', constants.W_OK)
  } catch (error) {
    if (errorCode(error) === 'EROFS')
      return 'the agent unit has no write access: approvers are trusted now, so install the unit of "driftgate agent --unit"'
  }
  return undefined
}

function reasonOf(outcome: ScanOutcome): string {
  if (outcome.kind === 'done') return outcome.run.exit.reasons.join('; ')
  if (outcome.kind === 'failed') return outcome.reason
  return outcome.kind === 'cut' ? 'it took too long' : 'the agent was stopped'
}

function whyRefused(plan: SavedPlan, order: Order, fix: Fix): string | undefined {
  const { policy } = order
  const results = resultsOf(plan.audit, policy.name)
  const planned = new Set(plan.changes.filter((change) => change.policy === policy.name).map(resourceOf))
  for (const finding of fix.findings) {
    const resource = resourceOf(finding)
    const now = results.get(resource)
    if (now === undefined) return `changed since approval: ${resource} no longer exists`
    if (!isSameFinding(findingOf(now), finding))
      return `changed since approval: ${resource}: ${whatChanged(now, finding)}`
    if (!planned.has(resource)) return `${resource} cannot be fixed`
  }
  const [unasked] = followersOf(plan, order, fix).filter((resource) => !isApproved(resource, fix))
  return unasked && `changed since approval: ${unasked} would follow, but is not approved`
}

/** Reactions of a fix to the ordered findings in compliant resources. */
function followersOf(
  { audit, changes, expected = [] }: SavedPlan,
  { policy }: Order,
  { findings }: Fix,
): readonly string[] {
  const results = resultsOf(audit, policy.name)
  const ordered = new Set(findings.map(({ id }) => id))
  const hanging = expected.filter(({ hangsOn = [] }) => hangsOn.some((id) => ordered.has(id))).map(resourceOf)
  return changes
    .filter((change) => change.policy === policy.name)
    .map(resourceOf)
    .filter((resource) => hanging.includes(resource) && results.get(resource)?.verdict === 'compliant')
}

function isApproved(resource: string, { findings, follows }: Fix): boolean {
  return [...findings, ...follows].some((each) => resourceOf(each) === resource)
}

function whatChanged({ verdict, drift }: ResourceResult, approved: Finding): string {
  const now = drift.length === 0 ? `it is ${verdict}` : formatDrifts(drift)
  return `${now}; approved: ${formatDrifts(approved.drift)}`
}

/** Reduces the plan and its expectations to the ordered resources. */
function cutDown(plan: SavedPlan, { id: order, policy }: Order, fix: Fix): SavedPlan {
  const isOrdered = (each: {
    readonly policy: string
    readonly id: string
    readonly path?: readonly string[]
  }): boolean => each.policy === policy.name && isApproved(resourceOf(each), fix)
  const { changes, expected = [] } = plan
  return { ...plan, changes: changes.filter(isOrdered), expected: expected.filter(isOrdered), order }
}

function judge(outcome: ScanOutcome, { policy }: Order, { findings }: Fix): Ended {
  if (outcome.kind === 'failed') return { state: 'failed', text: reasonOf(outcome) }
  const { run } = outcome
  const about = run === undefined ? {} : { run: run.run.id }
  if (run === undefined || outcome.kind !== 'done')
    return { state: 'failed', text: `it was interrupted: ${reasonOf(outcome)}`, ...about }
  const results = resultsOf(run, policy.name)
  const open = findings.flatMap((finding) => {
    const result = results.get(resourceOf(finding))
    if (result?.verdict === 'fixed' || result?.verdict === 'compliant') return []
    return [
      `${resourceOf(finding)} is ${result?.verdict ?? 'gone'}${result?.message === undefined ? '' : `: ${result.message}`}`,
    ]
  })
  if (open.length > 0) return { state: 'failed', text: open.join('; '), ...about }
  if (outcome.exitCode === EXIT.fixFailed || outcome.exitCode === EXIT.notPerformed)
    return { state: 'failed', text: run.exit.reasons.join('; '), ...about }
  return { state: 'done', text: `${countOf(findings.length, 'resource')} repaired`, ...about }
}

function resultsOf({ policies }: Run, name: string): ReadonlyMap<string, ResourceResult> {
  const results = policies.filter(({ id }) => id === name).flatMap(({ resources }) => resources)
  return new Map(results.map((result) => [resourceOf(result), result]))
}
