import { defined } from '../../model/defined.ts'
import { isKnown } from '../../model/known.ts'
import { withoutRollUps } from '../../model/roll-up.ts'
import type { ControlResult, PolicyResult, ResourceResult, Run, RunOrigin } from '../../model/run.ts'
import { type ControlVerdict, isFailure, SEVERITIES, type Severity } from '../../model/verdict.ts'
import { controlsOf, indexControls } from './controls.ts'
import { originOf } from './origin.ts'

/**
 * The standing of a requirement, in order of attention:
 *
 * - `drifted`: a supporting resource differs or could not be fixed;
 * - `undecided`: no resource differs, but one is unknown or blocked;
 * - `known`: all drift is in the reference report, too;
 * - `manual`: needs manual review, and no resource contradicts it;
 * - `waived`: waivers accept all drift;
 * - `met`: compliant, or fixed;
 * - `not-applicable`: does not concern this machine.
 */
export const STANDINGS = ['drifted', 'undecided', 'known', 'manual', 'waived', 'met', 'not-applicable'] as const

export type Standing = (typeof STANDINGS)[number]

/** The unit of answers, scores and coverage: a control, or a resource without one. Its texts are not escaped. */
export interface Requirement {
  readonly policy: PolicyResult
  readonly origin: RunOrigin
  /** Undefined for a resource without a control. */
  readonly control?: ControlResult
  /** The id of the control or of the resource. */
  readonly id: string
  /** Ids of the enclosing apply resources. */
  readonly path?: readonly string[]
  readonly severity: Severity
  readonly standing: Standing
  /** The selected supporting resources, in the order of the policy; empty for a control that is only manual. */
  readonly results: readonly ResourceResult[]
}

/** The requirements of all policies of a run, in order. */
export function requirementsOf(run: Run): readonly Requirement[] {
  return run.policies.flatMap((policy) => requirementsOfPolicy(run, policy))
}

/** The requirements of a policy: its controls in order, then the resources without one. */
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

/** Sorts by standing, then by severity, then failed fixes before other drift, worst first; stable. */
export function worstRequirementsFirst(requirements: readonly Requirement[]): readonly Requirement[] {
  return requirements.toSorted(
    (left, right) =>
      STANDINGS.indexOf(left.standing) - STANDINGS.indexOf(right.standing) ||
      SEVERITIES.indexOf(right.severity) - SEVERITIES.indexOf(left.severity) ||
      Number(hasFailedFix(right)) - Number(hasFailedFix(left)),
  )
}

/** Whether it requires action that neither a waiver nor the reference report covers. */
export function isOpen({ standing }: Pick<Requirement, 'standing'>): boolean {
  return standing === 'drifted' || standing === 'undecided'
}

/** Whether it has drift, including known drift; waived drift does not count. */
export function isDrift({ standing }: Pick<Requirement, 'standing'>): boolean {
  return standing === 'drifted' || standing === 'known'
}

export function nounOf(requirements: readonly Requirement[]): 'control' | 'resource' | 'requirement' {
  const ofControls = requirements.filter(({ control }) => control !== undefined).length
  if (ofControls === 0) return 'resource'
  return ofControls === requirements.length ? 'control' : 'requirement'
}

function hasFailedFix({ results }: Requirement): boolean {
  return results.some(({ verdict }) => verdict === 'fix-failed')
}

/** Proven drift of one resource takes precedence over undecided ones. */
function standingOf({ verdict }: ControlResult, results: readonly ResourceResult[]): Standing {
  const found = standingOfResults(results)
  if (found === 'drifted' || found === 'known' || found === 'undecided') return found
  // A report may lack the resource that determined the verdict of its control.
  if (found === undefined || verdict === 'not-evaluated' || isFailure(verdict)) return standingOfVerdict(verdict)
  return found
}

export function standingOfResult(result: ResourceResult): Standing {
  return isKnown(result) ? 'known' : standingOfVerdict(result.verdict)
}

/** Compares results by standing, severity, and failed fixes before other drift; the worst sorts first. */
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

/** Precedence of the standings of several resources for their requirement. */
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
