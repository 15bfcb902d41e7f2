import { hash, randomUUID } from 'node:crypto'
import { defined } from '../model/defined.ts'
import { dayOfTime } from '../model/calendar.ts'
import { countOf } from '../model/count-of.ts'
import { type Policy, withChildren } from '../model/policy.ts'
import { distinguish } from '../model/policy-identity.ts'
import type { RunnablePolicy } from '../policy/runnable/policy.ts'
import type { Problem } from '../model/problem.ts'
import { decideExit, EXIT, interruptionOf, summarize } from '../model/gate.ts'
import type { PolicyResult, ResourceResult, Run, RunMode, RunStart, RunTarget, TargetKind } from '../model/run.ts'
import { namesOfHost } from '../model/host-name.ts'
import { EVERYTHING, select, type Selection } from '../model/selection.ts'
import type { Severity } from '../model/verdict.ts'
import { type Waiver, WARN_DAYS } from '../model/waiver.ts'
import { didYouMean } from '../model/suggest.ts'
import type { ResourceContext, ResourceType } from '../resource-type/define.ts'
import type { Remediator } from '../host/remediator.ts'
import type { Target } from '../host/target.ts'
import { conclude } from './conclude.ts'
import type { Baseline } from '../model/findings/baseline.ts'
import type { Keeping } from './undo/keeping.ts'
import type { Expectation } from '../model/saved-plan.ts'
import { observeAgain } from './evaluate.ts'
import type { OwedReactions } from './owed.ts'
import { runPolicy } from './policy-run.ts'
import { type Progress, progressReporter } from './progress.ts'
import { createRedactor, type Redactor } from '../policy/secrets/redactor.ts'
import type { RunContext } from './resource-run.ts'
import { type Permissions, permissionsOf } from './permissions.ts'
import { createRecheck, recheckResults } from './recheck.ts'
import { type Register, UNREGISTERED } from './register.ts'
import type { Reviewer } from './review.ts'
import { VERSION } from './version.ts'
import { createRunWaivers, type RunWaivers } from './waivers.ts'

export interface RunOptions extends Permissions {
  readonly target: Target
  readonly types: readonly ResourceType[]
  /** Makes the run a fix. */
  readonly remediator?: Remediator
  /** Opens the backup of replaced state. Called once, before the first change. */
  readonly openKeeping?: (start: RunStart) => Keeping
  /** Pending reactions of earlier fixes; a fix adds its own. */
  readonly owed?: OwedReactions
  /** Approves a change before it is made; in an audit, a change that a fix would make. */
  readonly review?: Reviewer
  /** Receives the states that an audit expects after its plan was applied. */
  readonly onExpectation?: (expectation: Expectation) => void
  readonly selection?: Selection
  /** Lowest severity whose drift fails the gate; default `info`. */
  readonly failOn?: Severity
  /** True if text differences of files may be shown (default). */
  readonly showDiff?: boolean
  /** Makes archives available to resources; the caller removes them. Without it, nothing can be fetched. */
  readonly fetchDirectory?: NonNullable<ResourceContext['fetchDirectory']>
  /** Reference report to compare with: only new or changed drift fails the gate. */
  readonly baseline?: Baseline
  /** When aborted, with the signal name as the reason, the run ends after the current resource. */
  readonly signal?: AbortSignal
  /** Run only health checks; observe and change nothing. Resources without a health check are not applicable. */
  readonly monitorOnly?: boolean
  /** Treat a health check's WARNING as CRITICAL. */
  readonly strictHealth?: boolean
  /** Publishes the registrations of resources that a fix has verified; absent without a registry. */
  readonly register?: Register
  /** Waivers that accept drift. */
  readonly waivers?: readonly Waiver[]
  /** Date in UTC for waivers, `YYYY-MM-DD`; default: the start of the run. */
  readonly today?: string
  /** Days before the end of a waiver from which the report warns; default `WARN_DAYS`. */
  readonly warnDays?: number
  /** Called before each resource. */
  readonly onProgress?: (progress: Progress) => void
  /** Called before the first resource of a performed run. The run awaits a returned promise. */
  readonly onStart?: (start: RunStart) => Promise<void> | void
  /** Called after each counted resource, with the id of the top-level policy. The run awaits a returned promise. */
  readonly onResult?: (policy: string, result: ResourceResult) => Promise<void> | void
  /** Warnings and notes from reading the policies, for the report. */
  readonly problems?: readonly Problem[]
  /** Operator's name of the target, if there are several. */
  readonly targetName?: string
}

