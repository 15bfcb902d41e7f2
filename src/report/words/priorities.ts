import type { ResourceResult } from '../../model/run.ts'
import { isFailure } from '../../model/verdict.ts'
import { formatDrift } from '../../model/format-value.ts'
import { describeTrouble } from './describe.ts'
import { COMMAND_LINE, fixCommandOf } from './fix-command.ts'
import { isOpen, type Requirement, worstRequirementsFirst } from './requirements.ts'

/** How many things to do first a report names. */
export const PRIORITIES_SHOWN = 5

/** One thing to do first. Its texts are not escaped. */
export interface Priority {
  readonly requirement: Requirement
  /** What is called for: the title of the control, or the id of the resource. */
  readonly title: string
  /** What is the matter with the first resource that fails, in one sentence. */
  readonly found: string
  /** The resources that fail, those with drift before those that could not be decided. Never empty. */
  readonly failing: readonly ResourceResult[]
  /**
   * The command line that fixes it. Absent where a fix can do nothing, could not do it already, or cannot be named;
   * then `remediation` or `obstacle` says how to go on.
   */
  readonly command?: string
  /** What the author of the control says about mending it, trimmed; may have several lines. */
  readonly remediation?: string
  /** Why a fix cannot do it, or not all of it. */
  readonly obstacle?: string
}

/** What to do first, and how much there is beside it. */
export interface Priorities {
  readonly first: readonly Priority[]
  /** How many more requirements are open. */
  readonly others: number
}

/**
 * The worst open requirements of a run or a policy: drift by severity, then what could not be decided. What a waiver
 * accepts or the baseline has is not among them.
 */
export function prioritiesOf(requirements: readonly Requirement[], atMost = PRIORITIES_SHOWN): Priorities {
  const open = worstRequirementsFirst(requirements.filter(isOpen))
  return { first: open.slice(0, atMost).map(priorityOf), others: Math.max(0, open.length - atMost) }
}

function priorityOf(requirement: Requirement): Priority {
  const { control, id, results } = requirement
  const failing = results
    .filter(({ verdict }) => isFailure(verdict))
    .toSorted((left, right) => Number(isDecided(right)) - Number(isDecided(left)))
  const fixable = failing.filter(({ verdict, change }) => verdict === 'drifted' && change !== 'cannot')
  const command = fixable.length === 0 ? undefined : fixCommandOf(requirement)
  const remediation = control?.remediation?.trim()
  const found = failing[0] === undefined ? requirement.standing : foundOf(failing[0])
  const isRepeatable = fixable.length > 0 && requirement.policy.source === COMMAND_LINE
  const obstacle = failing.flatMap(obstacleOf)[0]
  return {
    requirement,
    title: control?.title ?? id,
    found: isRepeatable ? `${found}; run the same command with --fix to fix it` : found,
    failing,
    ...(command === undefined ? {} : { command }),
    ...(remediation === undefined || remediation === '' ? {} : { remediation }),
    ...(obstacle === undefined ? {} : { obstacle }),
  }
}

function isDecided({ verdict }: ResourceResult): boolean {
  return verdict === 'drifted' || verdict === 'fix-failed'
}

/** The first thing that differs, or why nothing could be decided. */
function foundOf(result: ResourceResult): string {
  const [drift] = result.remaining ?? result.drift
  if (drift !== undefined && isDecided(result)) return formatDrift(drift)
  const [trouble] = describeTrouble(result)
  return trouble?.[1] ?? result.message ?? result.verdict
}

function obstacleOf({ verdict, change, changeReason, errors, message }: ResourceResult): readonly string[] {
  const said = verdict === 'fix-failed' ? (errors?.[0] ?? changeReason ?? message) : change === 'cannot' && changeReason
  return typeof said === 'string' ? [said] : []
}
