import type { ResourceResult } from '../../model/run.ts'
import { isFailure } from '../../model/verdict.ts'
import { formatDrift } from '../../model/format-value.ts'
import { describeTrouble } from './describe.ts'
import { COMMAND_LINE, fixCommandOf } from './fix-command.ts'
import { isOpen, type Requirement, worstRequirementsFirst } from './requirements.ts'

/** Maximum number of priorities in a report. */
export const PRIORITIES_SHOWN = 5

/** A priority. Its texts are not escaped. */
export interface Priority {
  readonly requirement: Requirement
  /** The title of the control, or the id of the resource. */
  readonly title: string
  /** The finding of the first failing resource, in one sentence. */
  readonly found: string
  /** The failing resources, drifted before undecided ones. Never empty. */
  readonly failing: readonly ResourceResult[]
  /**
   * The fix command. Undefined if a fix is impossible, has failed, or has no command; then `remediation` or `obstacle`
   * says how to proceed.
   */
  readonly command?: string
  /** The remediation of the control, trimmed; may have several lines. */
  readonly remediation?: string
  /** Why a fix is impossible or incomplete. */
  readonly obstacle?: string
}

/** The first priorities, and the number of others. */
export interface Priorities {
  readonly first: readonly Priority[]
  /** Number of further open requirements. */
  readonly others: number
}

/**
 * The worst open requirements of a run or a policy: drift by severity, then undecided ones. Waived and known drift is
 * excluded.
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

/** The first difference, or the reason of an undecided result. */
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
