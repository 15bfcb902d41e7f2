import { type Decision, NO_PLAN, type Obstacle, type Occasion } from '../../../model/decision.ts'
import type { ErrorReason, Reading } from '../../../model/observation.ts'
import { isSet } from '../../../model/property.ts'
import type { Command } from '../../../host/command.ts'

export interface ExecDesired {
  readonly name: string
  readonly ensure: 'present' | 'absent'
  readonly command?: string | undefined
  readonly cwd?: string | undefined
  readonly environment?: readonly string[] | undefined
  readonly path?: string | undefined
  readonly returns?: readonly number[] | undefined
  /** In milliseconds; undefined or 0 means no limit. */
  readonly timeout?: number | undefined
  readonly creates?: string | undefined
  readonly onlyif?: string | undefined
  readonly unless?: string | undefined
  readonly undo?: string | undefined
  readonly refreshonly: boolean
  readonly logoutput: boolean
}

/** Why a command cannot be undone. */
export const NO_UNDO = "the policy sets no 'undo' for the command"

export type GuardName = 'onlyif' | 'unless'

/** Exit code of a guard, or why it is missing. */
export type GuardReading = Reading<number> & {
  /**
   * Missing requirements of a guard: paths of its program or its directory. Empty if not known; then only a required resource may
   * provide them.
   */
  readonly missing?: NonNullable<Obstacle['missing']>
}

/**
 * Observations before the decision about a command. Guards that were not run are absent: they are not set, or an earlier guard
 * was conclusive.
 */
export interface ExecObserved {
  /** Whether the path of `creates` exists. */
  readonly creates?: Reading<boolean>
  readonly onlyif?: GuardReading
  readonly unless?: GuardReading
  readonly obstacles: readonly Obstacle[]
}

/** Action of a fix: the argument vector to run. */
export interface ExecAction {
  readonly argv: Command['argv']
}

/** Whether the command has to run, with the reasons, or why that is unknown. */
type Need =
  | { readonly kind: 'none' }
  | { readonly kind: 'run'; readonly because: string; readonly obstacle?: Obstacle }
  | { readonly kind: 'unknown'; readonly reason: ErrorReason; readonly detail: string }

const RUN = [{ kind: 'run', object: 'the command' }] as const
const REFRESH = [{ kind: 'run', object: 'the command via subscribe' }] as const

const NONE: Need = { kind: 'none' }

/**
 * Decides like CCM, in this order: a changed subscription, `creates`, `onlyif`, `unless`, `refreshonly`, run. After the run,
 * `creates` must exist and `unless` must be satisfied.
 */
export function decideExec(
  argv: ExecAction['argv'],
  desired: ExecDesired,
  look: ExecObserved,
  occasion: Occasion,
): Decision<ExecAction> {
  const need = occasion.applied ? needAfterwards(desired, look) : needOf(desired, look)
  const text = occasion.subscribed
    ? 'Would have executed via subscribe'
    : need.kind === 'run'
      ? 'Would have executed'
      : undefined
  const obstacles = [...(need.kind === 'run' && need.obstacle ? [need.obstacle] : []), ...look.obstacles]
  return {
    ensure: { desired: desired.ensure, observed: desired.ensure },
    drift:
      need.kind === 'run'
        ? [{ property: 'run', desired: 'not needed', observed: `needed because ${need.because}` }]
        : [],
    unknown: need.kind === 'unknown' ? [{ property: 'run', reason: need.reason, detail: need.detail }] : [],
    plan:
      text === undefined
        ? NO_PLAN
        : { kind: 'act', action: { argv }, text, effects: occasion.subscribed ? REFRESH : RUN, obstacles },
  }
}

function needOf(desired: ExecDesired, { creates, onlyif, unless }: ExecObserved): Need {
  const reasons: string[] = []
  if (creates !== undefined) {
    if (creates.kind === 'unknown') return creates
    if (creates.value) return NONE
    reasons.push(`${desired.creates} does not exist`)
  }
  for (const [name, code] of Object.entries({ onlyif, unless }) as [GuardName, ExecObserved[GuardName]][]) {
    if (code === undefined) continue
    if (code.kind === 'unknown') return unreadGuard(name, code)
    if ((code.value === 0) === (name === 'unless')) return NONE
    reasons.push(`${name} exited with ${code.value}`)
  }
  if (desired.refreshonly) return NONE
  return { kind: 'run', because: reasons.length === 0 ? 'no guard prevents it' : reasons.join(' and ') }
}

/** An earlier fix may provide a missing program or directory of a guard. */
function unreadGuard(
  name: GuardName,
  { reason, detail, missing }: Extract<ExecObserved[GuardName], { kind: 'unknown' }>,
): Need {
  const said = `${name}: ${detail}`
  if (missing === undefined) return { kind: 'unknown', reason, detail: said }
  const obstacle = { reason: said, missing, mayComeWithRequirement: true, fatal: reason }
  return { kind: 'run', because: `${name} cannot run yet`, obstacle }
}

function needAfterwards(desired: ExecDesired, { creates, unless }: ExecObserved): Need {
  if (creates?.kind === 'unknown') return creates
  if (unless?.kind === 'unknown') return { ...unless, detail: `unless: ${unless.detail}` }
  const reasons = [
    ...(isSet(desired.creates) && creates?.value === false ? [`${desired.creates} does not exist`] : []),
    ...(unless === undefined || unless.value === 0 ? [] : [`unless exited with ${unless.value}`]),
  ]
  return reasons.length === 0 ? NONE : { kind: 'run', because: reasons.join(' and ') }
}