/** Evaluates policies against a target and, with a remediator, fixes drift. Never throws for invalid policies. */
export async function runPolicies(given: readonly RunnablePolicy[], options: RunOptions): Promise<Run> {
  const { target, remediator, signal = new AbortController().signal, showDiff = true } = options
  const { policies, ...found } = distinguish(given, options.problems)
  const problems = [...found.problems]
  const baseline = options.baseline?.against(policies)
  const mode: RunMode = remediator === undefined ? 'audit' : 'fix'
  const clock = startClock(target, mode, options.targetName)
  const all = withChildren(policies)
  const known = all.flatMap(({ secrets = [] }) => secrets)
  const redactor = createRedactor(known, target.system.identity)
  const selection = select(policies, options.selection ?? EVERYTHING)
  const unmatched = selection.unmatched.map((text) => unmatchedSelector(text, all, redactor))
  if (unmatched.length > 0) return notPerformed(target, mode, [...problems, ...unmatched])
  const progress = progressReporter(all, selection.ids, options)
  const waivers = waiversOf(options, clock.start, redactor)
  const context: RunContext = {
    target,
    types: new Map(options.types.map((type) => [type.type, type])),
    remediator,
    keeping: remediator === undefined ? undefined : options.openKeeping?.(clock.start),
    owed: options.owed,
    recheck: remediator === undefined ? undefined : createRecheck(observeAgain),
    review: options.review,
    onExpectation: options.onExpectation,
    monitorOnly: options.monitorOnly ?? false,
    strictHealth: options.strictHealth ?? false,
    register: remediator === undefined ? undefined : options.register,
    selected: selection.ids,
    bareControls: selection.bareControls,
    redactor,
    showDiff,
    ...permissionsOf(options, options.target.kind),
    signal,
    ...defined({ fetchDirectory: options.fetchDirectory }),
    waivers,
    conclude: (policy, result) => conclude(policy, result, { waivers, baseline }),
    ...progress,
  }
  announce(all, context)
  await options.onStart?.(clock.start)
  const results = await evaluateAll(policies, context, options)
  const notes = notesOf(all, context)
  const resources = results.flatMap((result) => result.resources)
  const run: Run = {
    ...clock.stop(signal.aborted),
    policies: results,
    summary: summarize(resources),
    exit: decideExit({
      results: resources,
      failOn: options.failOn ?? 'info',
      mode,
      hasBaseline: baseline !== undefined,
      ...defined({ interruption: interruptionOf(signal) }),
    }),
    ...(problems.length === 0 ? {} : { problems }),
    ...(notes.length === 0 ? {} : { notes }),
    ...(waivers === undefined ? {} : { waivers: waivers.records(resources) }),
  }
  return baseline === undefined ? run : { ...run, baseline: baseline.compare(run) }
}

function notesOf(policies: readonly Policy[], { register }: RunContext): readonly string[] {
  const unregistered = register === undefined && policies.some(isRegistered) ? [UNREGISTERED] : []
  return [...new Set([...policies.flatMap((policy) => policy.notes), ...unregistered])]
}

function isRegistered({ resources }: Policy): boolean {
  return resources.some(({ registrations }) => registrations !== undefined)
}

/**
 * Evaluates the policies in order until an interruption; a fix then rechecks the resources that its changes may have
 * undone.
 */
async function evaluateAll(
  policies: readonly RunnablePolicy[],
  context: RunContext,
  { onResult }: Pick<RunOptions, 'onResult'>,
): Promise<readonly PolicyResult[]> {
  const results: PolicyResult[] = []
  try {
    for (const policy of policies) {
      if (context.signal.aborted) break
      results.push(await runPolicy(policy, context))
    }
  } finally {
    context.keeping?.close()
  }
  return recheckResults(results, context, onResult)
}

