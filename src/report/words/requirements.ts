import { defined } from '../../model/defined.ts'
import { isKnown } from '../../model/known.ts'
import { withoutRollUps } from '../../model/roll-up.ts'
import type { ControlResult, PolicyResult, ResourceResult, Run, RunOrigin } from '../../model/run.ts'
import { type ControlVerdict, isFailure, SEVERITIES, type Severity } from '../../model/verdict.ts'
import { controlsOf, indexControls } from './controls.ts'
import { originOf } from './origin.ts'

/**
 * How a requirement stands, in the order in which people should look at it:
 *
 * - `drifted`: something that supports it differs, or could not be fixed;
 * - `undecided`: nothing differs, but something could not be decided or was blocked;
 * - `known`: what differs is what the baseline has, too;
 * - `manual`: a person has to look, and nothing speaks against it;
 * - `waived`: what differs is accepted by waivers;
 * - `met`: everything is as it should be, or was fixed;
 * - `not-applicable`: it does not concern this machine.
 */
export const STANDINGS = ['drifted', 'undecided', 'known', 'manual', 'waived', 'met', 'not-applicable'] as const

/** One of `STANDINGS`. */
export type Standing = (typeof STANDINGS)[number]

/**
 * What a policy asks for, the unit that answers, scores and coverage count: a control, or a resource that supports none.
 * Its texts are not escaped.
 */
export interface Requirement {
  readonly policy: PolicyResult
  readonly origin: RunOrigin
  /** Absent where a resource stands for itself. */
  readonly control?: ControlResult
  /** The id of the control or of the resource. */
  readonly id: string
  /** The ids of the apply resources above it. */
  readonly path?: readonly string[]
  readonly severity: Severity
  readonly standing: Standing
  /** What supports it and was selected, in the order of the policy; empty where only a person can look. */
  readonly results: readonly ResourceResult[]
}

/** What all policies of a run ask for, in their order. */
export function requirementsOf(run: Run): readonly Requirement[] {
  return run.policies.flatMap((policy) => requirementsOfPolicy(run, policy))
}

/** What a policy asks for: its controls in their order, then the resources that support none. */
export function requirementsOfPolicy(run: Run, policy: PolicyResult): readonly Requirement[] {
  const origin = originOf(run, policy)
  const controls = indexControls(policy)
  const supporting = new Map<ControlResult, ResourceResult[]>(policy.controls.map((control) => [control, []]))
  const alone: Requirement[] = []
  for (const result of withoutRollUps(policy.resources)) {
    const supported = new Set(controlsOf(result, controls))
    for (const control of supported) supporting.get(control)?.push(result)
    if (supported.size > 0) continue
    const { id, path, severity } = result
    alone.push({
      policy,
      origin,
      id,
      ...defined({ path }),
      severity,
      standing: standingOfResults([result]) ?? 'not-applicable',
      results: [result],
    })
  }
  const ofControls = policy.controls.map((control) => {
    const { id, path, severity } = control
    const results = supporting.get(control) ?? []
    return {
      policy,
      origin,
      control,
      id,
      ...defined({ path }),
      severity,
      standing: standingOf(control, results),
      results,
    }
  })
  return [...ofControls, ...alone]
}

/**
 * Worst first: by standing, then by severity, then failed fixes before other drift. Equals keep their order, so the same run
 * gives the same order.
 */
export function worstRequirementsFirst(requirements: readonly Requirement[]): readonly Requirement[] {
  return requirements.toSorted(
    (left, right) =>
      STANDINGS.indexOf(left.standing) - STANDINGS.indexOf(right.standing) ||
      SEVERITIES.indexOf(right.severity) - SEVERITIES.indexOf(left.severity) ||
      Number(hasFailedFix(right)) - Number(hasFailedFix(left)),
  )
}

/** Whether it requires action that neither a waiver nor the baseline covers. */
export function isOpen({ standing }: Pick<Requirement, 'standing'>): boolean {
  return standing === 'drifted' || standing === 'undecided'
}

/** Whether something of it differs, also where that is known since the baseline; waived drift does not count. */
export function isDrift({ standing }: Pick<Requirement, 'standing'>): boolean {
  return standing === 'drifted' || standing === 'known'
}

/** What requirements are called that are all controls, all resources, or some of each. */
export function nounOf(requirements: readonly Requirement[]): 'control' | 'resource' | 'requirement' {
  const ofControls = requirements.filter(({ control }) => control !== undefined).length
  if (ofControls === 0) return 'resource'
  return ofControls === requirements.length ? 'control' : 'requirement'
}

function hasFailedFix({ results }: Requirement): boolean {
  return results.some(({ verdict }) => verdict === 'fix-failed')
}

/** Drift of one resource counts although another one of the control could not be decided: what is proved is proved. */
function standingOf({ verdict }: ControlResult, results: readonly ResourceResult[]): Standing {
  const found = standingOfResults(results)
  if (found === 'drifted' || found === 'known' || found === 'undecided') return found
  // A report may lack the resource that decided about its control.
  if (found === undefined || verdict === 'not-evaluated' || isFailure(verdict)) return standingOfVerdict(verdict)
  return found
}

/** How a resource stands, in the words of requirements. */
export function standingOfResult(result: ResourceResult): Standing {
  return isKnown(result) ? 'known' : standingOfVerdict(result.verdict)
}

/** Compares two results: the worst comes first, by standing, severity, and a failed fix before other drift. */
export function compareResults(left: ResourceResult, right: ResourceResult): number {
  return (
    STANDINGS.indexOf(standingOfResult(left)) - STANDINGS.indexOf(standingOfResult(right)) ||
    SEVERITIES.indexOf(right.severity) - SEVERITIES.indexOf(left.severity) ||
    Number(right.verdict === 'fix-failed') - Number(left.verdict === 'fix-failed')
  )
}

function standingOfResults(results: readonly ResourceResult[]): Standing | undefined {
  const found = new Set(results.map(standingOfResult))
  return DECIDING.find((standing) => found.has(standing))
}

/** Which standing of several resources is that of the requirement that they support. */
const DECIDING: readonly Standing[] = ['drifted', 'known', 'undecided', 'manual', 'waived', 'met', 'not-applicable']

const STANDING_OF_VERDICT: Readonly<Record<ControlVerdict, Standing>> = {
  'fix-failed': 'drifted',
  drifted: 'drifted',
  error: 'undecided',
  blocked: 'undecided',
  'not-evaluated': 'manual',
  waived: 'waived',
  fixed: 'met',
  compliant: 'met',
  'not-applicable': 'not-applicable',
}

function standingOfVerdict(verdict: ControlVerdict): Standing {
  return STANDING_OF_VERDICT[verdict]
}
