import type { Declaration } from '../model/policy.ts'
import type { ResourceResult } from '../model/run.ts'
import { placeOf } from '../model/saved-plan.ts'

/** Pending reactions (`subscribe`) that a fix did not complete, by `placeOf`, with the id of the changed resource. */
export interface OwedReactions {
  readonly by: (place: string) => string | undefined
  /**
   * Records a pending reaction, or with undefined its completion, before any other step. Returns the reason of a
   * failure.
   */
  readonly set: (place: string, by: string | undefined) => string | undefined
}

/** Context of the current resource. */
interface Turn {
  readonly policy: string
  readonly path: readonly string[]
  readonly resources: readonly Declaration[]
  readonly changed: ReadonlySet<string>
  readonly isFix: boolean
  readonly owed: OwedReactions | undefined
}

export interface Reaction {
  /** True if the resource must react. */
  readonly isDue: boolean
  /** Call before a change: its subscribers then owe a reaction. Returns a reason not to change the resource. */
  readonly begin: () => string | undefined
  /** Call with the result; adds a warning for a reaction owed by an earlier fix. */
  readonly end: (result: ResourceResult) => ResourceResult
}

const NO_REACTION: Reaction = { isDue: false, begin: () => undefined, end: (result) => result }

export function trackReactions({ id, subscribe }: Declaration, turn: Turn): Reaction {
  const { policy, path, resources, changed, isFix, owed } = turn
  if (subscribe.length === 0 && owed === undefined) return NO_REACTION
  const place = (of: string): string => placeOf(policy, { path, id: of })
  const cause = subscribe.find((each) => changed.has(each))
  const earlier = subscribe.length === 0 ? undefined : owed?.by(place(id))
  let begun: readonly string[] = []
  return {
    isDue: (cause ?? earlier) !== undefined,
    begin() {
      if (owed === undefined) return undefined
      const subscribers = resources.filter((each) => each.subscribe.includes(id)).map((each) => place(each.id))
      begun = subscribers.filter((each) => owed.by(each) === undefined)
      return begun.map((each) => owed.set(each, id)).find((failure) => failure !== undefined)
    },
    end(result) {
      // A failed change needs no reaction.
      if (result.verdict === 'fix-failed') for (const each of begun) owed?.set(each, undefined)
      const by = cause ?? earlier
      if (by === undefined) return result
      if (isFix) recordVerdict(result, by)
      // A change in this run explains the reaction.
      if (cause !== undefined || result.verdict === 'not-applicable') return result
      const warning = `the reaction to the change of ${earlier} was still pending: an earlier fix was interrupted`
      return { ...result, warnings: [...(result.warnings ?? []), warning] }
    },
  }
  function recordVerdict({ verdict }: ResourceResult, by: string): void {
    if (verdict === 'fix-failed' || verdict === 'error') owed?.set(place(id), by)
    else if (owed?.by(place(id)) !== undefined) owed.set(place(id), undefined)
  }
}