function waiversOf(
  { waivers, today, warnDays = WARN_DAYS }: RunOptions,
  { run, target }: RunStart,
  redactor: Redactor,
): RunWaivers | undefined {
  if (waivers === undefined) return undefined
  const day = today ?? dayOfTime(run.startedAt)
  return createRunWaivers(waivers, { hosts: namesOfHost(target), today: day, warnDays }, redactor)
}

/** Announces the selected resources to each type. */
function announce(policies: readonly Policy[], { types, target, selected }: RunContext): void {
  const names = new Map<string, string[]>()
  for (const policy of policies) {
    const ids = selected.get(policy)
    for (const { id, type, name } of policy.resources) {
      if (!ids?.has(id) || types.get(type)?.announce === undefined) continue
      const list = names.get(type)
      if (list === undefined) names.set(type, [name])
      else list.push(name)
    }
  }
  for (const [type, list] of names) types.get(type)?.announce?.(target, list)
}

/** A run that could not be performed: no policies, exit code 1, and all problems. */
export function notPerformed(target: Scanned, mode: RunMode, problems: readonly Problem[]): Run {
  const count = problems.filter(({ severity }) => severity === 'error').length
  return {
    ...startClock(target, mode).stop(false),
    policies: [],
    summary: summarize([]),
    exit: {
      code: EXIT.notPerformed,
      reasons: [`the scan was not performed: ${countOf(count, 'problem')}`],
    },
    problems,
  }
}

function unmatchedSelector(text: string, policies: readonly Policy[], redactor: Redactor): Problem {
  const candidates = policies.flatMap(({ controls, resources }) => [
    ...resources.map(({ id }) => id),
    ...controls.map(({ id }) => id),
    ...controls.flatMap(({ tags }) => tags.map((tag) => `tag:${tag}`)),
  ])
  const isTag = candidates.includes(`tag:${text}`)
  const hint = isTag ? `: tags are selected by tag:${text}` : didYouMean(text, candidates)
  const message = redactor.text(`selector "${text}" has no match${hint}`)
  return { message, severity: 'error' }
}

/** Report metadata and the duration of the run. */
export interface Clock {
  readonly start: RunStart
  readonly stop: (interrupted: boolean) => Pick<Run, 'schema' | 'tool' | 'run' | 'target'>
}

/** Target properties in a report. */
export interface Scanned extends Pick<Target, 'path' | 'image'> {
  readonly kind: TargetKind
  readonly system: Pick<Target['system'], 'hostname' | 'os' | 'identity' | 'boot'>
}

/**
 * Starts the clock: wall-clock time for the report, monotonic time for the duration. `name` is the operator's name of
 * the target.
 */
export function startClock(target: Scanned, mode: RunMode, name?: string): Clock {
  const begin = performance.now()
  const start: RunStart = {
    schema: 'driftgate.report/v1',
    tool: { name: 'driftgate', version: VERSION },
    run: { id: randomUUID(), mode, startedAt: new Date().toISOString() },
    target: {
      kind: target.kind,
      ...defined({ name }),
      hostname: target.system.hostname,
      os: target.system.os,
      ...machineOf(target.system),
      ...defined({ path: target.path, image: target.image }),
    },
  }
  return {
    start,
    stop(interrupted) {
      const durationMs = Math.round(performance.now() - begin)
      return { ...start, run: { ...start.run, finishedAt: new Date().toISOString(), durationMs, interrupted } }
    },
  }
}

/** Machine ids are confidential, so reports contain only keyed digests. @see machine-id(5) */
function machineOf({ identity = '', boot }: Scanned['system']): Pick<RunTarget, 'machine' | 'boot'> {
  const digest = (id: string): string => hash('sha256', `driftgate ${id}`, 'hex').slice(0, 16)
  const machine = /^[0-9a-f]{32}$/.test(identity) ? digest(identity) : undefined
  return defined({ machine, boot: boot === undefined ? undefined : digest(boot) })
}
