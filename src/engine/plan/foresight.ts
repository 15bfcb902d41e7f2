import { defined } from '../../model/defined.ts'
import type { ResourceResult } from '../../model/run.ts'
import type { Expectation } from '../../model/saved-plan.ts'
import type { Verdict } from '../../model/verdict.ts'
import type { Examination } from '../../resource-type/define.ts'

/** Expected state of a resource after the plan was applied. */
export interface Foreseen extends Pick<Expectation, 'verdict' | 'message' | 'hangsOn'> {
  /** True if the plan changes the resource. */
  readonly isChange: boolean
  /** True if a fix fails or is blocked, so that dependent resources are blocked. */
  readonly isTrouble: boolean
}

/** Predictions for the resources of one policy, by id. It grows with every resource. */
export interface Foresight {
  readonly prospects: ReadonlyMap<string, Foreseen>
  readonly keep: (id: string, prospect: Foreseen) => void
  /** First resource that is predicted to be in trouble. */
  readonly firstTrouble: () => string | undefined
  /** Stores the predicted exports of an examination. */
  readonly keepLook: (id: string, look: Pick<DecidedExamination, 'foreseeExports'> | undefined) => void
  /** Exported values that a change is certain to leave. */
  readonly valuesOf: (id: string) => Readonly<Record<string, unknown>>
  /** Records that an earlier resource would provide a path that the resource names or needs. */
  readonly keepNear: (id: string, provider: string) => void
  readonly nearOf: (id: string) => readonly string[]
  /** Records that the operator declined the change. */
  readonly keepLeft: (id: string) => void
  readonly isLeft: (id: string) => boolean
}

type DecidedExamination = Extract<Examination, { kind: 'decided' }>

/** Creates an empty prediction. */
export function createForesight(): Foresight {
  const looks = new Map<string, Pick<DecidedExamination, 'foreseeExports'>>()
  const near = new Map<string, readonly string[]>()
  const prospects = new Map<string, Foreseen>()
  const left = new Set<string>()
  let trouble: string | undefined
  const nearOf = (id: string): readonly string[] => near.get(id) ?? []
  return {
    prospects,
    keep(id, prospect) {
      prospects.set(id, prospect)
      if (prospect.isTrouble) trouble ??= id
    },
    firstTrouble: () => trouble,
    keepLook(id, look) {
      if (look !== undefined) looks.set(id, look)
    },
    valuesOf: (id) => looks.get(id)?.foreseeExports?.() ?? {},
    keepNear(id, provider) {
      near.set(id, [...nearOf(id), provider])
    },
    nearOf,
    keepLeft(id) {
      left.add(id)
    },
    isLeft: (id) => left.has(id),
  }
}

/** True if a resource may differ after the plan. */
export function isPending({ prospects }: Foresight, id: string): boolean {
  const prospect = prospects.get(id)
  return prospect !== undefined && (prospect.isChange || prospect.hangsOn !== undefined)
}

/** Effects of a resource's own changes and those of others. */
export interface Outlook {
  readonly now: ResourceResult
  /** Result with the predicted values of its inputs; absent if they do not change. */
  readonly then?: ResourceResult
  /** Pending resources with an unpredictable effect on it. */
  readonly hangsOn: readonly string[]
  /** Resource that prevents a fix from reaching this one. */
  readonly keptBy: string | undefined
  /** True if a fix leaves its drift without failing, because it is waived or only audited. */
  readonly isLeft: boolean
}

const TROUBLED: ReadonlySet<Verdict> = new Set(['error', 'blocked'])

/** Predicts the state of a resource. A prediction without a verdict depends on applying the plan. */
export function prospectOf({ now, then = now, hangsOn: on, keptBy, isLeft }: Outlook): Foreseen {
  const hangsOn = on.length === 0 ? undefined : on
  const isInPlan = isPlanned(now)
  if (keptBy !== undefined && now.verdict !== 'not-applicable') {
    const message = isInPlan ? `a fix does not reach it because of ${keptBy}` : now.message
    return { verdict: now.verdict, ...defined({ message }), isChange: false, isTrouble: true }
  }
  const isTrouble = TROUBLED.has(then.verdict) || (then.verdict === 'drifted' && then.change === 'cannot' && !isLeft)
  // A resource that will be compliant needs no change; later drift is only fixed if the plan includes it.
  const isChange = isInPlan && isPlanned(then)
  if (isChange && isOpen(now)) return { ...defined({ hangsOn }), isChange, isTrouble }
  if (isChange || then.verdict === 'compliant') {
    return { verdict: 'compliant', ...defined({ hangsOn }), isChange, isTrouble }
  }
  const isTold = hangsOn === undefined || !TROUBLED.has(then.verdict)
  const { verdict, message } = then
  return { ...(isTold ? defined({ verdict, message }) : {}), ...defined({ hangsOn }), isChange, isTrouble }
}

/** True if the plan changes the resource. */
export function isPlanned({ actions, change }: ResourceResult): boolean {
  return actions.length > 0 && change !== 'cannot'
}

/** The effect of a command, and the health of a service, are only known after the run. */
function isOpen({ effect = [], health = [] }: ResourceResult): boolean {
  return effect.some(({ kind }) => kind === 'run') || health.length > 0
}
