import { defined } from '../../model/defined.ts'
import type { ResourceResult } from '../../model/run.ts'
import type { Expectation } from '../../model/saved-plan.ts'
import type { Verdict } from '../../model/verdict.ts'
import type { Examination } from '../../resource-type/define.ts'

/** What an audit expects of one resource once its plan was carried out. */
export interface Foreseen extends Pick<Expectation, 'verdict' | 'message' | 'hangsOn'> {
  /** Whether carrying out the plan changes it. */
  readonly isChange: boolean
  /** Whether a fix fails at it or is kept from it, so that what requires it is blocked. */
  readonly isTrouble: boolean
}

/** What an audit foresees of the resources of one policy, by id. It grows with every resource. */
export interface Foresight {
  readonly prospects: ReadonlyMap<string, Foreseen>
  readonly keep: (id: string, prospect: Foreseen) => void
  /** The first resource that is in trouble then. */
  readonly firstTrouble: () => string | undefined
  /** Keeps what a look tells of the time after the plan. */
  readonly keepLook: (id: string, look: Pick<DecidedExamination, 'foreseeExports'> | undefined) => void
  /** The exported values that a change is certain to leave, where there are any. */
  readonly valuesOf: (id: string) => Readonly<Record<string, unknown>>
  /** Keeps an earlier resource that would provide a path which the resource names or needs. */
  readonly keepNear: (id: string, provider: string) => void
  readonly nearOf: (id: string) => readonly string[]
  /** Notes that the operator chose not to change the resource. */
  readonly keepLeft: (id: string) => void
  readonly isLeft: (id: string) => boolean
}

type DecidedExamination = Extract<Examination, { kind: 'decided' }>

/** Starts with nothing. */
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

/** Whether a resource may be something else after the plan than it is now. */
export function isPending({ prospects }: Foresight, id: string): boolean {
  const prospect = prospects.get(id)
  return prospect !== undefined && (prospect.isChange || prospect.hangsOn !== undefined)
}

/** What its own changes and those of others mean for a resource. */
export interface Outlook {
  /** What the audit says of it. */
  readonly now: ResourceResult
  /** What it would say were the values that it reads as they will certainly be; absent where it reads none that change. */
  readonly then?: ResourceResult
  /** The pending resources with an unpredictable effect on it. */
  readonly hangsOn: readonly string[]
  /** The resource that keeps a fix from coming to this one. */
  readonly keptBy: string | undefined
  /** Whether a fix leaves its drift without failing, because it is accepted or only audited. */
  readonly isLeft: boolean
}

const TROUBLED: ReadonlySet<Verdict> = new Set(['error', 'blocked'])

/** What is expected of a resource. A prospect without a verdict is one that only carrying out the plan will tell. */
export function prospectOf({ now, then = now, hangsOn: on, keptBy, isLeft }: Outlook): Foreseen {
  const hangsOn = on.length === 0 ? undefined : on
  const isInPlan = isPlanned(now)
  if (keptBy !== undefined && now.verdict !== 'not-applicable') {
    const message = isInPlan ? `a fix does not come to it because of ${keptBy}` : now.message
    return { verdict: now.verdict, ...defined({ message }), isChange: false, isTrouble: true }
  }
  const isTrouble = TROUBLED.has(then.verdict) || (then.verdict === 'drifted' && then.change === 'cannot' && !isLeft)
  // What is as wanted then needs no change; what drifts then is changed only where the plan says so.
  const isChange = isInPlan && isPlanned(then)
  if (isChange && isOpen(now)) return { ...defined({ hangsOn }), isChange, isTrouble }
  if (isChange || then.verdict === 'compliant') {
    return { verdict: 'compliant', ...defined({ hangsOn }), isChange, isTrouble }
  }
  const isTold = hangsOn === undefined || !TROUBLED.has(then.verdict)
  const { verdict, message } = then
  return { ...(isTold ? defined({ verdict, message }) : {}), ...defined({ hangsOn }), isChange, isTrouble }
}

/** Whether the plan says to do something about a resource. */
export function isPlanned({ actions, change }: ResourceResult): boolean {
  return actions.length > 0 && change !== 'cannot'
}

/** What a command does, and whether a service gets well, is known when it has run. */
function isOpen({ effect = [], health = [] }: ResourceResult): boolean {
  return effect.some(({ kind }) => kind === 'run') || health.length > 0
}
